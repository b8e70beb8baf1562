#include "conformance/defects/weave.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "conformance/defects/source_text.h"

namespace cm::defects {
namespace {

std::string_view Trimmed(std::string_view line) {
  const size_t begin = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(begin);
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

std::vector<std::string> CopiedLinesOf(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Ignores indentation. The body patched by the hunk; empty unless the body contains the lines
// exactly once.
std::optional<std::string> Apply(std::string_view body, const Hunk& hunk) {
  std::vector<std::string_view> wanted;
  for (const PatchLine& line : hunk.lines)
    if (line.sign != '+') wanted.push_back(Trimmed(line.text));
  const std::vector<std::string> lines = CopiedLinesOf(body);
  const auto same = [](const std::string& line, std::string_view one) {
    return Trimmed(line) == one;
  };
  const auto at = std::search(lines.begin(), lines.end(), wanted.begin(), wanted.end(), same);
  if (at == lines.end()) return std::nullopt;
  if (std::search(at + 1, lines.end(), wanted.begin(), wanted.end(), same) != lines.end())
    return std::nullopt;
  std::vector<std::string> patched(lines.begin(), at);
  for (const PatchLine& line : hunk.lines)
    if (line.sign != '-') patched.push_back(line.text);
  patched.insert(patched.end(), at + static_cast<std::ptrdiff_t>(wanted.size()), lines.end());
  return fmt::format("{}", fmt::join(patched, "\n"));
}

// The patched bodies of one function, by number of the defect.
struct Alternatives {
  Body own;
  std::vector<std::pair<size_t, std::string>> bodies;
};

// One file, by position of each body.
using Places = std::map<size_t, Alternatives>;

bool OfType(const Hunk& hunk) {
  return hunk.function.starts_with("struct ") || hunk.function.starts_with("class ");
}

// Adds the patched body to `places`, if the hunk fits exactly one, and returns where it begins.
std::optional<size_t> Place(const std::string& text, const Hunk& hunk, size_t number,
                            Places* places) {
  Alternatives* found = nullptr;
  std::string patched;
  for (const Body& body : BodiesOf(CodeOnly(text), hunk.function)) {
    const auto known = places->find(body.begin);
    std::string_view before = std::string_view(text).substr(body.begin, body.end - body.begin);
    // Several hunks may patch one function, and every hunk of a type applies.
    if (known != places->end() && !known->second.bodies.empty() &&
        (OfType(hunk) || known->second.bodies.back().first == number))
      before = known->second.bodies.back().second;
    std::optional<std::string> after = Apply(before, hunk);
    if (!after) continue;
    if (found != nullptr) return std::nullopt;
    patched = *std::move(after);
    found = &(*places)[body.begin];
    found->own = body;
  }
  if (found == nullptr) return std::nullopt;
  const size_t as = OfType(hunk) ? 0 : number;
  if (found->bodies.empty() || found->bodies.back().first != as)
    found->bodies.emplace_back(as, patched);
  else
    found->bodies.back().second = patched;
  return found->own.begin;
}

std::string Woven(const std::string& text, const Places& places) {
  std::string woven = "#include \"conformance/defects/switch.h\"\n";
  size_t done = 0;
  for (const auto& [begin, place] : places) {
    const std::string own = text.substr(place.own.begin, place.own.end - place.own.begin);
    woven += text.substr(done, begin - done);
    done = place.own.end;
    if (place.bodies.front().first == 0) {  // a type
      woven += place.bodies.front().second;
      continue;
    }
    for (const auto& [number, body] : place.bodies)
      woven += fmt::format("\nif (::cm::defects::On({})) {{{}}} else ", number, body);
    woven += "{" + own + "}\n";
  }
  return woven + text.substr(done);
}

// Names one of several functions of that name.
std::string NameOf(const Hunk& hunk, std::string_view text, size_t begin) {
  const auto line = std::ranges::count(text.substr(0, begin), '\n') + 1;
  return fmt::format("{} in {}, line {}", hunk.function, hunk.file, line);
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string ArrayOf(const Names& functions, size_t number) {
  std::string items;
  for (const std::string& function : functions) items += "    " + Quoted(function) + ",\n";
  return fmt::format("constexpr auto kFunctions{} = std::to_array<std::string_view>({{\n{}}});\n",
                     number, items);
}

}  // namespace

std::variant<WovenSources, std::string> Weave(const Sources& sources,
                                              const std::vector<DefectFile>& defects) {
  WovenSources woven{.sources = sources, .functions = std::vector<Names>(defects.size())};
  std::map<std::string, Places> places;
  for (size_t i = 0; i < defects.size(); ++i) {
    for (const Hunk& hunk : defects[i].hunks) {
      const auto source = sources.find(hunk.file);
      if (source == sources.end())
        return fmt::format("{}: there is no file {}", defects[i].name, hunk.file);
      const std::optional<size_t> begin = Place(source->second, hunk, i + 1, &places[hunk.file]);
      if (!begin)
        return fmt::format(
            "{}: its patch no longer applies: its lines do not stand once in one body of {} in {}",
            defects[i].name, hunk.function, hunk.file);
      if (!OfType(hunk)) woven.functions[i].push_back(NameOf(hunk, source->second, *begin));
    }
  }
  for (const auto& [file, of_file] : places) woven.sources[file] = Woven(sources.at(file), of_file);
  return woven;
}

std::string ListOf(const std::vector<DefectFile>& defects, const std::vector<Names>& functions) {
  std::string arrays;
  std::string rows;
  for (size_t i = 0; i < defects.size(); ++i) {
    const DefectFile& defect = defects[i];
    const bool any = !functions[i].empty();
    if (any) arrays += ArrayOf(functions[i], i + 1);
    rows += fmt::format("    {{{}, {}, {}, {}, {}, {}}},\n", Quoted(defect.name),
                        Quoted(defect.sentence), Quoted(defect.source), Quoted(defect.profile),
                        Quoted(defect.needs), any ? fmt::format("kFunctions{}", i + 1) : "{}");
  }
  return "#include <array>\n#include <string_view>\n\n"
         "#include \"conformance/defects/defects.h\"\n\nnamespace cm {\nnamespace {\n\n" +
         arrays + "\nconstexpr auto kDefects = std::to_array<Defect>({\n" + rows +
         "});\n\n}  // namespace\n\nstd::span<const Defect> Defects() { return kDefects; }\n"
         "\n}  // namespace cm\n";
}

}  // namespace cm::defects
