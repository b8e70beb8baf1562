// Each folder's README lists its files, and no file that does not exist.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lint/markdown.h"
#include "tools/lint/rules.h"

namespace lint {
namespace {

// Between backticks: a word of a sentence names no file.
bool IsNamedIn(const Source& readme, std::string_view noun) {
  const std::string of_test = std::string(noun) + "_test";
  return std::ranges::any_of(LinesOutsideFences(readme), [&](const PageLine& line) {
    return std::ranges::any_of(CodeIn(line.text), [&](std::string_view code) {
      return HasWord(code, noun) || HasWord(code, of_test);
    });
  });
}

// The README.md of `folder`, or of the nearest folder above that has one.
const Source* NearestReadme(const Tree& tree, std::string_view folder) {
  while (true) {
    const std::string path = folder.empty() ? "README.md" : std::string(folder) + "/README.md";
    const Source* readme = tree.Find(path);
    if (readme != nullptr || folder.empty()) return readme;
    const size_t slash = folder.rfind('/');
    folder = slash == folder.npos ? std::string_view() : folder.substr(0, slash);
  }
}

// A file that the README must list.
bool BelongsOnMap(const Source& source) {
  if (source.name() == "BUILD") return false;
  return source.language() != Language::kOther || source.name().ends_with(".py") ||
         source.name().ends_with(".sh");
}

// The stem of a file: model/qp/oracle_test.cc has "oracle".
std::string_view Noun(std::string_view name) {
  name = name.substr(0, name.rfind('.'));
  if (name.ends_with("_test")) name.remove_suffix(5);
  return name;
}

void OnMap(const Tree& tree, Report& report) {
  std::set<std::string> seen;  // README and stem: a.h and a.cc are one entry
  const auto expect = [&](const Source& about, std::string_view folder, std::string_view noun) {
    const Source* readme = NearestReadme(tree, folder);
    if (readme != nullptr && IsNamedIn(*readme, noun)) return;
    if (!seen.insert(fmt::format("{}/{}", folder, noun)).second) return;
    const std::string where = readme == nullptr ? "any README.md" : readme->path();
    report.Add(about, 1, fmt::format("`{}` is not on the map in {}", noun, where));
  };
  for (const Source& source : tree.sources()) {
    if (BelongsOnMap(source)) expect(source, source.folder(), Noun(source.name()));
    if (source.name() != "BUILD" || source.folder().empty()) continue;
    const std::string_view folder = source.folder();
    const size_t slash = folder.rfind('/');
    const bool is_top = slash == folder.npos;
    expect(source, is_top ? std::string_view() : folder.substr(0, slash),
           is_top ? folder : folder.substr(slash + 1));
  }
}

bool IsRow(std::string_view line) { return line.starts_with('|'); }

// What a row of a table has between its first two bars; empty for any other line.
std::string_view FirstCell(std::string_view line) {
  if (!IsRow(line)) return {};
  size_t end = 1;
  while (end < line.size() && (line[end] != '|' || line[end - 1] == '\\')) ++end;
  return line.substr(1, end - 1);
}

bool IsOfPath(char c) { return IsWordCharacter(c) || c == '.' || c == '-' || c == '/'; }

// "judge/scope.cc"; not "*.cc", and not a command with arguments.
bool IsNameOfSource(std::string_view text) {
  constexpr auto kEndings = std::to_array<std::string_view>({".h", ".cc", ".sh", ".py"});
  return std::ranges::all_of(text, IsOfPath) &&
         std::ranges::any_of(kEndings, [&](auto ending) { return text.ends_with(ending); });
}

// The words of a text that may be folders.
std::vector<std::string_view> PathsIn(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && IsOfPath(text[end])) ++end;
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// A file of the README's folder, of a folder that the heading of the section or of the table names,
// or with its whole path.
bool ExistsAt(const Tree& tree, const Source& readme, std::string_view sections,
              std::string_view name) {
  namespace fs = std::filesystem;
  std::vector<std::string_view> folders = PathsIn(sections);
  folders.push_back("");
  return tree.Has(name) || std::ranges::any_of(folders, [&](std::string_view folder) {
           const fs::path path = fs::path(readme.folder()) / folder / name;
           return tree.Has(path.lexically_normal().generic_string());
         });
}

// The first column of a table lists files, which must exist.
void StaleRows(const Tree& tree, const Source& readme, Report& report) {
  std::string_view section;
  std::string_view table;
  std::string_view before;
  for (const PageLine& line : LinesOutsideFences(readme)) {
    if (const std::string_view heading = HeadingOf(line.text); !heading.empty()) section = heading;
    if (IsRow(line.text) && !IsRow(before)) table = FirstCell(line.text);
    before = line.text;
    for (const std::string_view name : CodeIn(FirstCell(line.text))) {
      if (!IsNameOfSource(name)) continue;
      if (ExistsAt(tree, readme, fmt::format("{} {}", section, table), name)) continue;
      report.Add(readme, line.number, fmt::format("there is no file `{}`", name));
    }
  }
}

void Map(const Tree& tree, Report& report) {
  OnMap(tree, report);
  for (const Source& source : tree.sources())
    if (source.name() == "README.md") StaleRows(tree, source, report);
}

constexpr auto kMapRules = std::to_array<Rule>({
    {"map",
     "A README.md in the folder or the nearest above names every file and package of it; "
     "its tables name no file that does not exist.",
     Map},
});

}  // namespace

std::span<const Rule> MapRules() { return kMapRules; }

}  // namespace lint
