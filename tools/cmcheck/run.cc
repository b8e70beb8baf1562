#include "tools/cmcheck/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "conformance/runner/journal.h"
#include "conformance/runner/shrinker.h"
#include "model/conversation/print.h"
#include "tools/cmcheck/progress.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

constexpr int kShrinkAttempts = 6000;

// One run, from its options to its report.
class Runner {
 public:
  Runner(const RunOptions& options, Answering answering, CampaignOptions campaign,
         std::string replay)
      : options_(options),
        answering_(std::move(answering)),
        campaign_(std::move(campaign)),
        replay_(std::move(replay)),
        report_(FromUsersFolder(options.report)) {}

  int Go() {
    if (!options_.json.empty())
      if (std::string problem = WhyUnwritable(FromUsersFolder(options_.json)); !problem.empty())
        return Unusable(problem);
    const bool goes_on = GoesOn(options_);
    if (std::string problem = report_.Create(); !problem.empty()) return Fail(problem);
    // What is drawn depends on all that the environment can do, asked for or not.
    RunOptions drawn = options_;
    drawn.asked.capabilities = ToString(campaign_.draw.capabilities);
    const std::string campaign =
        CampaignText(drawn, answering_.text, DigestOfFiles(options_, answering_.text));
    if (std::string problem =
            OpenJournal(options_.journal, campaign, &campaign_, &earlier_, &journal_);
        !problem.empty())
      return Fail(problem);
    report_.ForgetEarlier(goes_on, GivenOf(options_));
    Draw();
    if (tally_.sequences() == 0 && !problem_.empty()) return Fail(problem_);
    tally_.Conclude({.capabilities = campaign_.draw.capabilities,
                     .every_walk = options_.walk.empty() && options_.topology.empty(),
                     .every_property = options_.property.empty(),
                     .every_call = !implementation().LeavesOut()},
                    implementation().profile());
    WriteFindings();
    const CampaignName name{.implementation = answering_.text,
                            .library = answering_.library,
                            .kernel = answering_.kernel,
                            .topology = options_.topology.empty() ? "mixed" : options_.topology,
                            .seed = options_.seed,
                            .first = campaign_.first,
                            .only = options_.only,
                            .interrupted = Interrupted()};
    // What was judged is shown also where a journal or a conversation could not be written.
    const std::string unpublished =
        Publish(tally_, name, implementation().profile(), options_, campaign_.draw.capabilities);
    if (!problem_.empty()) return Fail(problem_);
    if (!unpublished.empty()) return Fail(unpublished);
    const std::string spoiled = implementation().Spoiled();
    if (!spoiled.empty()) {
      fmt::print(stderr, "cmcheck: stopped after {} sequences: {}\n", tally_.sequences(), spoiled);
      if (!tally_.failed() && !Interrupted()) return kExitInconclusive;
    }
    return ExitCodeOf(tally_, options_, Interrupted());
  }

 private:
  Implementation& implementation() { return *answering_.implementation; }

  // The judged sequences are kept even if a file fails.
  int Fail(const std::string& problem) {
    if (tally_.sequences() == 0) report_.Discard();
    return Unusable(problem);
  }

  void Draw() {
    Progress progress("sequences", campaign_.sequences);
    uint64_t next = campaign_.first;
    const auto add_earlier = [&](uint64_t until) {
      for (; next < until; ++next)
        if (const auto known = earlier_.find(next); known != earlier_.end())
          AddEarlier(known->second);
    };
    const auto on_sequence = [&](const SequenceRun& judged) {
      add_earlier(judged.result.index);
      next = judged.result.index + 1;
      tally_.Add(judged.result);
      examples_.Add(judged);
      Keep(judged);
      const uint64_t failed = tally_.With(Verdict::kFailed);
      progress.At(tally_.sequences(), failed == 0 ? "" : fmt::format("{} failed", failed));
    };
    const bool finished = RunCampaign(implementation(), campaign_, on_sequence, Interrupted());
    if (finished) add_earlier(campaign_.first + campaign_.sequences);
  }

  // A journal has no histories: sequences with findings are carried out again, and shown where the
  // history is the same.
  void AddEarlier(const SequenceResult& result) {
    tally_.Add(result);
    if (result.findings.empty() || !implementation().concurrent()) return;
    examples_.Add(
        RunOne(implementation(), ConversationOf(campaign_, result.index), options_.property));
  }

  void Keep(const SequenceRun& judged) {
    if (journal_ != nullptr && problem_.empty())
      if (std::string problem = journal_->Add(judged.result); !problem.empty())
        problem_ = fmt::format("{}: {}", options_.journal, problem);
    const bool kept = options_.keep || !options_.only.empty();
    if (kept && problem_.empty())
      problem_ = report_.WriteConversation(judged.result.index, judged.history);
    if (!problem_.empty()) StopWork();
  }

  // Shrinks the examples of each cause, and writes the shortest conversations, shortest first.
  void WriteFindings() {
    std::vector<std::optional<History>> shortest;
    shortest.reserve(tally_.findings().size());
    for (CountedFinding& counted : tally_.findings())
      shortest.push_back(ShortestOf(&counted.finding));
    std::vector<size_t> order(shortest.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {},
                             [&](size_t i) { return tally_.findings()[i].finding.calls; });
    std::vector<CountedFinding> sorted;
    for (const size_t i : order) {
      sorted.push_back(std::move(tally_.findings()[i]));
      if (problem_.empty() && shortest[i]) Write(*shortest[i], &sorted.back());
    }
    tally_.findings() = std::move(sorted);
  }

  void Write(const History& history, CountedFinding* counted) {
    std::filesystem::path path;
    problem_ = report_.WriteFinding(counted->finding, history, &path);
    counted->replay = fmt::format("{} {}", replay_, ShellWord(path.string()));
    if (!answering_.options.empty()) counted->replay += " " + answering_.options;
  }

  // The shortest conversation known with the cause of the finding, which becomes the finding there.
  std::optional<History> ShortestOf(Finding* finding) {
    std::optional<History> shortest;
    const auto take = [&](const Finding& shown, const History& history) {
      const int calls = CallCount(history.conversation);
      if (shortest && calls >= finding->calls) return;
      const uint64_t index = finding->index;
      *finding = shown;
      finding->index = index;
      finding->calls = calls;
      shortest = history;
    };
    const std::vector<SequenceRun>* examples = examples_.Of(*finding);
    if (examples == nullptr) return shortest;
    const Finding drawn = *finding;
    for (const SequenceRun& example : *examples)
      for (const Finding& shown : example.result.findings)
        if (shown.Same(drawn)) take(shown, example.history);
    if (!options_.shrink || !implementation().concurrent()) return shortest;
    for (const SequenceRun& example : *examples)
      if (const std::optional<Shrunk> shrunk =
              Shrink(implementation(), example.history.conversation, drawn, kShrinkAttempts,
                     nullptr, Interrupted()))
        take(shrunk->finding, shrunk->judged.history);
    return shortest;
  }

  const RunOptions& options_;
  Answering answering_;
  CampaignOptions campaign_;
  std::string replay_;
  Report report_;
  std::unique_ptr<Journal> journal_;
  JournalContent earlier_;
  Tally tally_;
  Examples examples_;
  std::string problem_;
};

}  // namespace

bool GoesOn(const RunOptions& options) {
  std::error_code error;
  const auto size = std::filesystem::file_size(FromUsersFolder(options.journal), error);
  return !options.journal.empty() && !error && size > 0;
}

std::string OpenJournal(const std::string& option, const std::string& text,
                        CampaignOptions* campaign, JournalContent* earlier,
                        std::unique_ptr<Journal>* journal) {
  if (option.empty()) return {};
  const std::string path = FromUsersFolder(option);
  auto known = ReadJournal(path, text);
  if (auto* problem = std::get_if<std::string>(&known)) return *problem;
  *earlier = std::get<JournalContent>(std::move(known));
  const uint64_t end = campaign->first + campaign->sequences;
  std::erase_if(*earlier, [&](const auto& sequence) {
    return sequence.first < campaign->first || sequence.first >= end ||
           campaign->done.contains(sequence.first);
  });
  for (const auto& [index, result] : *earlier) campaign->done.insert(index);
  auto opened = Journal::Open(path, text);
  if (auto* problem = std::get_if<std::string>(&opened)) return *problem;
  *journal = std::get<std::unique_ptr<Journal>>(std::move(opened));
  return {};
}

int ExitCodeOf(const Tally& tally, const RunOptions& options, bool interrupted) {
  if (interrupted) return kExitInterrupted;
  if (tally.failed()) return kExitFound;
  if (tally.judged() == 0) return kExitInconclusive;
  const auto basis_points = static_cast<uint64_t>(std::llround(options.max_inconclusive * 100.0));
  return tally.TooInconclusive(basis_points) ? kExitInconclusive : kExitClean;
}

std::string Publish(const Tally& tally, const CampaignName& name, const Profile& profile,
                    const RunOptions& options, Capabilities capabilities) {
  const std::filesystem::path folder = FromUsersFolder(options.report);
  const std::string json = ToJson(tally, name, profile);
  TableOptions table{.colours = ColoursOn(STDOUT_FILENO),
                     .capabilities = capabilities,
                     .property = options.property};
  fmt::print("{}\nreport      {}\n", ToTable(tally, name, profile, table),
             std::filesystem::absolute(folder).lexically_normal().string());
  table.colours = false;
  std::string problem = WriteFile(folder / "results.json", json);
  if (problem.empty())
    problem = WriteFile(folder / "table.txt", ToTable(tally, name, profile, table));
  if (problem.empty() && !options.json.empty())
    problem = WriteFile(FromUsersFolder(options.json), json);
  return problem;
}

int Run(RunOptions options) {
  auto resolved = Resolve(options.asked);
  if (auto* problem = std::get_if<std::string>(&resolved)) return Unusable(*problem);
  // Two processes share no kernel, unless that is said.
  if (options.topology.empty() && options.asked.impl.starts_with("sides:"))
    options.topology = "two-kernels";
  if (options.topology.empty() && options.asked.impl == "nodes")
    options.topology = FromUsersFolder(options.asked.site);
  return RunWith(options, std::get<Answering>(std::move(resolved)));
}

int RunWith(const RunOptions& options, Answering answering, const std::string& replay) {
  auto campaign = CampaignOf(options, answering.implementation->profile(),
                             answering.implementation->capabilities());
  if (auto* problem = std::get_if<std::string>(&campaign)) return Unusable(*problem);
  DrawOnlyFor(*answering.implementation, &std::get<CampaignOptions>(campaign).draw);
  return Runner(options, std::move(answering), std::get<CampaignOptions>(std::move(campaign)),
                replay)
      .Go();
}

int ParseBehindDashes(std::string_view verb, std::string_view about,
                      std::vector<std::string> arguments, RunOptions* options,
                      const std::function<int()>& go_on) {
  CommandLine line(fmt::format("cmcheck {} --", verb), std::string(about), "");
  Verb run = line.command();
  AddRunOptions(run, options);
  run.Does([&go_on, run] {
    const std::string problem = WhyContradictory(run);
    return problem.empty() ? go_on() : Unusable(problem);
  });
  const auto done = line.Parse(std::move(arguments));
  if (const auto* problem = std::get_if<std::string>(&done))
    return Unusable(
        fmt::format("{} (`cmcheck {} -- --help` says what is accepted)", *problem, verb));
  return std::get<int>(done);
}

int RunMainJob() { return Run({}); }

void AddRun(Verb cmcheck) {
  Verb verb = cmcheck.Add("run", "Draw sequences and judge one implementation", R"(
Examples:
  cmcheck run --impl sim --seed 1 --sequences 2000 --json results.json
  cmcheck run --impl sim --defect connect-wrong-errno --sequences 200
  cmcheck run --impl dl:./libmine.so --profile mine.json
  cmcheck run --impl dl:./libmine.so --conversations conformance/scenarios/users
  cmcheck run --walk removal --property REM-1 --first 500 --sequences 100)");
  auto options = std::make_shared<RunOptions>();
  AddRunOptions(verb, options.get());
  verb.Does([options, verb] {
    if (options->asked.impl == "nodes" && !verb.Given("--max-inconclusive"))
      options->max_inconclusive = kInconclusiveOnNodes;
    const std::string problem = WhyContradictory(verb);
    return problem.empty() ? Run(*options) : Unusable(problem);
  });
}

}  // namespace cm
