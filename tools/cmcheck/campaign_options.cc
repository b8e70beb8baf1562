// Builds a campaign from the options of `run`.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/adapters/exec/site.h"
#include "conformance/properties/registry.h"
#include "conformance/walks/draw_options.h"
#include "conformance/walks/walk.h"
#include "model/base/digest.h"
#include "model/base/files.h"
#include "model/conversation/fault_check.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "model/vocabulary/topology_ref.h"
#include "tools/cmcheck/conversation_file.h"
#include "tools/cmcheck/run.h"

namespace cm {
namespace {

bool IsClaim(const std::string& id) {
  return FindProperty(id) != nullptr || id == kRowsId || id == kLeakId || id == kWireId;
}

std::string WalkNames() {
  std::vector<std::string_view> names;
  for (const Walk& walk : Walks()) names.push_back(walk.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// The topologies that the walk can use.
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

// The needs of the walk, where no topology is left for it.
std::string WhyNotWalkable(const DrawOptions& draw, const std::string& topology) {
  const Walk* const walk = FindWalk(draw.walk);
  const Capabilities missing =
      walk == nullptr ? Capabilities() : Lacking(walk->needs, draw.capabilities);
  if (missing.bits() == 0)
    return fmt::format("walk {} needs a bond: topology {} has none", draw.walk, topology);
  const bool by_profile = Lacking(missing, draw.profile.capabilities) == missing;
  return fmt::format("walk {} needs {}, which {}", draw.walk, ToString(missing),
                     by_profile ? fmt::format("profile {} does not have", draw.profile.name)
                                : fmt::format("this environment cannot do, but '{}'",
                                              ToString(draw.capabilities)));
}

// A built-in topology, or that of a file: of a conversation or a site. Sequences are drawn for its
// first two sides.
std::variant<TopologyRef, std::string> TopologyNamed(const std::string& name) {
  if (const Topology* built_in = FindTopology(name)) return TopologyRef(built_in);
  if (!std::filesystem::exists(name))
    return fmt::format("there is no topology '{}', nor a file; topologies are {}", name,
                       TopologyNames());
  if (name.ends_with(".json")) {
    auto site = LoadSite(name);
    if (auto* problem = std::get_if<std::string>(&site)) return std::move(*problem);
    return TopologyRef(TopologyOf(std::get<Site>(site)));
  }
  auto read = ReadConversationFile(name);
  if (auto* problem = std::get_if<std::string>(&read)) return std::move(*problem);
  const TopologyRef& own = std::get<ConversationFile>(read).conversation.topology;
  if (own->sides.size() < 2 || own->IsTester(kActiveSide) || own->IsTester(kPassiveSide))
    return fmt::format("{}: topology {}: its first two sides must be of applications", name,
                       own->name);
  return own;
}

// What conversations are drawn on when no topology is asked for.
std::vector<TopologyShare> MixedTopologies() {
  return {{.topology = FindTopology("two-kernels"), .weight = 4},
          {.topology = FindTopology("one-kernel-two-devices"), .weight = 3},
          {.topology = FindTopology("bond"), .weight = 2}};
}

// "NAME" or "NAME:WEIGHT,NAME:WEIGHT"; empty: all of them.
std::variant<std::vector<TopologyShare>, std::string> SharesOf(const std::string& text) {
  if (text.empty()) return MixedTopologies();
  std::vector<TopologyShare> shares;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const size_t colon = part.find(':');
    auto topology = TopologyNamed(part.substr(0, colon));
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

// Empty, or the error in the list. Given conversations have been read.
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

// Reads the files' conversations. Empty, or the error in one. A conversation that takes place where
// this campaign does not is moved to the first place of the campaign, unless it brings a topology
// of its own or has sides that are missing there; where its faults have no effect there it is
// refused, if it is the only one, and else not carried out.
std::string TakeGiven(const std::string& path, CampaignOptions* campaign) {
  if (std::string problem = WhyUnreadable(path); !problem.empty()) return problem;
  const std::vector<std::string> files = ConversationFilesIn(path);
  for (const std::string& file : files) {
    auto read = ReadConversationFile(file);
    if (auto* problem = std::get_if<std::string>(&read)) return *problem;
    const ConversationFile& given = std::get<ConversationFile>(read);
    Conversation conversation = given.conversation;
    const bool settled =
        conversation.profile.empty() || conversation.profile == campaign->draw.profile.name;
    std::string profile = settled ? "the run's" : "";
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

}  // namespace

void AddCampaignOptions(Verb verb, RunOptions* options) {
  constexpr uint64_t kMost = 1'000'000'000'000;
  AddSetting(verb, &options->asked);
  verb.Text("--topology", &options->topology,
            "One of: " + TopologyNames() +
                ", or a file with one as text; or several as NAME:WEIGHT,...; default: all");
  verb.Number("--seed", &options->seed, "Seed of the sequences");
  verb.Number("--first", &options->first, uint64_t{0}, kMost, "Number of the first sequence");
  verb.Number("--sequences", &options->sequences, uint64_t{1}, kMost, "Number of sequences");
  verb.Number("--calls", &options->calls, 1, 1000,
              "Approximate number of calls in a sequence of the walk random");
  verb.Text("--walk", &options->walk, "Only this walk; `cmcheck list walks`");
  verb.Number("-j,--jobs", &options->jobs, 0, 1024, "Concurrent sequences; 0: one per processor");
  verb.Text("--report", &options->report, "Folder for the report");
  verb.Text("--conversations", &options->conversations,
            "A file or a folder of .conv: carry these out, and draw none");
  verb.Text("--only", &options->only, "These sequences, not a range: 3,5,8");
}

void AddRunOptions(Verb verb, RunOptions* options) {
  AddAnswering(verb, &options->asked);
  AddCampaignOptions(verb, options);
  verb.Text("--property", &options->property, "Only this property; `cmcheck list properties`");
  verb.Text("--json", &options->json, "File for the results as JSON, besides the report");
  verb.PerCent("--max-inconclusive", &options->max_inconclusive,
               "Per cent of the sequences that may be inconclusive; of --impl nodes 15");
  verb.Text("--journal", &options->journal,
            "File for the result of each sequence; a run continues where it ended");
  verb.Flag("--keep", &options->keep,
            "Keep every conversation in the report; those of --only are kept anyway");
  verb.Flag("!--no-shrink", &options->shrink, "Do not shrink findings");
}

std::filesystem::path GivenOf(const RunOptions& options) {
  return options.conversations.empty() ? "" : FromUsersFolder(options.conversations);
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
  if (IsOfWholeCampaign(options.property))
    return fmt::format("{} is a property of a whole campaign: it is judged without --property",
                       options.property);
  if (!options.property.empty() && !IsClaim(options.property))
    return fmt::format("there is no property '{}'; `cmcheck list properties` has the names",
                       options.property);
  auto shares = SharesOf(options.topology);
  if (auto* problem = std::get_if<std::string>(&shares)) return std::move(*problem);
  draw.topologies = WalkableShares(draw, std::get<std::vector<TopologyShare>>(shares));
  if (draw.topologies.empty()) return WhyNotWalkable(draw, options.topology);
  if (draw.topologies.size() == 1) draw.topology = draw.topologies.front().topology;
  if (!options.conversations.empty())
    if (std::string problem = TakeGiven(options.conversations, &campaign); !problem.empty())
      return problem;
  if (std::string problem = ChooseNumbers(options.only, &campaign); !problem.empty())
    return problem;
  return campaign;
}

std::string WhyContradictory(const Verb& verb) {
  constexpr std::pair<const char*, const char*> kApart[] = {
      {"--conversations", "--walk"}, {"--conversations", "--calls"}, {"--conversations", "--seed"},
      {"--only", "--first"},         {"--only", "--sequences"},
  };
  for (const auto& [one, other] : kApart)
    if (verb.Given(one) && verb.Given(other))
      return fmt::format("{} and {} do not go together: {}", one, other,
                         std::string_view(one) == "--only"
                             ? "numbers are no range"
                             : "what is given is carried out, and nothing is drawn");
  return {};
}

std::string DigestOfFiles(const RunOptions& options, const std::string& implementation) {
  Digest digest;
  bool any = false;
  const auto add = [&](const std::string& name, const std::string& path) {
    const auto content = ReadFile(FromUsersFolder(path));
    if (!content) return;
    digest.Text(name);
    digest.Text(*content);
    any = true;
  };
  if (FindProfile(options.asked.profile) == nullptr) add("profile", options.asked.profile);
  std::istringstream shares(options.topology);
  for (std::string share; std::getline(shares, share, ',');) {
    const std::string name = share.substr(0, share.find(':'));
    if (FindTopology(name) == nullptr) add("topology", name);
  }
  if (!options.conversations.empty()) {
    const std::filesystem::path folder = FromUsersFolder(options.conversations);
    for (const std::string& file : ConversationFilesIn(options.conversations))
      add(std::filesystem::path(FromUsersFolder(file)).lexically_relative(folder).string(), file);
  }
  const std::string library = implementation.substr(implementation.find(':') + 1);
  if (library.find('/') != std::string::npos) add("library", library);
  return any ? fmt::format("{:016x}", digest.Value()) : "";
}

std::string CampaignText(const RunOptions& options, const std::string& implementation,
                         const std::string& digest_of_files) {
  std::string text =
      fmt::format("{} profile={} topology={} seed={} calls={} walk={} property={} caps={}",
                  implementation, options.asked.profile, options.topology, options.seed,
                  options.calls, options.walk, options.property, options.asked.capabilities);
  if (!options.conversations.empty()) text += " conversations=" + options.conversations;
  if (!digest_of_files.empty()) text += " files=" + digest_of_files;
  return text;
}

std::string ArgumentsOfSequence(const RunOptions& options, uint64_t index) {
  const RunOptions defaults;
  std::string text;
  const auto add = [&text](std::string_view name, const std::string& value,
                           const std::string& otherwise) {
    if (value != otherwise) text += fmt::format("{} {} ", name, ShellWord(value));
  };
  add("--profile", options.asked.profile, defaults.asked.profile);
  add("--capabilities", options.asked.capabilities, defaults.asked.capabilities);
  add("--topology", options.topology, defaults.topology);
  add("--property", options.property, defaults.property);
  if (!options.conversations.empty())
    return text + "--conversations " + ShellWord(ConversationFilesIn(options.conversations)[index]);
  add("--walk", options.walk, defaults.walk);
  return fmt::format("{}--seed {} --calls {} --only {}", text, options.seed, options.calls, index);
}

}  // namespace cm
