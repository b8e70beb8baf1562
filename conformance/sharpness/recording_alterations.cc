#include "conformance/sharpness/recording_alterations.h"

#include <algorithm>
#include <memory>
#include <variant>

#include "conformance/recordings/judge.h"
#include "conformance/recordings/recording.h"
#include "conformance/sharpness/line_alterer.h"
#include "model/conversation/parse.h"
#include "model/oracle/judge.h"

namespace cm {

std::vector<int> JudgedLines(std::string_view recording, const Profile& profile) {
  const auto read = ReadRecording(recording);
  if (std::holds_alternative<TextProblem>(read)) return {};
  const Recording& said = *std::get<std::unique_ptr<Recording>>(read);
  std::vector<int> lines;
  std::vector<int> unjudged;  // one line can make two records
  const RecordingResult verdict =
      JudgeRecording(said, profile, [&](size_t i, const model::Verdict& at_record) {
        const bool judged = at_record.kind == model::VerdictKind::kPermitted;
        (judged ? lines : unjudged).push_back(said.line_of[i]);
      });
  if (verdict.refusal || verdict.inconclusive) return {};
  std::erase_if(lines, [&](int line) { return std::ranges::count(unjudged, line) > 0; });
  std::ranges::stable_sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

std::vector<RecordingAlteration> AlterationsOf(const AlterationKind& kind,
                                               std::string_view recording,
                                               const std::vector<int>& lines) {
  std::vector<RecordingAlteration> found;
  if (kind.line == nullptr) return found;
  const RecordingLines parsed(recording);
  for (const int line : lines) {
    LineAlterer alterer(parsed, line, &found);
    kind.line(alterer);
  }
  return found;
}

std::string Altered(std::string_view recording, const RecordingAlteration& alteration) {
  std::string text;
  int number = 0;
  for (const std::string_view line : RecordingLines::Split(recording)) {
    text += ++number == alteration.line ? std::string_view(alteration.text) : line;
    text += '\n';
    if (number == alteration.line && alteration.ends) break;
  }
  return text;
}

bool Admits(std::string_view altered, const Profile& profile) {
  const auto read = ReadRecording(altered);
  if (std::holds_alternative<TextProblem>(read)) return false;
  return IsPermitted(*std::get<std::unique_ptr<Recording>>(read), profile);
}

}  // namespace cm
