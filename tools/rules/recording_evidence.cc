#include "tools/rules/recording_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <variant>

#include "conformance/recordings/judge.h"
#include "conformance/recordings/recording.h"
#include "model/base/files.h"
#include "model/conversation/history.h"
#include "model/conversation/parse.h"
#include "model/oracle/oracle.h"
#include "model/vocabulary/names.h"
#include "model/vocabulary/reply.h"

namespace cm::ruledoc {
namespace {

namespace fs = std::filesystem;

std::string Citation(const RecordingEvidence& testimony, size_t line) {
  return fmt::format("{}:{}", testimony.name, line);
}

}  // namespace

RecordingEvidence Hear(std::string name, std::string_view text, const Profile& profile) {
  RecordingEvidence testimony{.name = std::move(name)};
  const auto read = ReadRecording(text);
  if (const auto* problem = std::get_if<TextProblem>(&read)) {
    testimony.problem = fmt::format("line {}: {}", problem->line, problem->what);
    return testimony;
  }
  const Recording& recording = *std::get<std::unique_ptr<Recording>>(read);
  const auto ends = static_cast<size_t>(std::ranges::count(text, '\n'));
  testimony.shown.resize(text.ends_with('\n') ? ends : ends + 1);
  model::RuleBits certain;
  const RecordingResult verdict =
      JudgeRecording(recording, profile, [&](size_t i, const model::Verdict& at_record) {
        certain |= at_record.certain;
        testimony.shown[static_cast<size_t>(recording.line_of[i]) - 1] |= at_record.by & certain;
      });
  if (verdict.refusal) {
    testimony.problem =
        fmt::format("line {} is refused: {}", verdict.refusal->line, verdict.refusal->text);
  } else if (verdict.inconclusive) {
    testimony.problem = "there are too many explanations";
  }
  if (!testimony.problem.empty()) testimony.shown.clear();
  return testimony;
}

std::vector<RecordingEvidence> HearFolder(const fs::path& folder) {
  std::vector<RecordingEvidence> testimonies;
  const std::string kernel = folder.filename().string();
  const Profile* profile = FindProfile(kernel);
  for (const fs::path& path : FilesIn(folder, ".jsonl")) {
    std::string name = kernel + "/" + path.stem().string();
    if (profile == nullptr)
      testimonies.push_back({.name = std::move(name), .problem = "no profile is called " + kernel});
    else
      testimonies.push_back(Hear(std::move(name), ReadFile(path).value_or(""), *profile));
  }
  return testimonies;
}

std::string FirstShown(model::RuleNumber row, std::span<const RecordingEvidence> testimonies) {
  for (const RecordingEvidence& testimony : testimonies)
    for (size_t i = 0; i < testimony.shown.size(); ++i)
      if (testimony.shown[i].test(row)) return Citation(testimony, i + 1);
  return "";
}

std::string WhyNotShown(model::RuleNumber row, std::string_view observed,
                        std::span<const RecordingEvidence> testimonies) {
  if (observed.empty()) return "";
  const size_t colon = observed.rfind(':');
  if (colon == observed.npos) return "it names no line: PROFILE/RECORDING:LINE is expected";
  const std::string_view name = observed.substr(0, colon);
  const std::string_view digits = observed.substr(colon + 1);
  size_t line = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc() || end != digits.data() + digits.size() || line == 0)
    return fmt::format("\"{}\" is not the number of a line", digits);
  const auto testimony = std::ranges::find(testimonies, name, &RecordingEvidence::name);
  if (testimony == testimonies.end()) return fmt::format("there is no recording {}", name);
  if (!testimony->problem.empty())
    return fmt::format("{} says nothing: {}", name, testimony->problem);
  if (line > testimony->shown.size())
    return fmt::format("{} has only {} lines", name, testimony->shown.size());
  if (testimony->shown[line - 1].test(row)) return "";
  for (size_t i = 0; i < testimony->shown.size(); ++i) {
    if (testimony->shown[i].test(row))
      return fmt::format("that line does not show it; {} does", Citation(*testimony, i + 1));
  }
  return fmt::format("no line of {} shows it", name);
}

}  // namespace cm::ruledoc
