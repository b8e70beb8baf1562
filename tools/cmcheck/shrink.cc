#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "conformance/runner/shrinker.h"
#include "model/conversation/print.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/conversation_file.h"
#include "tools/cmcheck/progress.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

struct ShrinkOptions {
  Asked asked;
  std::string path;
  std::string output;
  std::string finding;
  int attempts = 20000;
};

// The requested finding, else the first.
const Finding* ChosenOf(const SequenceRun& judged, const std::string& id) {
  const auto chosen =
      std::find_if(judged.result.findings.begin(), judged.result.findings.end(),
                   [&](const Finding& finding) { return id.empty() || finding.id == id; });
  return chosen == judged.result.findings.end() ? nullptr : &*chosen;
}

// Those that there are, each once; "nothing to shrink" where there is none.
std::string FindingsOf(const SequenceRun& judged) {
  std::vector<std::string> ids;
  for (const Finding& finding : judged.result.findings)
    if (std::find(ids.begin(), ids.end(), finding.id) == ids.end()) ids.push_back(finding.id);
  return ids.empty() ? "nothing to shrink" : fmt::format("it shows {}", fmt::join(ids, ", "));
}

int DoShrink(const ShrinkOptions& options) {
  auto read = ReadConversationFile(options.path);
  if (auto* problem = std::get_if<std::string>(&read)) return Unusable(*problem);
  const ConversationFile& file = std::get<ConversationFile>(read);
  auto carried = CarryOut(file.path, file.conversation, file.text, options.asked);
  if (auto* problem = std::get_if<std::string>(&carried)) return Unusable(*problem);
  const auto& [answering, whole] = std::get<CarriedOut>(carried);
  const Finding* finding = ChosenOf(whole, options.finding);
  if (finding == nullptr)
    return Unusable(fmt::format("{} shows no finding{} on {}: {}", file.path,
                                options.finding.empty() ? "" : " " + options.finding,
                                answering.text, FindingsOf(whole)));
  Progress progress("attempts", static_cast<uint64_t>(options.attempts));
  const auto on_attempt = [&](int attempts, int calls) {
    if (progress.terminal())
      progress.At(static_cast<uint64_t>(attempts), fmt::format("{} calls", calls));
  };
  const std::optional<Shrunk> shrunk =
      Shrink(*answering.implementation, file.conversation, *finding, options.attempts, on_attempt,
             Interrupted());
  progress.Clear();
  if (!shrunk)
    return Interrupted() ? kExitInterrupted : Unusable("the finding does not show again");
  const std::string text = ToText(shrunk->judged.history);
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else if (std::string problem = WriteFile(FromUsersFolder(options.output), text);
             !problem.empty()) {
    return Unusable(problem);
  }
  fmt::print(stderr, "{}{} calls of {} are left, after {} attempts\n", Describe(shrunk->finding),
             CallCount(shrunk->judged.history.conversation), CallCount(file.conversation),
             shrunk->attempts);
  return Interrupted() ? kExitInterrupted : kExitFound;
}

}  // namespace

void AddShrink(Verb cmcheck) {
  Verb verb =
      cmcheck.Add("shrink", "Make a conversation shorter while it still fails the same way", R"(
The short conversation goes to stdout or FILE; exit code 1, as it still shows the finding.
Examples:
  cmcheck shrink long.conv --impl sim --defect forgets-timewait --output short.conv
  cmcheck shrink long.conv --impl dl:./libmine.so --finding ROWS-1 --attempts 500)");
  auto options = std::make_shared<ShrinkOptions>();
  options->asked.profile.clear();
  AddAsked(verb, &options->asked);
  verb.Argument("file", &options->path, "A conversation");
  verb.Text("--output", &options->output, "File for the short one; default: stdout");
  verb.Text("--finding", &options->finding, "The finding to keep; default: the first");
  verb.Number("--attempts", &options->attempts, 1, 10'000'000, "Maximum number of attempts");
  verb.Does([options] { return DoShrink(*options); });
}

}  // namespace cm
