#include "conformance/suite/suite.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/adapters/dl/dl_adapter.h"
#include "conformance/adapters/exec/nodes.h"
#include "conformance/adapters/exec/site.h"
#include "conformance/defects/defective_sim.h"
#include "conformance/properties/registry.h"
#include "conformance/runner/campaign.h"
#include "conformance/runner/profile_file.h"
#include "conformance/runner/tally.h"
#include "conformance/suite/drawn_by_rapidcheck.h"
#include "model/conversation/print.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

// The implementation, and the campaign's result, for all tests of the program.
struct Stand {
  SuiteFlags flags;
  std::string problem;  // error when there is no implementation
  std::unique_ptr<Implementation> implementation;
  CampaignOptions campaign;
  Tally tally;
};

// Of what is drawn; or the error in the flags.
std::variant<std::vector<TopologyShare>, std::string> TopologiesOf(const SuiteFlags& flags) {
  if (!flags.site.empty()) {
    const auto site = LoadSite(flags.site);
    if (const auto* problem = std::get_if<std::string>(&site)) return *problem;
    return std::vector<TopologyShare>{
        {.topology = TopologyRef(TopologyOf(std::get<Site>(site))), .weight = 1}};
  }
  std::vector<TopologyShare> shares;
  for (const Topology& topology : Topologies())
    if (flags.topology.empty() || topology.name == flags.topology)
      shares.push_back({.topology = &topology, .weight = 1});
  if (shares.empty()) return fmt::format("there is no topology '{}'", flags.topology);
  return shares;
}

void RunCampaignOn(Stand* stand) {
  CampaignOptions& campaign = stand->campaign;
  campaign.sequences = stand->flags.sequences;
  campaign.jobs = static_cast<int>(std::thread::hardware_concurrency());
  campaign.draw.profile = stand->implementation->profile();
  campaign.draw.capabilities = stand->implementation->capabilities();
  campaign.draw.seed = stand->flags.seed;
  campaign.draw.calls = stand->flags.calls;
  auto topologies = TopologiesOf(stand->flags);
  if (auto* problem = std::get_if<std::string>(&topologies)) {
    stand->problem = std::move(*problem);
    return;
  }
  campaign.draw.topologies = std::get<std::vector<TopologyShare>>(std::move(topologies));
  DrawOnlyFor(*stand->implementation, &campaign.draw);
  const std::atomic<bool> never{false};
  const bool finished = RunCampaign(
      *stand->implementation, campaign,
      [&](const SequenceRun& judged) { stand->tally.Add(judged.result); }, never);
  if (!finished) stand->problem = "stopped: " + stand->implementation->Spoiled();
  stand->tally.Conclude({.capabilities = campaign.draw.capabilities,
                         .every_walk = stand->flags.topology.empty() && stand->flags.site.empty(),
                         .every_property = true,
                         .every_call = !stand->implementation->LeavesOut()},
                        campaign.draw.profile);
}

std::string FindingsAgainst(const Tally& tally, std::string_view claim) {
  std::string text;
  for (const CountedFinding& counted : tally.findings()) {
    const Finding& finding = counted.finding;
    if (finding.id == claim || finding.about == claim)
      text += fmt::format("sequence {}: {}\n  saw {}\n  permitted {}\n  source {}\n", finding.index,
                          finding.where, finding.saw, finding.permitted, finding.source);
  }
  return text;
}

class Claim : public testing::Test {
 public:
  Claim(const Stand* stand, std::string id) : stand_(stand), id_(std::move(id)) {}

  void TestBody() override {
    ASSERT_EQ(stand_->problem, "");
    EXPECT_EQ(stand_->tally.Against(id_), 0u) << FindingsAgainst(stand_->tally, id_);
  }

 private:
  const Stand* stand_;
  std::string id_;
};

// Preconditions of the properties.
class WasAsked : public testing::Test {
 public:
  explicit WasAsked(const Stand* stand) : stand_(stand) {}

  void TestBody() override {
    ASSERT_EQ(stand_->problem, "");
    EXPECT_EQ(stand_->tally.sequences(), stand_->flags.sequences);
    EXPECT_GT(stand_->tally.With(Verdict::kPassed), 0u);
    // Between two hosts there are processes that a kernel holds back for minutes.
    const uint64_t basis_points = stand_->flags.site.empty() ? 200 : 1500;
    EXPECT_FALSE(stand_->tally.TooInconclusive(basis_points));
  }

 private:
  const Stand* stand_;
};

class DrawnByRapidcheck : public testing::Test {
 public:
  explicit DrawnByRapidcheck(const Stand* stand) : stand_(stand) {}

  void TestBody() override {
    ASSERT_EQ(stand_->problem, "");
    DrawOptions draw = stand_->campaign.draw;
    draw.index = stand_->campaign.sequences;  // behind those of the campaign
    EXPECT_EQ(CheckWithRapidcheck(*stand_->implementation, draw), "");
  }

 private:
  const Stand* stand_;
};

std::string TestName(std::string_view id) {
  std::string name(id);
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

void RegisterTests(const Stand* stand) {
  const auto add = [](const char* suite, const std::string& name, auto make) {
    testing::RegisterTest(suite, name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [make]() -> testing::Test* { return make(); });
  };
  add("Implementation", "WasAsked", [stand] { return new WasAsked(stand); });
  for (const std::string_view id : {kRowsId, kLeakId, kWireId})
    add("Claim", TestName(id), [stand, id] { return new Claim(stand, std::string(id)); });
  for (const Property& property : Properties())
    add("Claim", TestName(property.id),
        [stand, &property] { return new Claim(stand, std::string(property.id)); });
  add("Rapidcheck", "FindsNothingToObjectTo", [stand] { return new DrawnByRapidcheck(stand); });
}

// Empty, or the error in the flags.
std::string ReadFlags(int argc, char** argv, SuiteFlags* flags) {
  CLI::App app("The catalogue against one implementation", "properties_test");
  app.add_option("--impl", flags->impl, "sim, dl or dl:PATH");
  app.add_option("--defect", flags->defect, "A named defect of sim");
  app.add_option("--profile", flags->profile, "A name or a file");
  app.add_option("--topology", flags->topology, "One topology; default: all");
  app.add_option("--site", flags->site, "File of two hosts (docs/nodes.md)");
  app.add_option("--allow", flags->allow, "What may be done to these hosts");
  app.add_option("--seed", flags->seed, "Seed of the sequences");
  app.add_option("--sequences", flags->sequences, "How many")->check(CLI::PositiveNumber);
  app.add_option("--calls", flags->calls, "About how many calls a sequence makes");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {  // thrown by CLI11; caught here
    return problem.get_exit_code() == 0 ? app.help() : problem.what();
  }
  if (flags->site.empty())
    return flags->allow.empty() ? "" : "--allow: of the hosts of a --site, or of RDMA_CM_SITE";
  for (const char* of_one_program : {"--impl", "--defect", "--topology"})
    if (app.count(of_one_program) != 0)
      return fmt::format("{}: the hosts of the site {} have their own", of_one_program,
                         flags->site);
  return {};
}

}  // namespace

std::variant<std::unique_ptr<Implementation>, std::string> MakeSimOrDl(const SuiteFlags& flags) {
  auto loaded = LoadProfile(flags.profile);
  if (auto* problem = std::get_if<std::string>(&loaded)) return std::move(*problem);
  const Profile& profile = std::get<Profile>(loaded);
  if (flags.impl == "sim") {
    auto sim = MakeDefectiveSim(
        {.profile = profile, .watch_wire = true, .capabilities = profile.capabilities},
        flags.defect);
    if (sim == nullptr) return fmt::format("there is no defect '{}'", flags.defect);
    return sim;
  }
  DlOptions options{.profile = profile};
  if (flags.impl.starts_with("dl:"))
    options.path = flags.impl.substr(3);
  else if (flags.impl != "dl")
    return fmt::format("there is no implementation '{}'; accepted are sim, dl, dl:PATH",
                       flags.impl);
  if (std::string problem = Probe(options); !problem.empty()) return problem;
  return MakeDlImplementation(std::move(options), MakeBarePlace());
}

std::variant<std::unique_ptr<Implementation>, std::string> MakeNodes(const SuiteFlags& flags) {
  auto site = LoadSite(flags.site);
  if (auto* problem = std::get_if<std::string>(&site)) return std::move(*problem);
  auto own = LoadBasesOfSides(flags.profile);
  if (auto* problem = std::get_if<std::string>(&own)) return std::move(*problem);
  auto joint = LoadProfile(flags.profile);
  if (auto* problem = std::get_if<std::string>(&joint)) return std::move(*problem);
  const auto lost = [](std::string_view side, const std::string& what) {
    fmt::print(stderr, "{}: {}; the agent is started again\n", side, what);
  };
  return MakeNodesImplementation({.site = std::get<Site>(std::move(site)),
                                  .allow = flags.allow,
                                  .own = std::get<std::pair<Profile, Profile>>(std::move(own)),
                                  .joint = std::get<Profile>(std::move(joint)),
                                  .lost = lost});
}

int RunSuite(int argc, char** argv, SuiteFlags defaults, const MakeImplementation& make) {
  testing::InitGoogleTest(&argc, argv);
  Stand stand{.flags = std::move(defaults),
              .problem = {},
              .implementation = {},
              .campaign = {},
              .tally = {}};
  if (const std::string problem = ReadFlags(argc, argv, &stand.flags); !problem.empty()) {
    fmt::print(stderr, "properties_test: {}\n", problem);
    return 2;
  }
  auto made = stand.flags.site.empty() ? make(stand.flags) : MakeNodes(stand.flags);
  if (auto* problem = std::get_if<std::string>(&made)) {
    stand.problem = *problem;
  } else {
    stand.implementation = std::get<std::unique_ptr<Implementation>>(std::move(made));
    RunCampaignOn(&stand);
  }
  RegisterTests(&stand);
  return RUN_ALL_TESTS();
}

}  // namespace cm
