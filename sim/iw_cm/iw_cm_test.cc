// Connections over TCP between two devices: a frame takes 10 us, an end of stream is noticed after
// 5 us by its own side.
#include "sim/iw_cm/iw_cm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace cm::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr CmIdIndex kActive(1);
constexpr CmIdIndex kPassive(2);

PrivateData Hello() { return PrivateData(std::vector<uint8_t>{1, 2, 3}); }

// A layer above that answers requests with `verdict`, and notes its events.
class User : public IwCmUser {
 public:
  IwVerdict OnMpaRequest(IwIndex iw, const Frame& request) override {
    passive = iw;
    if (verdict == IwVerdict::kTaken) iw_cm->SetUser(iw, kPassive);
    data = request.data;
    return verdict;
  }
  void OnIwEvent(CmIdIndex user, IwEventKind kind, Depths depths, const Frame* /*frame*/) override {
    (user == kActive ? active_events : passive_events).push_back(kind);
    last_depths = depths;
  }
  void OnIwGone(CmIdIndex user) override { gone.push_back(user); }

  IwCm* iw_cm = nullptr;
  IwVerdict verdict = IwVerdict::kTaken;
  IwIndex passive;  // the id of the last request
  PrivateData data;
  std::vector<IwEventKind> active_events;
  std::vector<IwEventKind> passive_events;
  std::vector<CmIdIndex> gone;
  Depths last_depths;
};

class Connections : public testing::Test {
 protected:
  Connections() { user.iw_cm = &iw; }

  IwIndex Connect(Depths depths = {}) {
    Frame request;
    request.depths = depths;
    request.data = Hello();
    return iw.Connect(c, kActive, 0, 1, request);
  }
  void RunUntil(Duration since_start) {
    const Instant end = Instant() + since_start;
    while (agenda.NextAt() && *agenda.NextAt() <= end) {
      const Event event = agenda.Take();
      if (event.kind() == EventKind::kFrameArrives) iw.OnFrame(c, FrameIndex(event.on()));
      if (event.kind() == EventKind::kReplyTimer) iw.OnReplyTimer(c, IwIndex(event.on()));
      if (event.kind() == EventKind::kIwWork) iw.OnWork(c, IwIndex(event.on()));
    }
    agenda.AdvanceTo(end);
  }
  // The passive id of a request that has arrived at 10 us and was accepted.
  IwIndex Accepted(Depths offered = {}) {
    RunUntil(Duration::Microseconds(10));
    EXPECT_EQ(iw.Accept(c, user.passive, true, offered, PrivateData()), Errno::kNone);
    return user.passive;
  }
  void SetLink(bool up) { fabric.device(0).up = up; }

  Agenda agenda;
  const Profile* const profile = FindProfile("6.1-siw");
  Fabric fabric{FindTopology("two-kernels"), profile};
  User user;
  IwCm iw;
  const IwCm::Context c{&agenda, &fabric, &user, profile};
};

TEST_F(Connections, AreEstablishedWithinAcceptAndByTheReply) {
  Connect();
  RunUntil(Duration::Microseconds(9));
  EXPECT_FALSE(user.passive.valid());
  const IwIndex passive = Accepted();
  EXPECT_EQ(user.data, Hello());
  EXPECT_THAT(user.passive_events, ElementsAre(IwEventKind::kEstablished));
  EXPECT_THAT(user.active_events, IsEmpty());
  RunUntil(Duration::Microseconds(20));
  EXPECT_THAT(user.active_events, ElementsAre(IwEventKind::kReply));
  EXPECT_EQ(iw.at(passive).state, IwState::kEstablished);
}

// The request offers 4 incoming reads and asks for 8; the passive side offers 2 and asks for 16.
TEST_F(Connections, HaveTheDepthsThatBothSidesGrant) {
  const IwIndex active = Connect({.ird = 4, .ord = 8});
  const IwIndex passive = Accepted({.ird = 2, .ord = 16});
  EXPECT_EQ(iw.at(passive).depths, (Depths{.ird = 8, .ord = 4}));
  RunUntil(Duration::Microseconds(20));
  EXPECT_EQ(iw.at(active).depths, (Depths{.ird = 4, .ord = 8}));
  EXPECT_EQ(user.last_depths, iw.at(active).depths);
}

TEST_F(Connections, AreRejectedByThePeer) {
  const IwIndex active = Connect();
  RunUntil(Duration::Microseconds(10));
  EXPECT_EQ(iw.Reject(c, user.passive, PrivateData()), Errno::kNone);
  EXPECT_EQ(iw.Reject(c, user.passive, PrivateData()), Errno::kInval) << "a second time";
  RunUntil(Duration::Microseconds(20));
  EXPECT_THAT(user.active_events, ElementsAre(IwEventKind::kRejected));
  EXPECT_EQ(iw.at(active).state, IwState::kIdle);
}

TEST_F(Connections, ThatNoOneTakesAreRejected) {
  for (const IwVerdict verdict : {IwVerdict::kRejected, IwVerdict::kNoListener}) {
    user.verdict = verdict;
    Connect();
  }
  RunUntil(Duration::Microseconds(20));
  EXPECT_THAT(user.active_events, ElementsAre(IwEventKind::kRejected, IwEventKind::kRejected));
  EXPECT_EQ(iw.live_count(), 2u) << "the active ids";
}

TEST_F(Connections, TimeOutWithoutAReply) {
  const IwIndex active = Connect();
  RunUntil(profile->timing.mpa_reply - Duration::Microseconds(1));
  EXPECT_THAT(user.active_events, IsEmpty());
  RunUntil(profile->timing.mpa_reply);
  EXPECT_THAT(user.active_events, ElementsAre(IwEventKind::kTimedOut));
  EXPECT_EQ(iw.at(active).state, IwState::kIdle);
  RunUntil(profile->timing.mpa_reply + Duration::Microseconds(10));
  EXPECT_EQ(iw.at(user.passive).state, IwState::kPeerGone);
  EXPECT_EQ(iw.Accept(c, user.passive, true, {}, PrivateData()), Errno::kConnReset);
}

TEST_F(Connections, WaitForALinkThatIsDown) {
  SetLink(false);
  Connect();
  RunUntil(Duration::Milliseconds(100));
  SetLink(true);
  RunUntil(Duration::Milliseconds(200));
  EXPECT_FALSE(user.passive.valid()) << "TCP sends again after 200 ms";
  RunUntil(Duration::Milliseconds(200) + Duration::Microseconds(10));
  EXPECT_TRUE(user.passive.valid());
}

TEST_F(Connections, NeedAQueuePairToBeAccepted) {
  Connect();
  RunUntil(Duration::Microseconds(10));
  EXPECT_EQ(iw.Accept(c, user.passive, false, {}, PrivateData()), Errno::kInval);
  EXPECT_THAT(user.passive_events, IsEmpty());
}

TEST_F(Connections, FailWhereTheQueuePairBrokeMeanwhile) {
  iw.QueuePairBreaks(c, Connect());
  Accepted();
  RunUntil(Duration::Microseconds(20));
  EXPECT_THAT(user.active_events, ElementsAre(IwEventKind::kFailed));
  RunUntil(Duration::Microseconds(30));
  EXPECT_THAT(user.passive_events, ElementsAre(IwEventKind::kEstablished, IwEventKind::kClosed));
}

TEST_F(Connections, EndOnBothSidesWhenOneDisconnects) {
  const IwIndex active = Connect();
  EXPECT_EQ(iw.Disconnect(c, active), Errno::kAgain) << "the request is unanswered";
  Accepted();
  RunUntil(Duration::Microseconds(20));
  EXPECT_EQ(iw.Disconnect(c, active), Errno::kNone);
  EXPECT_FALSE(iw.GivesAttributes(active));
  RunUntil(Duration::Microseconds(25));
  EXPECT_THAT(user.active_events, ElementsAre(IwEventKind::kReply, IwEventKind::kClosed));
  EXPECT_THAT(user.passive_events, ElementsAre(IwEventKind::kEstablished));
  RunUntil(Duration::Microseconds(30));
  EXPECT_THAT(user.passive_events, ElementsAre(IwEventKind::kEstablished, IwEventKind::kClosed));
}

TEST_F(Connections, ThatWaitForTheReplyAreDestroyedByIt) {
  const IwIndex active = Connect();
  EXPECT_FALSE(iw.Destroy(c, active));
  Accepted();
  EXPECT_THAT(user.gone, IsEmpty());
  RunUntil(Duration::Microseconds(20));
  EXPECT_THAT(user.gone, ElementsAre(kActive));
  EXPECT_THAT(user.active_events, IsEmpty()) << "a destroyed id reports nothing";
  EXPECT_TRUE(iw.Destroy(c, user.passive));
  EXPECT_EQ(iw.live_count(), 0u);
}

TEST_F(Connections, OfACrashedDeviceAreGone) {
  Connect();
  Accepted();
  iw.Crash(0);
  EXPECT_EQ(iw.live_count(), 1u);
  RunUntil(Duration::Seconds(60));
  EXPECT_THAT(user.active_events, IsEmpty());
}

TEST_F(Connections, OfACrashedDeviceAreNotRequestedAnyMore) {
  Connect();
  iw.Crash(0);
  EXPECT_EQ(iw.frames().live_count(), 0u);
  RunUntil(Duration::Seconds(60));
  EXPECT_FALSE(user.passive.valid());
}

// The device receives again at once: its host has started again.
TEST_F(Connections, ToADeviceThatCrashesTimeOut) {
  Connect();
  iw.Crash(1);
  EXPECT_EQ(iw.frames().live_count(), 0u);
  RunUntil(profile->timing.mpa_reply - Duration::Microseconds(1));
  EXPECT_FALSE(user.passive.valid());
  EXPECT_THAT(user.active_events, IsEmpty());
  RunUntil(profile->timing.mpa_reply);
  EXPECT_THAT(user.active_events, ElementsAre(IwEventKind::kTimedOut));
}

}  // namespace
}  // namespace cm::sim
