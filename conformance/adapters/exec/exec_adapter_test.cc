#include "conformance/adapters/exec/exec_adapter.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/process/descriptor.h"
#include "conformance/process/real_time.h"
#include "conformance/runner/campaign.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kAwkward = "conformance/adapters/exec/awkward_driver ";
constexpr const char* kSim = "conformance/adapters/exec/sim_driver ";
constexpr const char* kToy = "conformance/adapters/exec/toy_driver.py";
const std::atomic<bool> kNever{false};

// Long enough for a start on a busy machine; what a driver that is silent costs.
constexpr Duration kAnswersWithin = Duration::Seconds(5);
constexpr Duration kSilentFor = Duration::Seconds(2);

ExecOptions Of(const std::string& command, std::string_view profile = "6.1-rxe",
               Duration answers_within = kAnswersWithin) {
  return {.place = {.command = command, .answers_within = answers_within},
          .profile = *FindProfile(profile),
          .patience = Duration()};
}

std::unique_ptr<Implementation> Made(const ExecOptions& options) {
  auto made = MakeExecImplementation(options);
  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Implementation>>(made))
      << std::get<std::string>(made);
  return std::get<std::unique_ptr<Implementation>>(std::move(made));
}

Conversation Waiting(const std::string& line) {
  return std::get<Conversation>(
      ParseConversation("topology two-kernels\n"
                        "profile 6.1-rxe\n"
                        "active rdma_create_event_channel C\n" +
                        line + "\nactive rdma_destroy_event_channel C\n"));
}

Conversation Short() {
  return std::get<Conversation>(
      ParseConversation("topology two-kernels\n"
                        "profile 6.1-rxe\n"
                        "active rdma_create_event_channel C\n"
                        "active rdma_create_id A on=C\n"
                        "active rdma_listen A backlog=4\n"
                        "active wait C within=1ms\n"
                        "active rdma_destroy_id A\n"
                        "active rdma_destroy_event_channel C\n"));
}

uint64_t DigestsOf(Implementation& implementation, uint64_t sequences, int jobs) {
  CampaignOptions options{.sequences = sequences, .jobs = jobs};
  options.draw.seed = 3;
  options.draw.capabilities = implementation.capabilities();
  options.draw.profile = implementation.profile();
  options.draw.topology = FindTopology("two-kernels");
  uint64_t digest = 0;
  RunCampaign(
      implementation, options,
      [&](const SequenceRun& run) {
        EXPECT_EQ(run.result.verdict, Verdict::kPassed) << ToText(run.history);
        digest = digest * 31 + DigestOf(run.history, run.result.index) +
                 WireDigestOf(run.history, run.result.index);
      },
      kNever);
  return digest;
}

// An agent whose second to fourth do this, in place of serving.
std::unique_ptr<Implementation> AgentThatFirst(const std::string& does) {
  const std::string count = testing::TempDir() + "starts";
  std::filesystem::remove(count);
  ExecOptions options =
      Of("echo >>" + count + "; case $(wc -l <" + count + ") in 2|3|4) " + does + ";; 1) " +
         std::string(kAwkward) + "ends-between;; *) exec " + kAwkward + ";; esac");
  options.lost = [](const std::string& /*what*/) {};
  auto agent = Made(options);
  EXPECT_EQ(RunOne(*agent, Short(), "").result.verdict, Verdict::kPassed);
  return agent;
}

constexpr std::string_view kGreets = "printf 'cmcheck-driver 1\\nname x\\nready\\n'; read -r _; ";

class Agent : public testing::TestWithParam<std::string> {};

// The connection is lost again and again, or a busy host is too slow for one.
TEST_P(Agent, IsStartedAgainWhereTheNextOnesDoNotServe) {
  const auto agent = AgentThatFirst(GetParam());
  EXPECT_EQ(RunOne(*agent, Short(), "").result.verdict, Verdict::kPassed);
  EXPECT_THAT(agent->Spoiled(), IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(
    As, Agent,
    testing::Values("exit", std::string(kGreets) + "exit", std::string(kGreets) + "printf beg",
                    // It is a moment until the end can be seen.
                    "printf 'cmcheck-driver 1\\nname x\\nready\\nbeg'; sleep 0.1"));

// As a launcher that has to give back what it has reserved.
TEST(Driver, IsLeftTimeToEndByItself) {
  const std::string file = testing::TempDir() + "over";
  std::filesystem::remove(file);
  Made(Of(std::string(kSim) + "6.1-rxe; echo over >" + file)).reset();
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(Driver, ThatDoesNotEndIsAskedTo) {
  const std::string file = testing::TempDir() + "asked";
  std::filesystem::remove(file);
  Made(Of("trap 'echo asked >" + file + "; exit' TERM; " + kSim +
          "6.1-rxe; while :; do sleep 0.1; done"))
      .reset();
  EXPECT_TRUE(std::filesystem::exists(file));
}

// What it has started has the end of a pipe that is for writing.
TEST(Driver, LeavesNothingOfItsGroupBehind) {
  const std::string pipe = testing::TempDir() + "alive";
  std::filesystem::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Descriptor alive(open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  Made(Of("exec 9>" + pipe + "; sleep 1000 & exec " + kSim + "6.1-rxe 9>&-")).reset();
  pollfd watched{.fd = alive.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&watched, 1, 60'000), 1) << "it lives on";
}

// A listener that never accepts.
class SilentListener {
 public:
  SilentListener() {
    socklen_t size = sizeof(address_);
    EXPECT_EQ(bind(listener_.get(), where(), size), 0);
    EXPECT_EQ(listen(listener_.get(), 0), 0);
    EXPECT_EQ(getsockname(listener_.get(), where(), &size), 0);
  }
  const sockaddr* where() const { return reinterpret_cast<const sockaddr*>(&address_); }
  std::string text() const { return "127.0.0.1:" + std::to_string(ntohs(address_.sin_port)); }

 private:
  sockaddr* where() { return reinterpret_cast<sockaddr*>(&address_); }

  Descriptor listener_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address_ = {.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
};

// Why no driver was made of one that listens; empty when one was.
std::string WhyNotConnected(const std::string& address, const std::string& token = "") {
  const auto made = MakeExecImplementation(
      {.place = {.address = address, .token = token, .answers_within = Duration::Milliseconds(100)},
       .profile = *FindProfile("6.1-rxe")});
  const auto* const why = std::get_if<std::string>(&made);
  return why == nullptr ? "" : *why;
}

// As a host that is not there: one connection fills the queue of the listener.
TEST(Driver, ThatCannotBeReachedIsNotWaitedForLong) {
  const SilentListener listener;
  const Descriptor first(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(connect(first.get(), listener.where(), sizeof(sockaddr_in)), 0);
  EXPECT_THAT(WhyNotConnected(listener.text()), HasSubstr(": no answer within 100ms"));
}

// An agent waits for the token without one, and ends the connection after a wrong one.
TEST(Driver, ThatListensAndDoesNotGreetMayWantAToken) {
  EXPECT_THAT(WhyNotConnected(SilentListener().text()),
              HasSubstr("before the end of its greeting; CMCHECK_TOKEN is not set, and a driver "
                        "that listens may wait for it"));
  EXPECT_THAT(WhyNotConnected(SilentListener().text(), "barley"),
              HasSubstr("before the end of its greeting; is CMCHECK_TOKEN the token that it was "
                        "given?"));
}

TEST(Driver, HasAPortThatExists) {
  for (const std::string port : {"99999", "65536", "0", "-1", "http", "7180x"})
    EXPECT_EQ(WhyNotConnected("localhost:" + port), "tcp:localhost:" + port +
                                                        ": a port from 1 to 65535 is wanted, and "
                                                        "not \"" +
                                                        port + "\"");
}

constexpr auto kLongWaits = std::to_array<std::string_view>({"active wait C within=3s", "pass 3s"});

TEST(Driver, ThatLetsNoTimePassBreaksTheProtocol) {
  for (const std::string_view line : kLongWaits) {
    const auto driver = Made(Of(kAwkward + std::string("early")));
    RunOne(*driver, Waiting(std::string(line)), "");
    EXPECT_THAT(driver->Spoiled(), HasSubstr("to \"" + std::string(line) + "\" it answered"));
    EXPECT_THAT(driver->Spoiled(), HasSubstr("and 3s were to pass"));
  }
}

// By the suite's clock, by one of the driver's own that is ahead, and in virtual time.
TEST(Driver, ThatLetsTimePassKeepsTheProtocol) {
  const auto waits = Made(Of(kAwkward));
  for (const std::string line : {"active wait C within=50ms", "pass 50ms"})
    EXPECT_EQ(RunOne(*waits, Waiting(line), "").result.verdict, Verdict::kPassed);
  EXPECT_THAT(waits->Spoiled(), IsEmpty());
  for (const std::string& command :
       {kAwkward + std::string("lies 1"), std::string(kSim), std::string("python3 ") + kToy}) {
    const auto driver = Made(Of(command));
    for (const std::string_view line : kLongWaits) RunOne(*driver, Waiting(std::string(line)), "");
    EXPECT_THAT(driver->Spoiled(), IsEmpty()) << command;
  }
}

// What is said of a sequence that proves nothing.
TEST(Driver, HasTheReasonWhyAConversationIsInconclusive) {
  const auto reason = [](const ExecOptions& options) {
    const SequenceResult result = RunOne(*Made(options), Short(), "").result;
    EXPECT_EQ(result.verdict, Verdict::kInconclusive);
    return result.reason;
  };
  EXPECT_EQ(reason(Of(kAwkward + std::string("undecided"))), "the driver says: the weather");
  EXPECT_EQ(reason(Of(kAwkward + std::string("blocks"))),
            "a call was still blocked after the patience");
  EXPECT_THAT(reason(Of(kAwkward + std::string("unknown-word"))),
              HasSubstr("the driver broke the protocol: to \"active rdma_create_event_channel C\" "
                        "it answered \"fine, thanks\""));
  ExecOptions agent = Of(kAwkward + std::string("ends-in-call"));
  agent.lost = [](const std::string& /*what*/) {};
  EXPECT_EQ(reason(agent), "the connection to the driver was lost");
}

// As many lines as no connection holds.
TEST(Driver, ThatDoesNotReadIsNotStartedAgain) {
  std::string text = "topology two-kernels\nprofile 6.1-rxe\n";
  for (int i = 0; i < 20'000; ++i) text += "pass 1us\n";
  const std::string count = testing::TempDir() + "starts_of_a_deaf_one";
  std::filesystem::remove(count);
  const auto driver =
      Made(Of("echo >>" + count + "; exec " + kAwkward + "reads-nothing", "6.1-rxe", kSilentFor));
  RunOne(*driver, std::get<Conversation>(ParseConversation(text)), "");
  EXPECT_EQ(driver->Spoiled(), "the driver: it does not read \"pass 1us\"");
  std::ifstream starts(count);
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(starts), {}, '\n'), 1);
}

// However long it may take. A busy machine may cut the answer to `begin` short already.
TEST(Driver, IsNotWaitedForAfterTheInterrupt) {
  std::atomic<bool> interrupted = false;
  ExecOptions options =
      Of(kAwkward + std::string("silent-at-call"), "6.1-rxe", Duration::Seconds(3600));
  options.place.interrupted = &interrupted;
  const auto driver = Made(options);
  interrupted = true;
  const SequenceRun run = RunOne(*driver, Short(), "");
  EXPECT_THAT(run.result.verdict, AnyOf(Verdict::kInconclusive, Verdict::kUnsupported));
  EXPECT_THAT(driver->Spoiled(), HasSubstr("it answered no line until the interrupt"));
}

// A connection from its beginning to its end; what the toy leaves out is unsupported, and said.
TEST(ToyDriver, CarriesOutAConnection) {
  const auto toy = Made(Of(std::string("python3 ") + kToy));
  const std::string connection =
      "topology two-kernels\nprofile 6.1-rxe\npassive listening L on=S port=7471\n"
      "active connecting A on=C to=passive:7471 private=\"hello\"\n"
      "passive accepting P on=S\nactive taking C\npassive taking S\n"
      "active rdma_disconnect A\npassive taking S\npassive rdma_disconnect P\nactive taking C\n";
  const auto run_of = [&](const std::string& text) {
    return RunOne(*toy, std::get<Conversation>(ParseConversation(text)), "").result;
  };
  EXPECT_EQ(run_of(connection).verdict, Verdict::kPassed);
  const SequenceResult migrated = run_of(connection + "active rdma_migrate_id A to=C\n");
  EXPECT_EQ(migrated.verdict, Verdict::kUnsupported);
  EXPECT_EQ(migrated.reason, "the driver leaves out migration");
}

class SimulatorAsADriver : public testing::TestWithParam<const char*> {};

TEST_P(SimulatorAsADriver, HasTheSameHistoriesAndMessages) {
  const std::string name = GetParam();
  const Profile& profile = *FindProfile(name);
  const auto sim =
      MakeSimImplementation({.profile = profile, .capabilities = profile.capabilities});
  const auto driver = Made(Of(kSim + name, name));
  EXPECT_TRUE(driver->concurrent());
  const uint64_t digest = DigestsOf(*sim, 400, 1);
  EXPECT_EQ(DigestsOf(*driver, 400, 1), digest);
  EXPECT_EQ(DigestsOf(*driver, 400, 3), digest);
}
INSTANTIATE_TEST_SUITE_P(Profiles, SimulatorAsADriver,
                         testing::Values("6.1-rxe", "6.1-siw", "6.1-ib", "7.2-rxe"),
                         [](const auto& info) {
                           std::string name;
                           for (const char c : std::string(info.param))
                             if (isalnum(c) != 0) name += c;
                           return name;
                         });

// A way of misbehaving, and what the suite says of it.
struct Way {
  const char* name;
  enum class Ends : uint8_t {
    kNotBegun,  // there is no implementation
    kSpoiled,   // the run stops
    kFound,     // a finding
    kPassed,    // nothing is wrong
    kUnsupported,
  } ends;
  std::string says;
  Duration answers_within = kAnswersWithin;

  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
};

const std::vector<Way>& Ways() {
  using enum Way::Ends;
  static const std::vector<Way> ways = {
      {"no-greeting", kNotBegun,
       "no line within 2s (does it write each line through?), before the end", kSilentFor},
      {"ends-before-greeting", kNotBegun,
       "it ended with exit code 3, before the end of its greeting"},
      {"binary-greeting", kNotBegun, R"(the line "\x7fELF\x00\x01", which is not)"},
      {"other-version", kNotBegun, R"(begins with "cmcheck-driver 2", and not with "cmcheck-driv)"},
      {"endless-greeting", kNotBegun, "the greeting has 100 lines and no `ready`"},
      {"no-name", kNotBegun, "no line `name`"},
      {"unknown-line", kNotBegun, R"("colour" is no line of a greeting: name, profile)"},
      {"unknown-capability", kNotBegun, R"(capabilities: "fly" is none of drop)"},
      {"unknown-group", kNotBegun, R"(without: "wings" is none of datagrams)"},
      {"unknown-clock", kNotBegun, R"(clock: "sundial" is none of suite, own, virtual)"},
      {"empty-line-in-greeting", kNotBegun, "greeting"},
      {"other-profile", kNotBegun, "by profile 7.2-rxe, and not by 6.1-rxe"},
      {"answers-early", kSpoiled, R"("begun")"},
      {"silent-at-begin", kSpoiled, R"(to "begin patience=0us" it answered no line within)",
       kSilentFor},
      {"wrong-begin", kSpoiled, R"("by all means": begun, or unsupported and why, is wanted)"},
      {"unsupported", kUnsupported, ""},
      {"silent-at-call", kSpoiled, R"(to "active rdma_create_event_channel C" it answered no line)",
       kSilentFor},
      {"half-line", kSpoiled, R"(only "-1 EIN" and no end of the line within 2s)", kSilentFor},
      {"half-line-and-end", kSpoiled, R"(it ended in the middle of the line "-1 EIN")"},
      {"ends-in-call", kFound, "crashed"},
      {"killed-in-call", kFound, "crashed"},
      {"leaves-a-child", kSpoiled, "it answered no line within 2s", kSilentFor},
      {"dribbles", kSpoiled, "and no end of the line within 2s", kSilentFor},
      {"messages-without-end", kSpoiled, "it answered no line within 2s", kSilentFor},
      {"flood", kSpoiled, R"("0")"},
      {"endless-line", kSpoiled, "bytes without the end of a line"},
      {"two-answers", kSpoiled, R"("0")"},
      {"unknown-word", kSpoiled, R"("fine, thanks")"},
      {"unknown-errno", kSpoiled, R"("ENOTHING" is not an errno)"},
      {"event-of-another-call", kSpoiled, "no event comes of this call"},
      {"message-without-promise", kSpoiled, "a value, blocked, crashed"},
      {"empty-line", kSpoiled, "an empty line"},
      {"always-error", kSpoiled, R"("error I do not know that": it must understand each request)"},
      {"not-text", kSpoiled, R"(the line "0 \xff\xfe")"},
      {"no-time", kSpoiled, R"("0" does not begin with a time)"},
      {"clock-goes-back", kSpoiled, R"("999ms 0": its clock was at 1s before)"},
      {"done-of-a-call", kSpoiled, R"("done": a value, blocked)"},
      {"ended-of-a-call", kSpoiled, R"("ended": a value, blocked)"},
      {"not-applicable-of-a-call", kSpoiled, R"("not-applicable": 0, -1 and an errno, blocked)"},
      {"unseen-of-a-call", kSpoiled, R"("unseen": 0, -1 and an errno, blocked)"},
      {"not-applicable-of-a-wait", kSpoiled, R"("not-applicable": readable or quiet is wanted)"},
      {"wrong-end", kSpoiled, R"(to "end" it answered "goodbye")"},
      {"refuses-all", kFound, "-1 EINVAL"},
      {"leaks", kFound, "a boat"},
      {"carriage-returns", kPassed, ""},
      {"ends-between", kPassed, ""},
      {"", kPassed, ""},
  };
  return ways;
}

class Misbehaviour : public testing::TestWithParam<Way> {};

TEST_P(Misbehaviour, HasAClearVerdict) {
  const Way& way = GetParam();
  auto made =
      MakeExecImplementation(Of(kAwkward + std::string(way.name), "6.1-rxe", way.answers_within));
  if (way.ends == Way::Ends::kNotBegun) {
    ASSERT_TRUE(std::holds_alternative<std::string>(made));
    EXPECT_THAT(std::get<std::string>(made), HasSubstr(way.says));
    return;
  }
  auto* const driver = std::get_if<std::unique_ptr<Implementation>>(&made);
  ASSERT_NE(driver, nullptr) << std::get<std::string>(made);
  SequenceRun run;
  for (int i = 0; i < 3 && (*driver)->Spoiled().empty(); ++i) run = RunOne(**driver, Short(), "");
  switch (way.ends) {
    case Way::Ends::kNotBegun:
      break;
    case Way::Ends::kSpoiled:
      EXPECT_THAT((*driver)->Spoiled(), HasSubstr(way.says));
      EXPECT_THAT(run.result.reason, HasSubstr(way.says));
      EXPECT_TRUE(run.result.findings.empty());
      return;
    case Way::Ends::kFound:
      ASSERT_FALSE(run.result.findings.empty());
      EXPECT_THAT(run.result.findings.front().saw, HasSubstr(way.says));
      break;
    case Way::Ends::kPassed:
      EXPECT_EQ(run.result.verdict, Verdict::kPassed);
      break;
    case Way::Ends::kUnsupported:
      EXPECT_EQ(run.result.verdict, Verdict::kUnsupported);
      break;
  }
  EXPECT_THAT((*driver)->Spoiled(), IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(Ways, Misbehaviour, testing::ValuesIn(Ways()), [](const auto& info) {
  std::string name;
  for (const char c : std::string(info.param.name)) name += c == '-' ? '_' : c;
  return name.empty() ? "none" : name;
});

// More than the connection holds is sent to it.
TEST(Peer, ThatDoesNotReadIsNamed) {
  auto started = Peer::Start(
      {.command = std::string(kAwkward) + "reads-nothing", .answers_within = kSilentFor});
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Peer>>(started));
  Peer& peer = *std::get<std::unique_ptr<Peer>>(started);
  for (int i = 0; i < 100 && !peer.failure(); ++i) peer.Send(std::string(60'000, 'x'));
  ASSERT_TRUE(peer.failure().has_value());
  EXPECT_THAT(peer.failure()->what, testing::StartsWith("it does not read \"xxx"));
  EXPECT_FALSE(peer.failure()->ended);
}

// That it has sent a line by itself is found out by the next request that has an answer.
TEST(Peer, ThatDoesNotReadIsWaitedForOnce) {
  auto started = Peer::Start({.command = std::string(kAwkward) + "says-more-and-reads-nothing",
                              .answers_within = kSilentFor});
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Peer>>(started));
  Peer& peer = *std::get<std::unique_ptr<Peer>>(started);
  const Instant begin = RealNow();
  for (int i = 0; i < 100; ++i) peer.Send(std::string(60'000, 'x'));
  EXPECT_LT(RealNow() - begin, Duration::Seconds(60));
  EXPECT_FALSE(peer.failure());
  peer.Ask("begin", {});
  ASSERT_TRUE(peer.failure());
  EXPECT_EQ(peer.failure()->what, "it sent \"0\" without a request");
}

// Whatever a driver answers, the suite survives it, and does not believe it.
TEST(Lies, AreFoundAndDoNoHarm) {
  for (int seed = 1; seed <= 4; ++seed) {
    const auto driver = Made(Of(kAwkward + std::string("lies ") + std::to_string(seed)));
    CampaignOptions options{.sequences = 150};
    options.draw.seed = static_cast<uint64_t>(seed);
    options.draw.capabilities = driver->capabilities();
    options.draw.profile = driver->profile();
    options.draw.topology = FindTopology("two-kernels");
    int failed = 0;
    int judged = 0;
    RunCampaign(
        *driver, options,
        [&](const SequenceRun& run) {
          ++judged;
          failed += run.result.verdict == Verdict::kFailed ? 1 : 0;
        },
        kNever);
    EXPECT_THAT(driver->Spoiled(), IsEmpty());
    EXPECT_EQ(judged, 150);
    EXPECT_GT(failed, 140);
  }
}

}  // namespace
}  // namespace cm
