#include "tools/cmcheck/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/properties/property.h"
#include "conformance/runner/journal.h"
#include "conformance/runner/shrinker.h"
#include "conformance/walks/walk.h"
#include "model/conversation/fault_check.h"
#include "model/conversation/print.h"
#include "model/vocabulary/topology.h"
#include "tools/cmcheck/conversation_file.h"
#include "tools/cmcheck/progress.h"
#include "tools/cmcheck/report.h"

namespace cm {
namespace {

constexpr int kShrinkAttempts = 6000;

bool IsClaim(const std::string& id) {
  return FindProperty(id) != nullptr || id == kRowsId || id == kLeakId;
}

std::string WalkNames() {
  std::vector<std::string_view> names;
  for (const Walk& walk : Walks()) names.push_back(walk.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Those of the topologies on which the walk can be walked.
std::vector<TopologyShare> WalkableShares(const DrawOptions& draw,
                                          const std::vector<TopologyShare>& all) {
  std::vector<TopologyShare> shares;
  for (const TopologyShare& share : all) {
    DrawOptions here = draw;
    here.topology = share.topology;
    const bool walkable = draw.walk.empty()
                              ? std::any_of(Walks().begin(), Walks().end(),
                                            [&](const Walk& walk) { return Walkable(walk, here); })
                              : Walkable(*FindWalk(draw.walk), here);
    if (walkable) shares.push_back(share);
  }
  return shares;
}

// A built-in topology, or that of a file. Sequences are drawn for the first two of its sides.
std::variant<TopologyRef, std::string> TopologyOf(const std::string& name) {
  if (const Topology* built_in = FindTopology(name)) return TopologyRef(built_in);
  if (!std::filesystem::exists(name))
    return fmt::format("there is no topology '{}', nor a file; topologies are {}", name,
                       TopologyNames());
  auto read = ReadConversationFile(name);
  if (auto* problem = std::get_if<std::string>(&read)) return std::move(*problem);
  const TopologyRef& own = std::get<ConversationFile>(read).conversation.topology;
  if (own->sides.size() < 2 || own->IsTester(kActiveSide) || own->IsTester(kPassiveSide))
    return fmt::format("{}: topology {}: its first two sides must be of applications", name,
                       own->name);
  return own;
}

// "NAME" or "NAME:WEIGHT,NAME:WEIGHT"; empty: all of them.
std::variant<std::vector<TopologyShare>, std::string> SharesOf(const std::string& text) {
  if (text.empty()) return MixedTopologies();
  std::vector<TopologyShare> shares;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const size_t colon = part.find(':');
    auto topology = TopologyOf(part.substr(0, colon));
    if (auto* problem = std::get_if<std::string>(&topology)) return std::move(*problem);
    TopologyShare share{.topology = std::get<TopologyRef>(std::move(topology))};
    if (colon != std::string::npos) {
      const char* const end = part.data() + part.size();
      const auto [rest, error] = std::from_chars(part.data() + colon + 1, end, share.weight);
      if (error != std::errc() || rest != end || share.weight < 1)
        return fmt::format("'{}' has no weight from 1 on behind its colon", part);
    }
    shares.push_back(share);
  }
  return shares;
}

// Empty, or what is wrong with the list. What is given has been read.
std::string ChooseNumbers(const std::string& list, CampaignOptions* campaign) {
  if (list.empty()) return {};
  std::set<uint64_t> numbers;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    uint64_t number = 0;
    const char* const end = part.data() + part.size();
    const auto [rest, error] = std::from_chars(part.data(), end, number);
    if (error != std::errc() || rest != end)
      return fmt::format("--only '{}': '{}' is no number", list, part);
    numbers.insert(number);
  }
  constexpr uint64_t kWidest = 10'000'000;
  campaign->first = *numbers.begin();
  campaign->sequences = *numbers.rbegin() - campaign->first + 1;
  if (campaign->sequences == 0 || campaign->sequences > kWidest)
    return fmt::format("--only '{}': at most {} may lie between the first and the last", list,
                       kWidest);
  if (const size_t given = campaign->given.size(); given > 0 && *numbers.rbegin() >= given)
    return fmt::format("--only '{}': there are {} conversations, 0 to {}", list, given, given - 1);
  for (uint64_t n = campaign->first; n < campaign->first + campaign->sequences; ++n)
    if (!numbers.contains(n)) campaign->done.insert(n);
  return {};
}

// Those of the files; empty, or what is wrong with one. One that takes place where this campaign
// does not is moved to the first place of the campaign, unless it brings a topology of its own or
// has sides that are not there; where its faults do nothing there it is refused, if it is the only
// one, and else not carried out.
std::string TakeGiven(const std::string& path, CampaignOptions* campaign) {
  const std::vector<std::string> files = ConversationFilesIn(path);
  for (const std::string& file : files) {
    auto read = ReadConversationFile(file);
    if (auto* problem = std::get_if<std::string>(&read)) return *problem;
    const ConversationFile& given = std::get<ConversationFile>(read);
    Conversation conversation = given.conversation;
    std::string profile = conversation.profile == campaign->draw.profile.name ? "its own" : "";
    if (std::string problem = TakeItsProfile(file, conversation, given.text, &profile);
        !problem.empty())
      return problem;
    const auto here = [&](const TopologyShare& s) { return s.topology == conversation.topology; };
    const TopologyRef& first = campaign->draw.topologies.front().topology;
    const bool movable = conversation.topology.built_in() &&
                         conversation.topology->sides.size() <= first->sides.size();
    if (movable && !std::ranges::any_of(campaign->draw.topologies, here))
      conversation.topology = first;
    const std::string problem = WhyFaultsDoNothing(conversation);
    if (!problem.empty() && files.size() == 1)
      return fmt::format("{} on topology {}: {}", file, conversation.topology->name, problem);
    campaign->given.push_back(std::move(conversation));
  }
  if (campaign->given.empty()) return fmt::format("{} holds no .conv", path);
  if (campaign->first >= campaign->given.size())
    return fmt::format("--first {}: {} holds {} conversations", campaign->first, path,
                       campaign->given.size());
  campaign->sequences = std::min(campaign->sequences, campaign->given.size() - campaign->first);
  return {};
}

// One run, from its options to its report.
class Runner {
 public:
  Runner(const RunOptions& options, Answering answering, CampaignOptions campaign)
      : options_(options),
        answering_(std::move(answering)),
        campaign_(std::move(campaign)),
        report_(FromUsersFolder(options.report)) {}

  int Go() {
    if (!options_.json.empty())
      if (std::string problem = WhyUnwritable(FromUsersFolder(options_.json)); !problem.empty())
        return Unusable(problem);
    if (std::string problem = report_.Prepare(); !problem.empty()) return Fail(problem);
    if (std::string problem = OpenJournal(); !problem.empty()) return Fail(problem);
    Draw();
    if (!problem_.empty()) return Fail(problem_);
    tally_.Conclude({.capabilities = campaign_.draw.capabilities,
                     .every_walk = options_.walk.empty() && options_.topology.empty(),
                     .every_property = options_.property.empty()},
                    implementation().profile());
    WriteFindings();
    if (!problem_.empty()) return Fail(problem_);
    const CampaignName name{.implementation = answering_.text,
                            .library = answering_.library,
                            .kernel = answering_.kernel,
                            .topology = options_.topology.empty() ? "mixed" : options_.topology,
                            .seed = options_.seed,
                            .first = campaign_.first,
                            .interrupted = Interrupted()};
    if (std::string problem = Publish(tally_, name, implementation().profile(), options_,
                                      campaign_.draw.capabilities);
        !problem.empty())
      return Fail(problem);
    const std::string spoiled = implementation().Spoiled();
    if (!spoiled.empty()) {
      fmt::print(stderr, "cmcheck: stopped after {} sequences: {}\n", tally_.sequences(), spoiled);
      if (!tally_.failed()) return kExitInconclusive;
    }
    return ExitCodeOf(tally_, options_, Interrupted());
  }

 private:
  Implementation& implementation() { return *answering_.implementation; }

  // What was judged stays, whatever becomes of a file.
  int Fail(const std::string& problem) {
    if (tally_.sequences() == 0) report_.Discard();
    return Unusable(problem);
  }

  std::string OpenJournal() {
    if (options_.journal.empty()) return {};
    const std::string path = FromUsersFolder(options_.journal);
    const std::string text = CampaignText(options_, answering_.text);
    auto known = ReadJournal(path, text);
    if (auto* problem = std::get_if<std::string>(&known)) return *problem;
    earlier_ = std::get<JournalContent>(std::move(known));
    for (const auto& [index, result] : earlier_) campaign_.done.insert(index);
    auto opened = Journal::Open(path, text);
    if (auto* problem = std::get_if<std::string>(&opened)) return *problem;
    journal_ = std::get<std::unique_ptr<Journal>>(std::move(opened));
    return {};
  }

  void Draw() {
    Progress progress("sequences", campaign_.sequences, isatty(STDERR_FILENO) == 1);
    uint64_t next = campaign_.first;
    const auto add_earlier = [&](uint64_t until) {
      for (; next < until; ++next)
        if (const auto known = earlier_.find(next); known != earlier_.end())
          AddEarlier(known->second);
    };
    const auto on_judged = [&](const Judged& judged) {
      add_earlier(judged.result.index);
      next = judged.result.index + 1;
      tally_.Add(judged.result);
      examples_.Add(judged);
      Keep(judged);
      const uint64_t failed = tally_.With(SequenceVerdict::kFailed);
      progress.At(tally_.sequences(), failed == 0 ? "" : fmt::format("{} failed", failed));
    };
    const bool finished = RunCampaign(implementation(), campaign_, on_judged, Interrupted());
    if (finished) add_earlier(campaign_.first + campaign_.sequences);
  }

  // A journal has no histories: where they come out the same again, what was found is shown again.
  void AddEarlier(const SequenceResult& result) {
    tally_.Add(result);
    if (result.findings.empty() || !implementation().concurrent()) return;
    examples_.Add(
        JudgeOne(implementation(), ConversationOf(campaign_, result.index), options_.property));
  }

  void Keep(const Judged& judged) {
    if (journal_ != nullptr && problem_.empty())
      if (std::string problem = journal_->Add(judged.result); !problem.empty())
        problem_ = fmt::format("{}: {}", options_.journal, problem);
    if (options_.keep && problem_.empty())
      problem_ = report_.WriteConversation(judged.result.index, judged.history);
    if (!problem_.empty()) StopWork();
  }

  // The shortest conversation that the examples lead to, as a file.
  void WriteFindings() {
    for (CountedFinding& counted : tally_.findings()) {
      const std::vector<Judged>* examples = examples_.Of(counted.finding);
      if (examples == nullptr || examples->empty()) continue;
      History shortest = examples->front().history;
      if (options_.shrink && implementation().concurrent())
        for (const Judged& example : *examples) ShrinkExample(example, &counted.finding, &shortest);
      std::filesystem::path path;
      if (std::string problem = report_.WriteFinding(counted.finding, shortest, &path);
          !problem.empty()) {
        problem_ = problem;
        return;
      }
      counted.replay = fmt::format("cmcheck replay {} {}", path.string(), answering_.options);
    }
    std::stable_sort(tally_.findings().begin(), tally_.findings().end(),
                     [](const CountedFinding& a, const CountedFinding& b) {
                       return a.finding.calls < b.finding.calls;
                     });
  }

  void ShrinkExample(const Judged& example, Finding* finding, History* shortest) {
    const std::optional<Shrunk> shrunk = Shrink(implementation(), example.history.conversation,
                                                *finding, kShrinkAttempts, nullptr, Interrupted());
    if (!shrunk) return;
    const History& history = shrunk->judged.history;
    if (finding->calls > 0 && CallCount(history.conversation) >= finding->calls) return;
    const uint64_t index = finding->index;
    *finding = shrunk->finding;
    finding->index = index;
    finding->calls = CallCount(history.conversation);
    *shortest = history;
  }

  const RunOptions& options_;
  Answering answering_;
  CampaignOptions campaign_;
  Report report_;
  std::unique_ptr<Journal> journal_;
  JournalContent earlier_;
  Tally tally_;
  Examples examples_;
  std::string problem_;
};

}  // namespace

void AddCampaignOptions(Verb verb, RunOptions* options) {
  constexpr uint64_t kMost = 1'000'000'000'000;
  AddSetting(verb, &options->asked);
  verb.Text("--topology", &options->topology,
            "One of: " + TopologyNames() +
                ", or a file with one as text; or several as NAME:WEIGHT,...; default: all");
  verb.Number("--seed", &options->seed, "What the sequences are drawn from");
  verb.Number("--first", &options->first, uint64_t{0}, kMost, "Number of the first sequence");
  verb.Number("--sequences", &options->sequences, uint64_t{1}, kMost, "How many sequences");
  verb.Number("--calls", &options->calls, 1, 1000, "About how many calls a sequence makes");
  verb.Text("--walk", &options->walk, "Only this walk; `cmcheck list walks`");
  verb.Number("--jobs", &options->jobs, 0, 1024,
              "How many sequences at a time; default: processors");
  verb.Text("--report", &options->report, "Folder for the report");
  verb.Text("--conversations", &options->conversations,
            "A file or a folder of .conv: carry these out, and draw none");
  verb.Text("--only", &options->only, "These sequences, not a range: 3,5,8");
}

void AddRunOptions(Verb verb, RunOptions* options) {
  AddAnswering(verb, &options->asked);
  AddCampaignOptions(verb, options);
  verb.Text("--property", &options->property, "Only this claim; `cmcheck list properties`");
  verb.Text("--json", &options->json, "Where the results go as JSON, besides the report");
  verb.PerCent("--max-inconclusive", &options->max_inconclusive,
               "Per cent of the sequences that may be inconclusive");
  verb.Text("--journal", &options->journal,
            "Results of each sequence as they come; a run continues where it ended");
  verb.Flag("--keep", &options->keep, "Keep every conversation in the report");
  verb.Flag("!--no-shrink", &options->shrink, "Leave findings as they were drawn");
}

std::variant<CampaignOptions, std::string> CampaignOf(const RunOptions& options,
                                                      const Profile& profile,
                                                      Capabilities capabilities) {
  CampaignOptions campaign{.first = options.first,
                           .sequences = options.sequences,
                           .property = options.property,
                           .jobs = options.jobs,
                           .done = {}};
  if (campaign.jobs == 0) campaign.jobs = static_cast<int>(std::thread::hardware_concurrency());
  DrawOptions& draw = campaign.draw;
  draw.profile = profile;
  draw.capabilities = capabilities;
  draw.seed = options.seed;
  draw.calls = options.calls;
  draw.walk = options.walk;
  if (!options.asked.capabilities.empty()) {
    const auto asked = ParseCapabilities(options.asked.capabilities);
    if (!asked)
      return fmt::format("--capabilities '{}' is no list of capabilities; here all are '{}'",
                         options.asked.capabilities, ToString(capabilities));
    draw.capabilities = *asked;
  }
  if (!options.walk.empty() && FindWalk(options.walk) == nullptr)
    return fmt::format("there is no walk '{}'; walks are {}", options.walk, WalkNames());
  if (!options.property.empty() && !IsClaim(options.property))
    return fmt::format("there is no property '{}'; `cmcheck list properties` has the names",
                       options.property);
  auto shares = SharesOf(options.topology);
  if (auto* problem = std::get_if<std::string>(&shares)) return std::move(*problem);
  draw.topologies = WalkableShares(draw, std::get<std::vector<TopologyShare>>(shares));
  if (draw.topologies.empty())
    return fmt::format("walk {} needs what this environment{} cannot do", options.walk,
                       options.topology.empty() ? "" : " with topology " + options.topology);
  if (draw.topologies.size() == 1) draw.topology = draw.topologies.front().topology;
  if (!options.conversations.empty())
    if (std::string problem = TakeGiven(options.conversations, &campaign); !problem.empty())
      return problem;
  if (std::string problem = ChooseNumbers(options.only, &campaign); !problem.empty())
    return problem;
  return campaign;
}

std::string CampaignText(const RunOptions& options, const std::string& implementation) {
  std::string text =
      fmt::format("{} profile={} topology={} seed={} calls={} walk={} property={} caps={}",
                  implementation, options.asked.profile, options.topology, options.seed,
                  options.calls, options.walk, options.property, options.asked.capabilities);
  if (!options.conversations.empty()) text += " conversations=" + options.conversations;
  return text;
}

int ExitCodeOf(const Tally& tally, const RunOptions& options, bool interrupted) {
  if (interrupted) return kExitInterrupted;
  if (tally.failed()) return kExitFound;
  const auto basis_points = static_cast<uint64_t>(std::llround(options.max_inconclusive * 100.0));
  return tally.TooInconclusive(basis_points) ? kExitInconclusive : kExitClean;
}

std::string Publish(const Tally& tally, const CampaignName& name, const Profile& profile,
                    const RunOptions& options, Capabilities capabilities) {
  const std::filesystem::path folder = FromUsersFolder(options.report);
  const std::string json = ToJson(tally, name, profile);
  TableOptions table{.colours = ColoursOn(STDOUT_FILENO), .capabilities = capabilities};
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

int Run(const RunOptions& options) {
  auto resolved = Resolve(options.asked);
  if (auto* problem = std::get_if<std::string>(&resolved)) return Unusable(*problem);
  Answering answering = std::get<Answering>(std::move(resolved));
  auto campaign = CampaignOf(options, answering.implementation->profile(),
                             answering.implementation->capabilities());
  if (auto* problem = std::get_if<std::string>(&campaign)) return Unusable(*problem);
  return Runner(options, std::move(answering), std::get<CampaignOptions>(std::move(campaign))).Go();
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
  verb.Does([options] { return Run(*options); });
}

}  // namespace cm
