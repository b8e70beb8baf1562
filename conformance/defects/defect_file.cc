#include "conformance/defects/defect_file.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace cm::defects {
namespace {

constexpr std::string_view kIn = "in ";

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The field of the line; null when it has none.
std::string* FieldOf(DefectFile* defect, std::string_view key) {
  if (key == "says") return &defect->sentence;
  if (key == "source") return &defect->source;
  if (key == "profile") return &defect->profile;
  if (key == "needs") return &defect->needs;
  return nullptr;
}

// Empty, or the error in the line.
std::string ReadHeader(std::string_view line, DefectFile* defect) {
  const size_t colon = line.find(": ");
  std::string* const field =
      colon == std::string_view::npos ? nullptr : FieldOf(defect, line.substr(0, colon));
  if (field == nullptr) return "neither a field nor a hunk";
  if (!field->empty()) return "the field is there already";
  *field = line.substr(colon + 2);
  return {};
}

std::string ReadLine(std::string_view line, DefectFile* defect) {
  if (line.starts_with(kIn)) {
    const std::string_view place = line.substr(kIn.size());
    const size_t space = place.find(' ');
    if (space == std::string_view::npos) return "no function behind the file";
    defect->hunks.push_back({.file = std::string(place.substr(0, space)),
                             .function = std::string(place.substr(space + 1)),
                             .lines = {}});
    return {};
  }
  if (defect->hunks.empty()) return ReadHeader(line, defect);
  const char sign = line.front();
  if (sign != ' ' && sign != '-' && sign != '+') return "begins with none of ' ', '-', '+'";
  defect->hunks.back().lines.push_back({.sign = sign, .text = std::string(line.substr(1))});
  return {};
}

std::string Missing(const DefectFile& defect) {
  if (defect.sentence.empty()) return "no field says";
  if (defect.source.empty()) return "no field source";
  if (defect.profile.empty() != defect.needs.empty()) return "profile goes with needs";
  if (defect.hunks.empty()) return "no hunk";
  for (const Hunk& hunk : defect.hunks) {
    bool kept = false;
    bool changes = false;
    for (const PatchLine& line : hunk.lines) {
      kept |= line.sign != '+';
      changes |= line.sign != ' ';
    }
    if (!kept) return "a hunk of " + hunk.function + " has no line that is there already";
    if (!changes) return "a hunk of " + hunk.function + " changes nothing";
  }
  return {};
}

}  // namespace

std::variant<DefectFile, std::string> ReadDefect(std::string_view name, std::string_view text) {
  DefectFile defect;
  defect.name = name;
  size_t number = 0;
  for (const std::string_view line : LinesOf(text)) {
    ++number;
    if (line.empty()) continue;
    if (std::string problem = ReadLine(line, &defect); !problem.empty())
      return defect.name + ": line " + std::to_string(number) + ": " + problem;
  }
  if (std::string problem = Missing(defect); !problem.empty()) return defect.name + ": " + problem;
  return defect;
}

}  // namespace cm::defects
