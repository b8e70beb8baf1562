// Sessions on a real clock, with an object that misbehaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/adapters/dl/dl_adapter.h"
#include "conformance/driver/perform.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"
#include "model/vocabulary/sockaddr.h"

namespace cm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The longest timer is half a second, so that a blocked call is detected soon; long enough for
// calls that return, on a busy machine.
Profile Hasty() {
  Profile profile = Profiles().front();
  profile.timing = {.packet_lifetime = 0,
                    .response_timeout = 8,
                    .mra_service_timeout = 8,
                    .quiet = Duration::Milliseconds(200),
                    .late = Duration::Milliseconds(400)};
  return profile;
}

bool HasNoChildren() { return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

// Records its calls.
class ToldPlace : public Place {
 public:
  explicit ToldPlace(std::vector<std::string>* told, std::string why_not = {})
      : told_(told), why_not_(std::move(why_not)) {}
  std::string name() const override { return "a place"; }
  Capabilities capabilities() const override { return {}; }
  bool patient() const override { return true; }
  std::string Prepare(const Conversation& /*conversation*/) override {
    told_->push_back(HasNoChildren() ? "prepare" : "prepare too late");
    return why_not_;
  }
  seen::Done Inject(const Fault& fault) override {
    told_->emplace_back(ToString(fault.kind));
    return {};
  }
  seen::Done Heal() override {
    told_->emplace_back("heal");
    return {};
  }
  std::string PutRight() override {
    told_->push_back(HasNoChildren() ? "put right" : "put right too early");
    return "a link is missing";
  }
  bool Disturbed() const override { return told_->front() == "disturb"; }

 private:
  std::vector<std::string>* told_;
  std::string why_not_;
};

Conversation Read(const std::string& lines) {
  auto read = ParseConversation("topology one-kernel-two-devices\nprofile 6.1-rxe\n" + lines);
  if (const auto* problem = std::get_if<TextProblem>(&read))
    ADD_FAILURE() << problem->line << ": " << problem->what;
  return std::get<Conversation>(read);
}

std::unique_ptr<Implementation> Awkward(std::unique_ptr<Place> place,
                                        const Profile& profile = Hasty()) {
  auto made = MakeDlImplementation({.path = "conformance/adapters/dl/libawkward_rdmacm.so",
                                    .profile = profile,
                                    .patience = Duration::Milliseconds(500)},
                                   std::move(place));
  if (const auto* why = std::get_if<std::string>(&made)) ADD_FAILURE() << *why;
  return std::move(std::get<0>(made));
}

class RealSession : public testing::Test {
 protected:
  // The records without times, or the observation of the n-th.
  void Run(const std::string& lines) {
    const Conversation conversation = Read(lines);
    const auto implementation = Awkward(std::make_unique<ToldPlace>(&told_), profile_);
    const std::unique_ptr<Session> session = implementation->Start(conversation);
    history_ = Perform(conversation, *session);
    leaks_ = session->Leaks();
    inconclusive_ = !session->Inconclusive().empty();
  }
  std::string Seen() const {
    const std::string text = ToText(history_, {.times = false});
    return text.substr(text.find("----\n") + 5);
  }

  // Where no call blocks: a busy machine may take long to end a process.
  void BePatient() { profile_.timing.late = Duration::Seconds(60); }

  Profile profile_ = Hasty();
  std::vector<std::string> told_;
  History history_;
  std::string leaks_;
  bool inconclusive_ = false;
};

TEST_F(RealSession, ACrashIsSeenAndLeavesNothingBehind) {
  BePatient();
  Run("active rdma_create_event_channel C\nactive rdma_create_id A on=C\n"
      "active rdma_listen A backlog=1\nactive rdma_disconnect A\n");
  EXPECT_THAT(Seen(), HasSubstr("rdma_listen A backlog=1 -> crashed\n"));
  EXPECT_THAT(Seen(), HasSubstr("rdma_disconnect A -> not-applicable why=crashed\n"));
  EXPECT_FALSE(inconclusive_);
  EXPECT_TRUE(HasNoChildren());
}

TEST_F(RealSession, ALibraryThatExitsHasCrashedToo) {
  BePatient();
  Run("active rdma_create_event_channel C\nactive rdma_create_id A on=C\n"
      "active rdma_listen A backlog=3\n");
  EXPECT_THAT(Seen(), HasSubstr("rdma_listen A backlog=3 -> crashed\n"));
}

TEST_F(RealSession, AnEventWithoutAnyWordsIsNoCrash) {
  Run("active rdma_event_str 255\n");
  EXPECT_THAT(Seen(), HasSubstr("rdma_event_str 255 -> 0  text=\"\"\n"));
}

TEST_F(RealSession, WhatHangsIsGivenUpAndKilled) {
  const Instant begin;
  Run("active rdma_create_event_channel C\nactive rdma_create_id A on=C\n"
      "active rdma_create_id B on=C\n"
      "active rdma_listen A backlog=2\nactive/2 rdma_bind_addr B addr=active.v6:0\n"
      "active/3 rdma_disconnect B\n");
  EXPECT_THAT(Seen(), HasSubstr("rdma_listen A backlog=2 -> blocked\n"));
  EXPECT_THAT(Seen(), HasSubstr("rdma_bind_addr B addr=active.v6:0 -> blocked\n"));
  EXPECT_THAT(Seen(), HasSubstr("rdma_disconnect B -> -1 EINVAL\n"));
  EXPECT_FALSE(inconclusive_);  // the place is patient: it waits for the longest call
  EXPECT_LT(history_.records.back().end - begin, Duration::Seconds(5));
  EXPECT_TRUE(HasNoChildren());
}

TEST_F(RealSession, ABlockedCallReturnsWhenAnotherLaneLetsIt) {
  Run("passive rdma_create_event_channel S\npassive rdma_create_id L on=S\n"
      "passive rdma_get_cm_event S as=e1\npassive wait S within=10ms\n"
      "passive/2 rdma_listen L backlog=8\nsettle\npassive rdma_ack_cm_event e1\n"
      "passive/2 rdma_listen L backlog=8\npassive wait S within=1s\n");
  EXPECT_EQ(Seen(),
            "passive rdma_create_event_channel S -> 0\n"
            "passive rdma_create_id L on=S -> 0\n"
            "passive rdma_get_cm_event S as=e1 -> blocked\n"
            "passive wait S within=10ms -> not-applicable why=lane-waits\n"
            "passive/2 rdma_listen L backlog=8 -> 0\n"
            "returned passive rdma_get_cm_event S as=e1 -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED "
            "id=L\n"
            "settle -> done\n"
            "passive rdma_ack_cm_event e1 -> 0\n"
            "passive/2 rdma_listen L backlog=8 -> 0\n"
            "passive wait S within=1s -> readable\n");
  EXPECT_FALSE(inconclusive_);
}

// The clock says 300 ms, and 200 ms without an event are quiet.
TEST_F(RealSession, AHostThatIsHeldUpIsNotQuiet) {
  BePatient();
  Run("passive rdma_create_event_channel S\npassive rdma_create_id L on=S\n"
      "passive rdma_listen L backlog=4\nsettle\npassive wait S within=0us\n");
  EXPECT_THAT(Seen(), HasSubstr("passive wait S within=0us -> readable\n"));
}

// The first would wait for ever if the second were not made before it returns.
TEST_F(RealSession, CallsAreMadeAtOnce) {
  Run("passive rdma_create_event_channel S\npassive rdma_create_id L on=S\n"
      "passive rdma_get_cm_event S as=e1\npassive/2 & rdma_listen L backlog=8\n"
      "passive/3 & rdma_get_cm_event S as=e2\n");
  EXPECT_THAT(Seen(), HasSubstr("passive/2 & rdma_listen L backlog=8 -> 0\n"));
  EXPECT_THAT(Seen(), HasSubstr(" -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=L\n"));
  EXPECT_THAT(Seen(), HasSubstr(" -> blocked\n"));
  EXPECT_TRUE(HasNoChildren());
}

TEST_F(RealSession, ASideThatExitsIsKilledAlone) {
  Run("active rdma_create_event_channel C\nactive rdma_create_id A on=C\n"
      "passive rdma_create_event_channel S\npassive rdma_create_id L on=S\n"
      "active rdma_get_cm_event C as=e1\n"
      "fault exit side=active\nactive rdma_create_event_channel D\n"
      "passive rdma_listen L backlog=8\npassive wait S within=1s\n");
  EXPECT_THAT(Seen(), HasSubstr("fault exit side=active -> done\n"
                                "active rdma_create_event_channel D -> not-applicable why=exited\n"
                                "passive rdma_listen L backlog=8 -> 0\n"
                                "passive wait S within=1s -> readable\n"));
  EXPECT_TRUE(HasNoChildren());
}

TEST_F(RealSession, ThePlaceIsToldInOrder) {
  Run("fault link-down side=active\nheal\n");
  EXPECT_THAT(told_, ElementsAre("prepare", "link-down", "heal", "put right"));
  EXPECT_EQ(leaks_, "a link is missing");
}

TEST_F(RealSession, WhatIsSeenInADisturbedPlaceProvesNothing) {
  Run("fault link-down side=active\n");
  EXPECT_FALSE(inconclusive_);
  told_ = {"disturb"};
  Run("fault link-down side=active\n");
  EXPECT_TRUE(inconclusive_);
}

TEST_F(RealSession, APlaceThatCannotServeIsUnsupported) {
  const auto implementation =
      Awkward(std::make_unique<ToldPlace>(&told_, "there is one kernel only"));
  const Conversation conversation = Read("heal\n");
  EXPECT_EQ(implementation->Start(conversation)->Unsupported(), "there is one kernel only");
}

TEST(BarePlace, WithoutPatienceWhatDoesNotReturnProvesNothing) {
  Profile profile = Hasty();
  profile.timing.late = Duration::Seconds(60);
  const auto implementation = Awkward(MakeBarePlace(), profile);
  const Conversation conversation =
      Read("active rdma_create_event_channel C\nactive rdma_get_cm_event C as=e1\n");
  const std::unique_ptr<Session> session = implementation->Start(conversation);
  const History history = Perform(conversation, *session);
  EXPECT_EQ(std::get<seen::Answered>(history.records.back().seen).reply, Reply::Blocked());
  EXPECT_EQ(session->Inconclusive(), "a call was still blocked after the patience");
}

// A site that says nothing of its silent addresses, and one that has none of IPv4.
TEST(BarePlace, WhatTheNetworkDoesNotHaveIsUnsupported) {
  const auto implementation = Awkward(MakeBarePlace());
  const auto why = [&](const std::string& v4, const std::string& destination) {
    const auto parsed =
        ParseConversation("topology site\nhost a\ndevice rxe0 on=veth0 address=" + v4 +
                          ",fd07::1\nside active device=rxe0\nprofile 6.1-rxe\n"
                          "active rdma_create_id A on=null\nactive rdma_resolve_addr A dst=" +
                          destination + "\n");
    return implementation->Start(std::get<Conversation>(parsed))->Unsupported();
  };
  EXPECT_EQ(why("192.168.7.1", "active:1"), "");
  EXPECT_EQ(why("none", "active.v6:1"), "");
  EXPECT_EQ(why("none", "active:1"), "of the site's network no address active is known");
  EXPECT_EQ(why("192.168.7.1", "silent:1"), "of the site's network no address silent is known");
  SetHost(AddressKind::kSilent, {.v4 = "192.168.7.99", .v6 = ""});
  EXPECT_EQ(why("192.168.7.1", "silent:1"), "");
  EXPECT_EQ(why("192.168.7.1", "silent.v6:1"),
            "of the site's network no address silent.v6 is known");
}

// A suite in a process of its own, which ends with what `run` returns. `late`: how long a host may
// take for anything.
template <typename Run>
pid_t SuiteWith(Duration late, const std::string& lines, Run run) {
  const pid_t suite = fork();
  if (suite != 0) return suite;
  Profile profile = Hasty();
  profile.timing.late = late;
  std::vector<std::string> told;
  const auto implementation = Awkward(std::make_unique<ToldPlace>(&told), profile);
  const Conversation conversation = Read(lines);
  const std::unique_ptr<Session> session = implementation->Start(conversation);
  _exit(run(conversation, *session));
}

// The clock says 300 ms, and a call that waits for another thread has 200 ms. The suite is a
// process of its own, as it is stopped meanwhile.
TEST(BusyHost, ACallThatGotNoTurnDoesNotCountAsBlocked) {
  const pid_t suite = SuiteWith(
      Duration::Seconds(60),
      "active rdma_create_event_channel C\nactive rdma_create_event_channel D\n"
      "active rdma_create_id A on=C ps=RDMA_PS_UDP\nactive rdma_migrate_id A to=D\n",
      [](const Conversation& conversation, Session& session) {
        const History history = Perform(conversation, session);
        const auto* const answered = std::get_if<seen::Answered>(&history.records.back().seen);
        return answered != nullptr && answered->reply == Reply::Returned() ? 0 : 1;
      });
  ASSERT_GE(suite, 0);
  int status = 0;
  ASSERT_EQ(waitpid(suite, &status, 0), suite);
  EXPECT_EQ(status, 0);
}

// The read end of a pipe reports when the last process with the write end has ended.
TEST(Killed, NothingIsLeftWhenTheSuiteItselfIsKilled) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t suite = SuiteWith(Duration::Seconds(600),
                                "active rdma_create_event_channel C\nactive rdma_create_id A on=C\n"
                                "active rdma_listen A backlog=2\n",
                                [&](const Conversation& conversation, Session& session) {
                                  if (write(ends[1], "x", 1) != 1) return 1;
                                  Perform(conversation, session);
                                  return 0;
                                });
  ASSERT_GE(suite, 0);
  close(ends[1]);
  char begun = 0;
  ASSERT_EQ(read(ends[0], &begun, 1), 1);
  kill(suite, SIGKILL);
  pollfd gone{.fd = ends[0], .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&gone, 1, 10'000), 1);
  EXPECT_EQ(read(ends[0], &begun, 1), 0);
  waitpid(suite, nullptr, 0);
  close(ends[0]);
}

}  // namespace
}  // namespace cm
