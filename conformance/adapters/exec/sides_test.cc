#include "conformance/adapters/exec/sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/exec/dialects.h"
#include "conformance/adapters/exec/exec_adapter.h"
#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/refused_session.h"
#include "conformance/process/descriptor.h"
#include "conformance/process/process.h"
#include "conformance/runner/campaign.h"
#include "model/base/duration.h"
#include "model/base/own_folder.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::atomic<bool> kNever{false};

// Two processes, which share the simulator's world: each is asked for the lines of its side.
class TwoProcesses : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = MakeOwnFolder("/tmp/sides");  // short: a socket's path
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Implementation> Side(const std::string& manners) const {
    auto made = MakeExecImplementation(
        {.place = {.command = "python3 conformance/adapters/exec/shared_world.py " + manners + " " +
                              folder_ + " conformance/adapters/exec/sim_driver"},
         .profile = *FindProfile("6.1-rxe"),
         .patience = Duration()});
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Implementation>>(made))
        << std::get<std::string>(made);
    return std::get<std::unique_ptr<Implementation>>(std::move(made));
  }

  std::unique_ptr<Implementation> Both(const std::string& active,
                                       const std::string& passive) const {
    std::vector<OneSide> sides;
    sides.push_back({.side = "active", .implementation = Side(active)});
    sides.push_back({.side = "passive", .implementation = Side(passive)});
    return std::get<std::unique_ptr<Implementation>>(
        MakeSidesImplementation(std::move(sides), *FindProfile("6.1-rxe")));
  }

  std::string folder_;
};

// Concurrent calls of both sides have no order that two processes could agree on.
CampaignOptions Drawn(const Implementation& implementation, uint64_t sequences) {
  CampaignOptions options{.sequences = sequences};
  options.draw.seed = 7;
  options.draw.capabilities = implementation.capabilities().Without(Capability::kLanes);
  options.draw.profile = implementation.profile();
  options.draw.topology = FindTopology("two-kernels");
  return options;
}

std::vector<SequenceRun> RunsOf(Implementation& implementation, const CampaignOptions& options) {
  std::vector<SequenceRun> runs;
  RunCampaign(
      implementation, options, [&](const SequenceRun& run) { runs.push_back(run); }, kNever);
  return runs;
}

TEST_F(TwoProcesses, HaveTheHistoriesOfTheSimulator) {
  const Profile& profile = *FindProfile("6.1-rxe");
  const auto sides = Both("", "");
  EXPECT_THAT(sides->name(), HasSubstr("active: sim"));
  const CampaignOptions options = Drawn(*sides, 300);
  const auto sim = MakeSimImplementation(
      {.profile = profile, .watch_wire = true, .capabilities = profile.capabilities});
  const std::vector<SequenceRun> expected = RunsOf(*sim, options);
  const std::vector<SequenceRun> runs = RunsOf(*sides, options);
  EXPECT_THAT(sides->Spoiled(), IsEmpty());
  ASSERT_EQ(runs.size(), expected.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].result.verdict, Verdict::kPassed) << ToText(runs[i].history);
    EXPECT_EQ(DigestOf(runs[i].history, i), DigestOf(expected[i].history, i));
    EXPECT_EQ(WireDigestOf(runs[i].history, i), WireDigestOf(expected[i].history, i));
  }
}

// The answer of one call is altered on its way, so the conversation is refused at a call of that
// side, or at one of its objects later.
TEST_F(TwoProcesses, AreRefusedWhereOneLies) {
  for (const auto& [active, passive] : {std::pair{"--lie 3", ""}, {"", "--lie 6"}}) {
    const auto sides = Both(active, passive);
    int failed = 0;
    for (const SequenceRun& run : RunsOf(*sides, Drawn(*sides, 40)))
      failed += run.result.verdict == Verdict::kFailed ? 1 : 0;
    EXPECT_THAT(sides->Spoiled(), IsEmpty());
    EXPECT_GT(failed, 30) << active << passive;
    TearDown();
    SetUp();
  }
}

Conversation Connecting() {
  return std::get<Conversation>(ParseConversation(
      "topology two-kernels\nprofile 6.1-rxe\npassive listening L on=S port=7471\n"
      "active connecting A on=C to=passive:7471\npassive accepting P on=S\n"
      "active taking C\npassive taking S\nactive rdma_disconnect A\n"));
}

// It is named by the finding, and started again for the next conversation.
TEST_F(TwoProcesses, AreFoundWhereOneDies) {
  const auto sides = Both("", "--die 4");
  for (int i = 0; i < 3; ++i) {
    const SequenceRun run = RunOne(*sides, Connecting(), "");
    ASSERT_FALSE(run.result.findings.empty());
    EXPECT_THAT(run.result.findings.front().saw, HasSubstr("crashed"));
    EXPECT_THAT(run.result.findings.front().where, HasSubstr("passive"));
  }
  EXPECT_THAT(sides->Spoiled(), IsEmpty());
}

// The world's process may be killed before it has read what a side asks: the connection is reset
// then.
TEST_F(TwoProcesses, EndWithTheWorld) {
  const Descriptor listening(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
  (folder_ + "/world").copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(bind(listening.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(listening.get(), 1), 0);
  std::optional<Ends> asked = Pipe();
  ASSERT_TRUE(asked);
  auto side = Process::Start(
      {.arguments = {"python3", "conformance/adapters/exec/shared_world.py", folder_, "false"},
       .environment = {},
       .input = asked->first.get()});
  ASSERT_TRUE(std::holds_alternative<Process>(side)) << std::get<std::string>(side);
  {
    const Descriptor world(accept(listening.get(), nullptr, nullptr));
    ASSERT_EQ(write(asked->second.get(), "begin\n", 6), 6);
    pollfd readable = {.fd = world.get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(poll(&readable, 1, -1), 1);
  }
  const std::optional<int> status = std::get<Process>(side).Wait(Duration::Seconds(30));
  ASSERT_TRUE(status) << "it waits for ever";
  EXPECT_EQ(ExitCodeOf(*status), 4);
}

TEST_F(TwoProcesses, LeaveOutWhatOneLeavesOut) {
  std::vector<OneSide> sides;
  sides.push_back({.side = "active", .implementation = Side("")});
  auto toy = MakeExecImplementation(
      {.place = {.command = "python3 conformance/adapters/exec/toy_driver.py"},
       .profile = *FindProfile("6.1-rxe")});
  sides.push_back({.side = "passive",
                   .implementation = std::get<std::unique_ptr<Implementation>>(std::move(toy))});
  const Capabilities of_toy = sides.back().implementation->capabilities();
  const auto both = std::get<std::unique_ptr<Implementation>>(
      MakeSidesImplementation(std::move(sides), *FindProfile("6.1-rxe")));
  EXPECT_EQ(both->capabilities(), of_toy.Without(Capability::kTester));
  const SequenceRun run =
      RunOne(*both,
             std::get<Conversation>(ParseConversation("topology two-kernels\nprofile 6.1-rxe\n"
                                                      "passive rdma_get_devices D\n")),
             "");
  EXPECT_EQ(run.result.verdict, Verdict::kUnsupported);
  EXPECT_EQ(run.result.reason, "passive: the driver leaves out devices");
}

TEST(ParseSides, TakesEitherOrderAndAnyCommand) {
  for (const char* text : {"active=exec:a -x b=1,c,passive=tcp:localhost:7180",
                           "passive=tcp:localhost:7180,active=exec:a -x b=1,c"}) {
    const auto parsed = ParseSides(text);
    const auto* sides = std::get_if<std::vector<SideText>>(&parsed);
    ASSERT_NE(sides, nullptr) << text;
    ASSERT_EQ(sides->size(), 2u);
    EXPECT_EQ(sides->front().side, "active");
    EXPECT_EQ(sides->front().what, "exec:a -x b=1,c");
    EXPECT_EQ(sides->back().what, "tcp:localhost:7180");
  }
}

TEST(ParseSides, SaysWhatIsMissing) {
  for (const auto& [text, problem] : {std::pair{"", "there is no active side"},
                                      {"active=dl", "there is no passive side"},
                                      {"active=,passive=dl", "there is nothing behind active="},
                                      {"active=dl,passive=", "there is nothing behind passive="}}) {
    const auto parsed = ParseSides(text);
    ASSERT_TRUE(std::holds_alternative<std::string>(parsed)) << text;
    EXPECT_THAT(std::get<std::string>(parsed), HasSubstr(problem));
  }
}

// A host that can do something to itself, and carries out nothing.
class Able : public Implementation {
 public:
  explicit Able(Capabilities capabilities) : capabilities_(capabilities) {}
  std::string name() const override { return "able"; }
  const Profile& profile() const override { return *FindProfile("6.1-rxe"); }
  Capabilities capabilities() const override { return capabilities_; }
  std::unique_ptr<Session> Start(const Conversation& conversation) override {
    return RefuseSession(ToText(conversation));
  }

 private:
  Capabilities capabilities_;
};

class OneSideCan : public testing::Test {
 protected:
  static std::unique_ptr<Implementation> Sides(Capabilities active, Capabilities passive) {
    std::vector<OneSide> sides;
    sides.push_back({.side = "active", .implementation = std::make_unique<Able>(active)});
    sides.push_back({.side = "passive", .implementation = std::make_unique<Able>(passive)});
    return std::get<std::unique_ptr<Implementation>>(
        MakeSidesImplementation(std::move(sides), *FindProfile("6.1-rxe")));
  }
  static Conversation With(const std::string& fault) {
    return std::get<Conversation>(
        ParseConversation("topology two-kernels\nprofile 6.1-rxe\nfault " + fault + "\nheal\n"));
  }
};

TEST_F(OneSideCan, AndFaultsAreDrawnForThatOneOnly) {
  const Capabilities all{Capability::kLink, Capability::kDrop, Capability::kDuplicateAddress,
                         Capability::kTime};
  const auto sides = Sides(all, {});
  EXPECT_EQ(sides->capabilities(), all.Without(Capability::kTime)) << "time is of both";
  EXPECT_TRUE(sides->LeavesOut());
  EXPECT_FALSE(Sides(all, all)->LeavesOut());
  for (const char* done :
       {"link-down side=active", "drop REQ from=passive", "duplicate-address side=passive"})
    EXPECT_THAT(sides->Lacks(With(done)), IsEmpty()) << done;
  for (const char* not_done :
       {"link-down side=passive", "drop REQ from=active", "duplicate-address side=active"})
    EXPECT_THAT(sides->Lacks(With(not_done)), HasSubstr("passive: it cannot do")) << not_done;
}

// Each text is a call that shows the dialect, after what has to come before it.
TEST(DialectShows, WhereTheAnswerOfTheOtherDialectIsAnother) {
  const Dialect& later = FindProfile("6.1-rxe")->dialect;
  const Dialect& earlier = FindProfile("5.10-rxe")->dialect;
  const auto of = [](const std::string& calls) {
    return std::get<Conversation>(ParseConversation(
        "topology two-kernels\nprofile 6.1-rxe\npassive rdma_create_event_channel C\n"
        "passive rdma_create_id A on=C\npassive rdma_create_id B on=null\n" +
        calls));
  };
  const std::string resolve = "passive rdma_resolve_addr A dst=active:7471\n";
  for (const auto& [before, call] :
       {std::pair<std::string, std::string>{"", "passive rdma_resolve_route A timeout_ms=0\n"},
        {resolve, resolve},
        {resolve, "passive rdma_bind_addr A addr=passive:0\n"},
        {"passive rdma_resolve_addr B dst=active:7471\n", "passive rdma_get_request B id=R\n"}}) {
    const Conversation shows = of(before + call);
    EXPECT_THAT(DialectShows(shows, 1, earlier, later), HasSubstr("its answer to \"passive rdma"))
        << call;
    EXPECT_THAT(DialectShows(shows, 0, earlier, later), IsEmpty()) << "the call is another side's";
    EXPECT_THAT(DialectShows(shows, 1, earlier, earlier), IsEmpty());
    EXPECT_THAT(DialectShows(of(before + "settle\n"), 1, earlier, later), IsEmpty());
  }
  const Conversation shows_none =
      of("passive rdma_bind_addr A addr=passive:0\n" + resolve +
         "passive rdma_resolve_route A\npassive rdma_get_request B id=R\n");
  EXPECT_THAT(DialectShows(shows_none, 1, earlier, later), IsEmpty());
}

TEST_F(OneSideCan, AndTheOtherHearsNothingOfIt) {
  const auto sides = Sides({Capability::kLink}, {Capability::kLink});
  const std::string first = sides->Start(With("link-down side=passive"))->Unsupported();
  EXPECT_THAT(first, testing::Not(HasSubstr("link-down")));
  EXPECT_THAT(first, HasSubstr("heal"));
}

}  // namespace
}  // namespace cm
