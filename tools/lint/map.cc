// Each folder's README lists its files.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "tools/lint/rules.h"

namespace lint {
namespace {

bool Names(const Source& readme, std::string_view name) {
  return std::ranges::any_of(readme.lines(),
                             [&](std::string_view line) { return HasWord(line, name); });
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
    if (readme != nullptr && Names(*readme, noun)) return;
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

constexpr auto kRules = std::to_array<Rule>({
    {"map", "A README.md in the folder or the nearest above names every file and package of it.",
     OnMap},
});

}  // namespace

std::span<const Rule> MapRules() { return kRules; }

}  // namespace lint
