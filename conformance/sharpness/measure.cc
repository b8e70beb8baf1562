#include "conformance/sharpness/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include "conformance/recordings/judge.h"
#include "conformance/recordings/recording.h"
#include "conformance/sharpness/admissible.h"
#include "conformance/sharpness/history_alterations.h"
#include "conformance/sharpness/recording_alterations.h"
#include "model/base/files.h"
#include "model/conversation/name_scope.h"
#include "model/conversation/parse.h"
#include "model/oracle/orders.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

const MeasuredFormatRow* FormatOf(const fs::path& path) {
  const auto* found =
      std::ranges::find(kMeasuredFormats, path.extension().string(), &MeasuredFormatRow::extension);
  return found == kMeasuredFormats.end() ? nullptr : found;
}

std::string KnownEndings() {
  std::string all;
  for (const MeasuredFormatRow& row : kMeasuredFormats)
    all += (all.empty() ? "" : ", ") + std::string(row.extension);
  return all;
}

// The nearest folder above the file of which this is true; empty when there is none.
template <typename Predicate>
fs::path FolderAbove(const fs::path& file, Predicate predicate) {
  for (fs::path folder = fs::absolute(file).lexically_normal().parent_path();;
       folder = folder.parent_path()) {
    if (predicate(folder)) return folder;
    if (folder == folder.parent_path()) return {};
  }
}

class FileMeasurement {
 public:
  FileMeasurement(const fs::path& path, const MeasureOptions& options)
      : path_(path), options_(options) {
    file_.path = path;
    constexpr std::string_view kList = "admissible.txt";
    std::error_code error;
    const fs::path folder =
        FolderAbove(path, [&](const fs::path& above) { return fs::exists(above / kList, error); });
    name_ = path.lexically_normal();
    if (!folder.empty()) {
      listed_ = AdmissibleAlterations(ReadFile(folder / kList).value_or(""));
      name_ = fs::absolute(path).lexically_normal().lexically_relative(folder);
    }
    name_.replace_extension();
  }

  FileSharpness Take() {
    const MeasuredFormatRow* format = FormatOf(path_);
    const std::optional<std::string> text = ReadFile(path_);
    if (!text) {
      SayProblem(FileProblem::kUnreadable, "it cannot be read: " + WhyNotRead(path_));
      return std::move(file_);
    }
    if (format == nullptr) {
      SayProblem(FileProblem::kUnreadable, "its name ends in none of " + KnownEndings());
      return std::move(file_);
    }
    file_.format = format->format;
    switch (format->format) {
      case MeasuredFormat::kRecording:
        TakeRecording(*text);
        break;
      case MeasuredFormat::kConversation:
        TakeConversation(*text);
        break;
      case MeasuredFormat::kCapture:
        TakeCapture(*text);
        break;
    }
    return std::move(file_);
  }

 private:
  void SayProblem(FileProblem problem, std::string why) {
    file_.problem = problem;
    file_.why = std::move(why);
  }

  void TakeRecording(const std::string& text) {
    const Profile* profile = options_.profile;
    if (profile == nullptr) {
      const fs::path folder = FolderAbove(path_, [](const fs::path& above) {
        return FindProfile(above.filename().string()) != nullptr;
      });
      profile = FindProfile(folder.filename().string());
    }
    if (profile == nullptr)
      return SayProblem(FileProblem::kUnreadable,
                        "no folder above it is named after a profile, and --profile gives none");
    const auto read = ReadRecording(text);
    if (const auto* problem = std::get_if<TextProblem>(&read))
      return SayProblem(FileProblem::kUnreadable,
                        fmt::format("line {}: {}", problem->line, problem->what));
    const Recording& recording = *std::get<std::unique_ptr<Recording>>(read);
    const RecordingResult result = JudgeRecording(recording, *profile);
    if (result.refusal)
      return SayProblem(FileProblem::kRefused,
                        fmt::format("line {} is refused", result.refusal->line));
    if (result.inconclusive) return SayProblem(FileProblem::kUndecided, "it is not decided");
    file_.observations = result.judged + result.out_of_scope;
    file_.judged = result.judged;
    const std::vector<int> lines = JudgedLines(text, *profile);
    for (const AlterationKind& kind : AlterationKinds())
      for (const RecordingAlteration& one : AlterationsOf(kind, text, lines))
        Count(kind, name_.string() + ":" + one.Name(),
              options_.judges.recording(Altered(text, one), *profile));
  }

  void TakeConversation(const std::string& text) {
    const auto read = ParseHistory(text);
    if (const auto* problem = std::get_if<TextProblem>(&read))
      return SayProblem(FileProblem::kUnreadable,
                        fmt::format("line {}: {}", problem->line, problem->what));
    History history = std::get<History>(read);
    const Profile* profile = options_.profile;
    if (profile == nullptr) profile = FindProfile(history.conversation.profile);
    if (profile == nullptr)
      return SayProblem(FileProblem::kUnreadable,
                        fmt::format("there is no profile '{}'", history.conversation.profile));
    MarkRecords(&history, profile->transport);
    const History in_order = model::HasTogether(history.conversation)
                                 ? model::FindOrder(history, *profile).history
                                 : history;
    const model::HistoryResult result = model::JudgeUpToRefusal(in_order, *profile);
    if (result.kind == model::VerdictKind::kRefused)
      return SayProblem(FileProblem::kRefused,
                        fmt::format("record {} is refused", result.record + 1));
    const std::vector<size_t> records = PermittedRecords(in_order, *profile);
    if (records.empty()) return SayProblem(FileProblem::kUndecided, "it is not decided");
    file_.observations = result.observations + result.out_of_scope;
    file_.judged = result.observations;
    for (const AlterationKind& kind : AlterationKinds())
      AlterHistory(kind, in_order, records, profile->transport,
                   [&](const std::string& what, const History& altered) {
                     Count(kind, name_.string() + ":" + what,
                           options_.judges.history(altered, *profile));
                   });
  }

  void TakeCapture(const std::string& text) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
    const std::optional<wire::Capture> capture =
        wire::ReadCapture(name_.string(), std::span(bytes, text.size()));
    if (!capture) return SayProblem(FileProblem::kUnreadable, "it is no capture");
    if (capture->frames.empty())
      return SayProblem(FileProblem::kUnreadable, "it has no message of a CM");
    // Also without its first message.
    const MadKind first = capture->frames.front().frame.mad.header.kind();
    wire::JudgeOptions manner{.whole = first == MadKind::kReq || first == MadKind::kSidrReq};
    if (options_.profile != nullptr) manner.profiles = {options_.profile};
    if (const std::string wrong = wire::WhatIsWrong(manner, *capture); !wrong.empty())
      return SayProblem(FileProblem::kRefused, wrong);
    file_.observations = file_.judged = capture->frames.size();
    for (const AlterationKind& kind : AlterationKinds()) {
      if (kind.capture == nullptr) continue;
      for (const wire::Alteration& one : kind.capture(*capture))
        Count(kind, one.what, options_.judges.capture(one.capture, manner));
    }
  }

  void Count(const AlterationKind& kind, const std::string& name, bool admitted) {
    SharpnessCounts& counts = file_.counts[kind.name];
    ++counts.all;
    if (!admitted) ++counts.refused;
    const ListedAlterations* listed = listed_.Find(name);
    if (admitted) {
      const ListedAlterations why = listed != nullptr ? *listed : ListedAlterations();
      if (!why.reason.empty()) ++counts.listed;
      file_.permitted.push_back({name, why.pattern, why.reason});
    } else if (listed != nullptr) {
      file_.listed_and_refused.push_back(name);
    }
  }

  fs::path path_;
  const MeasureOptions& options_;
  AdmissibleAlterations listed_;
  fs::path name_;  // "6.1-rxe/01-connect_disconnect_by_active"
  FileSharpness file_;
};

}  // namespace

SharpnessJudges OurJudges() {
  return {.recording = [](std::string_view altered,
                          const Profile& profile) { return Admits(altered, profile); },
          .history = [](const History& altered,
                        const Profile& profile) { return Admits(altered, profile); },
          .capture =
              [](const wire::Capture& altered, const wire::JudgeOptions& manner) {
                return wire::WhatIsWrong(manner, altered).empty();
              }};
}

std::vector<fs::path> MeasurableFiles(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
       at.increment(error))
    if (FormatOf(at->path()) != nullptr) files.push_back(at->path());
  std::ranges::sort(files);  // lint: keys are unique
  return files;
}

Sharpness Measure(const std::vector<fs::path>& files, const MeasureOptions& options) {
  std::vector<std::optional<FileSharpness>> measured(files.size());
  std::atomic<size_t> next{0};
  std::mutex mutex;
  size_t done = 0;
  const auto work = [&] {
    for (size_t i = next++; i < files.size() && !options.stopped(); i = next++) {
      measured[i] = FileMeasurement(files[i], options).Take();
      const std::lock_guard lock(mutex);
      options.on_file(++done, files.size());
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < options.jobs; ++i) others.emplace_back(work);
    work();
  }
  Sharpness sharpness;
  for (std::optional<FileSharpness>& file : measured)
    if (file) sharpness.Add(std::move(*file));
  return sharpness;
}

}  // namespace cm
