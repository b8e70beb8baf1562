#include "conformance/explore/explore.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/explore/repertoire.h"
#include "model/catalogue/catalogue.h"
#include "model/conversation/print.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/conversation_file.h"
#include "tools/cmcheck/progress.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

struct ExploreOptions {
  Asked asked;
  explore::Bounds bounds;
  explore::Size size;
  std::vector<std::string> faults;
  uint64_t within_ms = 5'000;
  std::string report = "cmcheck-report";
};

// One search of those that were asked for: without faults, or with those of one kind.
struct Part {
  std::string name;
  std::vector<std::string> lines;
};

std::variant<std::vector<Part>, std::string> PartsOf(const ExploreOptions& options) {
  std::vector<Part> parts = {{.name = "none"}};
  for (const std::string& name : options.faults) {
    if (name == "each") {
      for (const FaultRow& row : kFaultKinds)
        if (auto lines = explore::FaultLines(row.kind); !lines.empty())
          parts.push_back({std::string(row.name), std::move(lines)});
      continue;
    }
    const auto kind = ParseFaultKind(name);
    if (!kind)
      return fmt::format("there is no fault '{}': there are each, {}", name, AllFaultKinds());
    auto lines = explore::FaultLines(*kind);
    if (lines.empty())
      return fmt::format("'{}' does nothing by itself between two hosts with a link each", name);
    parts.push_back({name, std::move(lines)});
  }
  if (options.bounds.faults == 0) parts.resize(1);
  return parts;
}

std::string FileOf(const ExploreOptions& options, const std::string& part, size_t number) {
  return (std::filesystem::path(FromUsersFolder(options.report)) / "findings" /
          fmt::format("explore-{}-{}.conv", part, number))
      .string();
}

// Prints the findings of a search, and writes their conversations. Empty, or the error.
std::string PublishFindings(const explore::Result& result, const Part& part,
                            const ExploreOptions& options) {
  for (size_t i = 0; i < result.findings.size(); ++i) {
    const explore::ShortestFinding& found = result.findings[i];
    std::error_code ignored;  // writing says why
    std::filesystem::create_directories(
        std::filesystem::path(FromUsersFolder(options.report)) / "findings", ignored);
    const std::string file = FileOf(options, part.name, i + 1);
    if (std::string why = WriteFile(file, ToText(found.conversation)); !why.empty()) return why;
    fmt::print("\n{}  {} transitions; the shortest conversation is {}\n", Describe(found.finding),
               found.transitions, file);
  }
  return {};
}

int SearchAll(Implementation& implementation, const std::vector<Part>& parts,
              ExploreOptions& options) {
  model::RuleBits rows;
  bool found = false;
  bool inconclusive = false;
  fmt::print("{:<18} {:>9} {:>11} {:>6} {:>6} {:>6} {:>6} {:>6} {:>9}\n", "fault", "states",
             "transitions", "depth", "bytes", "quiet", "waits", "rows", "complete");
  for (const Part& part : parts) {
    options.size.faults = part.lines;
    auto made = explore::MakeRepertoire(options.size);
    if (auto* problem = std::get_if<std::string>(&made)) {
      fmt::print("{:<18} {}\n", part.name, *problem);
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    Progress progress("states", 0);
    const explore::Result result = explore::Explore(
        implementation, std::get<explore::Repertoire>(made), options.bounds,
        [&](const explore::Result& so_far) {
          progress.At(so_far.states, fmt::format("{}, depth {}", part.name, so_far.depth));
        },
        Interrupted());
    progress.Clear();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print("{:<18} {:>9} {:>11} {:>6} {:>6} {:>6} {:>6} {:>6} {:>9}\n", part.name,
               result.states, result.transitions, result.depth, result.bytes / result.states,
               result.quiet, result.waiting, result.rows.count(), result.complete ? "yes" : "no");
    // Rates differ from run to run: they are no part of the result.
    fmt::print(stderr, "{}: {:.1f} s, {:.0f} states/s, {:.0f} transitions/s\n", part.name, seconds,
               static_cast<double>(result.states) / seconds,
               static_cast<double>(result.transitions) / seconds);
    rows |= result.rows;
    inconclusive |= result.inconclusive > 0 || result.unexplained > 0;
    if (result.left_out > 0)
      fmt::print("  {} transitions left out: no name for one more request\n", result.left_out);
    if (result.unexplained > 0)
      fmt::print("  {} refusals that their conversation does not show\n", result.unexplained);
    for (const Conversation& conversation : result.waits_for_ever)
      fmt::print("  the shortest conversation after which an id waits for ever:\n{}\n",
                 ToText(conversation));
    found |= !result.findings.empty();
    if (std::string why = PublishFindings(result, part, options); !why.empty())
      return Unusable(why);
    if (Interrupted()) return kExitInterrupted;
  }
  fmt::print("{} rows reached in all\n", rows.count());
  if (found) return kExitFound;
  return inconclusive ? kExitInconclusive : kExitClean;
}

int DoExplore(ExploreOptions options, const Verb& verb) {
  if (verb.Given("--faults") && !verb.Given("--fault"))
    return Unusable("--faults is how many of them hit one conversation: --fault names their kinds");
  auto resolved = Resolve(options.asked);
  if (auto* problem = std::get_if<std::string>(&resolved)) return Unusable(*problem);
  if (options.asked.impl != "sim")
    return Unusable("explore copies worlds, which only --impl sim has");
  Implementation& implementation = *std::get<Answering>(resolved).implementation;
  options.size.profile = implementation.profile().name;
  options.bounds.calls_within = Duration::Milliseconds(static_cast<int64_t>(options.within_ms));
  auto parts = PartsOf(options);
  if (auto* problem = std::get_if<std::string>(&parts)) return Unusable(*problem);
  return SearchAll(implementation, std::get<std::vector<Part>>(parts), options);
}

}  // namespace

void AddExplore(Verb cmcheck) {
  Verb verb = cmcheck.Add(
      "explore", "Try everything that can happen between two hosts, up to a bound, and judge it",
      R"(
A listener on one host, ids that connect to it on the other. In each state every call of a small
repertoire is tried, every fault, and every order of what happens at one instant. Searches breadth
first: a finding comes with the shortest conversation that shows it, for `replay` and `explain`.
Columns: bytes of a state in memory; states that are quiet until a call is made, those of them in
which an id waits for an event for ever; rows that explain something; whether nothing was left out
within the bound. Exit code 1 for a finding.
Examples:
  cmcheck explore
  cmcheck explore --fault each --jobs 2
  cmcheck explore --fault drop --defect forgets-timewait)");
  auto options = std::make_shared<ExploreOptions>();
  AddAsked(verb, &options->asked);
  verb.Number("--connections", &options->size.connections, 1, 3, "Ids that connect");
  verb.Flag("--from-nothing", &options->size.from_nothing,
            "Ids are also created and resolved by the search");
  verb.Number("--within-ms", &options->within_ms, 0, 1'000'000,
              "Virtual time in which calls and faults come; later events are only fetched");
  verb.Texts("--fault", &options->faults, "Kinds of faults, one search for each; or each");
  verb.Number("--faults", &options->bounds.faults, 0, 3, "Faults in one conversation");
  verb.Number("--depth", &options->bounds.depth, 0, 1000, "Moves; 0: until nothing new comes");
  verb.Number("--states", &options->bounds.states, 1, 1'000'000'000, "No more states than these");
  verb.Flag("--beliefs", &options->bounds.beliefs,
            "Worlds differ also in what the oracle takes for possible: slow, and finds more");
  verb.Flag("!--no-symmetry", &options->bounds.symmetry,
            "Ids that are alike count as different: more states, the same findings");
  verb.Flag("!--no-orders", &options->bounds.all_orders,
            "Events of one instant come in the order of scheduling only");
  verb.Number("-j,--jobs", &options->bounds.jobs, 1, 64, "Threads; the result is the same");
  verb.Text("--report", &options->report, "Folder for conversations of findings");
  verb.Does([options, verb] { return DoExplore(*options, verb); });
}

}  // namespace cm
