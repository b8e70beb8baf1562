#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "conformance/runner/campaign.h"
#include "conformance/runner/misuse.h"
#include "conformance/scenarios/golden.h"
#include "model/conversation/print.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/conversation_file.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

struct ReplayOptions {
  Asked asked;
  std::string path;
  bool quiet = false;
};

// The implementation of a history that `app` has written.
constexpr std::string_view kPrograms = "app";

// The implementation of a history without a name, as in golden files: the simulator.
bool IsOfSim(const std::string& implementation) {
  return implementation.empty() || implementation == "sim" || implementation.starts_with("sim+");
}

// Empty when the history equals the file's; otherwise the first difference. What only the simulator
// can know is compared where both histories are its own.
std::string Compare(const ConversationFile& file, const History& history) {
  auto golden = ReadGolden(file.text);
  if (const auto* problem = std::get_if<TextProblem>(&golden)) return problem->what;
  const Golden& known = std::get<Golden>(golden);
  const bool simulated = IsOfSim(file.history->implementation) && IsOfSim(history.implementation);
  return Difference(known, history, simulated ? GoldenView::kExact : GoldenView::kVisible);
}

int Replay(const ReplayOptions& options) {
  auto read = ReadConversationFile(options.path);
  if (auto* problem = std::get_if<std::string>(&read)) return Unusable(*problem);
  const ConversationFile& file = std::get<ConversationFile>(read);
  Asked asked = options.asked;
  asked.of_programs = file.history && file.history->implementation == kPrograms;
  auto carried = CarryOut(file.path, file.conversation, file.text, asked);
  if (auto* problem = std::get_if<std::string>(&carried)) return Unusable(*problem);
  const SequenceRun& judged = std::get<CarriedOut>(carried).run;
  if (!options.quiet) fmt::print("{}\n", ToText(judged.history));
  for (const Finding& finding : judged.result.findings) fmt::print("{}", Describe(finding));
  for (const MisuseNote& note : MisusesOf(judged.history))
    fmt::print("{}", Describe(note, judged.history));
  std::string difference;
  if (file.history) {
    difference = Compare(file, judged.history);
    fmt::print("{}\n", difference.empty() ? "The outcome is the same as in the file."
                                          : "The outcome differs: " + difference);
  }
  fmt::print("{}\n", ToString(judged.result.verdict));
  if (judged.result.verdict == Verdict::kInconclusive) return kExitInconclusive;
  return judged.result.findings.empty() && difference.empty() ? kExitClean : kExitFound;
}

}  // namespace

void AddReplay(Verb cmcheck) {
  Verb verb =
      cmcheck.Add("replay", "Carry out a saved conversation again, and compare the outcome", R"(
Exit code 1 when there is a finding, or when the outcome differs from the file.
Examples:
  cmcheck replay cmcheck-report/findings/rows-1-rdma_connect.conv --impl sim
  cmcheck replay scenario.conv --impl dl:./libmine.so --quiet)");
  auto options = std::make_shared<ReplayOptions>();
  options->asked.profile.clear();
  AddAsked(verb, &options->asked);
  verb.Argument("file", &options->path, "A conversation");
  verb.Flag("--quiet", &options->quiet, "Only the verdict and the findings");
  verb.Does([options] { return Replay(*options); });
}

}  // namespace cm
