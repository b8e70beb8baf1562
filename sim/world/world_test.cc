// Whole worlds: timers, copies that behave like the original, and destroys that wait.
#include "sim/world/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace cm::sim {
namespace {

using testing::Each;
using testing::SizeIs;

constexpr Address Of(uint8_t side, uint16_t port) {
  return {.kind = AddressKind::kSide, .side = side, .port = port};
}

// A listener, and an id with a resolved route.
class Pair {
 public:
  explicit Pair(std::string_view profile = "6.1-rxe")
      : profile_(*FindProfile(profile)), world(FindTopology("two-kernels"), &profile_) {
    world.WatchWire();
    server_channel = Lib(1).CreateEventChannel(world.Context(), true).made;
    listener = Lib(1).CreateId(world.Context(), server_channel, PortSpace::kTcp).made;
    EXPECT_TRUE(Lib(1).BindAddr(world.Context(), listener, Of(1, 7471)).succeeded());
    EXPECT_TRUE(Lib(1).Listen(world.Context(), listener, 8).succeeded());
    channel = Lib(0).CreateEventChannel(world.Context(), true).made;
    id = Lib(0).CreateId(world.Context(), channel, PortSpace::kTcp).made;
    const call::ResolveAddr resolve{.source = Of(0, 0), .destination = Of(1, 7471)};
    EXPECT_TRUE(Lib(0).ResolveAddr(world.Context(), id, resolve).succeeded());
    Take(0, EventType::kAddrResolved);
    EXPECT_TRUE(Lib(0).ResolveRoute(world.Context(), id, 2000).succeeded());
    Take(0, EventType::kRouteResolved);
    EXPECT_TRUE(Lib(0).CreateQp(world.Context(), id, {}).succeeded());
  }

  Library& Lib(uint8_t side) { return world.Prepared(side); }
  void Connect() {
    connected = world.Now();
    EXPECT_TRUE(Lib(0).Connect(world.Context(), id, ConnParam{}).succeeded());
  }
  // The next event of the side, and its time; acknowledged immediately.
  Instant Take(uint8_t side, EventType type) {
    const uint32_t on = side == 0 ? channel : server_channel;
    while (!Lib(side).Readable(world.Context(), on)) {
      if (!world.NextAt()) {
        ADD_FAILURE() << "no event, ever";
        return Instant::Never();
      }
      world.Step();
    }
    const Progress got = Lib(side).GetCmEvent(world.Context(), on);
    const FetchedEvent event = Lib(side).fetched(got.made);
    EXPECT_EQ(event.event.type, type) << ToString(event.event.type);
    last = event;
    EXPECT_TRUE(Lib(side).AckCmEvent(got.made).succeeded());
    return world.Now();
  }
  // Times of the side's messages of the kind since the last call.
  std::vector<Instant> Sent(MadKind kind, uint8_t side) {
    std::vector<Instant> times;
    for (const WireNote& note : world.TakeWireNotes())
      if (note.mad.kind == kind && note.from == side) times.push_back(note.at);
    return times;
  }

 private:
  const Profile& profile_;

 public:
  World world;
  uint32_t server_channel = kNobody, listener = kNobody, channel = kNobody, id = kNobody;
  FetchedEvent last;
  Instant connected;
};

std::vector<Duration> Gaps(const std::vector<Instant>& times) {
  std::vector<Duration> gaps;
  for (size_t i = 1; i < times.size(); ++i) gaps.push_back(times[i] - times[i - 1]);
  return gaps;
}

constexpr Fault kLosesRequests{.kind = FaultKind::kDrop, .messages = MadKinds(MadKind::kReq)};

// CMA_MAX_CM_RETRIES is 15, so that a request is sent 16 times; the interval is twice the packet
// life time plus the response timeout: 2 x 1024 + 4096 ms on 6.1, 2 x 256 + 4096 ms on 6.12.
TEST(ARequestThatIsLost, IsSentSixteenTimesAndThenGivenUp) {
  for (const auto& [profile, interval_ms] :
       {std::pair{"6.1-rxe", 6144}, std::pair{"6.12-rxe", 4608}}) {
    Pair pair(profile);
    pair.world.Inject(kLosesRequests);
    pair.Connect();
    const Instant end = pair.Take(0, EventType::kUnreachable);
    EXPECT_EQ(pair.last.event.status, -110);
    const std::vector<Instant> sent = pair.Sent(MadKind::kReq, 0);
    EXPECT_THAT(sent, SizeIs(16)) << profile;
    const Duration interval = Duration::Milliseconds(interval_ms);
    const Duration latest = FindProfile(profile)->timing.Latest(interval);
    EXPECT_THAT(Gaps(sent), Each(testing::AllOf(testing::Ge(interval), testing::Le(latest))));
    EXPECT_GE(end - pair.connected, interval * 16) << profile;
    EXPECT_LE(end - pair.connected, latest * 16) << profile;
  }
}

// The request is not processed: the first retransmission is answered by MRA, and from then on the
// intervals are 65536 + 2048 ms. source: linux 6.1 cma.c CMA_CM_MRA_SETTING 24
TEST(ARequestThatNobodyReads, IsRepeatedMoreSlowlyAfterTheFirstMra) {
  Pair pair;
  pair.Connect();
  const Instant end = pair.Take(0, EventType::kUnreachable);
  const std::vector<Instant> sent = pair.Sent(MadKind::kReq, 0);
  ASSERT_THAT(sent, SizeIs(16));
  const std::vector<Duration> gaps = Gaps(sent);
  EXPECT_LT(gaps.front(), Duration::Seconds(7));
  EXPECT_THAT(std::vector<Duration>(gaps.begin() + 1, gaps.end()),
              Each(testing::Ge(Duration::Milliseconds(67584))));
  EXPECT_GE(end - pair.connected, Duration::Milliseconds(6144 + 15 * 67584));
}

// 4096 ms between replies, for both senders; both sides stay in timewait for 2048 ms on 6.1.
TEST(AConnection, EndsInTimewaitForAsLongAsItsPathSays) {
  for (const auto& [profile, timewait_ms] :
       {std::pair{"6.1-rxe", 2048}, std::pair{"6.12-rxe", 512}}) {
    Pair pair(profile);
    pair.Connect();
    pair.Take(1, EventType::kConnectRequest);
    const uint32_t passive = pair.last.id;
    EXPECT_TRUE(pair.Lib(1).CreateQp(pair.world.Context(), passive, {}).succeeded());
    EXPECT_TRUE(pair.Lib(1).Accept(pair.world.Context(), passive, ConnParam{}).succeeded());
    pair.Take(0, EventType::kEstablished);
    pair.Take(1, EventType::kEstablished);
    EXPECT_TRUE(pair.Lib(0).DisconnectOrWait(pair.world.Context(), pair.id).reply.succeeded());
    pair.Take(1, EventType::kDisconnected);
    EXPECT_TRUE(pair.Lib(1).DisconnectOrWait(pair.world.Context(), passive).reply.succeeded());
    const Instant ended = pair.Take(0, EventType::kDisconnected);
    const Duration waited = pair.Take(0, EventType::kTimewaitExit) - ended;
    const Duration nominal = Duration::Milliseconds(timewait_ms);
    EXPECT_GE(waited + Duration::Milliseconds(1), nominal) << profile;
    EXPECT_LE(waited, FindProfile(profile)->timing.Latest(nominal)) << profile;
  }
}

TEST(ADestroyedId, WaitsForTheAcknowledgementOfItsEvents) {
  Pair pair;
  pair.world.Inject(kLosesRequests);
  pair.Connect();
  while (!pair.Lib(0).Readable(pair.world.Context(), pair.channel)) pair.world.Step();
  const Progress got = pair.Lib(0).GetCmEvent(pair.world.Context(), pair.channel);
  const Progress destroy = pair.Lib(0).DestroyId(pair.world.Context(), pair.id);
  ASSERT_EQ(destroy.ongoing.waiting, Waiting::kAcks);
  EXPECT_EQ(pair.Lib(0).Continue(pair.world.Context(), destroy.ongoing).ongoing.waiting,
            Waiting::kAcks);
  EXPECT_TRUE(pair.Lib(0).AckCmEvent(got.made).succeeded());
  const Progress over = pair.Lib(0).Continue(pair.world.Context(), destroy.ongoing);
  EXPECT_EQ(over.ongoing.waiting, Waiting::kNothing);
  EXPECT_TRUE(over.reply.succeeded());
}

// TCP keeps the order: a lost reply is retransmitted before later data is delivered.
TEST(AConnectionOverTcp, HearsOfTheReplyBeforeItHearsOfTheEnd) {
  Pair pair("6.1-siw");
  pair.Connect();
  pair.Take(1, EventType::kConnectRequest);
  const uint32_t passive = pair.last.id;
  EXPECT_TRUE(pair.Lib(1).CreateQp(pair.world.Context(), passive, {}).succeeded());
  pair.world.Inject({.kind = FaultKind::kLinkDown, .side = 0});
  EXPECT_TRUE(pair.Lib(1).Accept(pair.world.Context(), passive, ConnParam{}).succeeded());
  pair.Take(1, EventType::kEstablished);
  pair.world.RunUntil(pair.world.Now() + Duration::Milliseconds(50));
  pair.world.Inject({.kind = FaultKind::kLinkUp, .side = 0});
  EXPECT_TRUE(pair.Lib(1).DisconnectOrWait(pair.world.Context(), passive).reply.succeeded());
  const Instant established = pair.Take(0, EventType::kEstablished);
  EXPECT_EQ(pair.Take(0, EventType::kDisconnected), established);
}

// On a synchronous id it waits for the reply, and then for its own event.
TEST(ADisconnectOverTcp, WaitsForItsEventWhenItHasWaitedForTheReply) {
  Pair pair("6.1-siw");
  constexpr Lane kDisconnecting{.side = 0, .number = 1};
  const auto perform = [&](const Progress& progress) {
    if (progress.reply.kind != ReplyKind::kBlocked) return;
    pair.world.Block({.side = 0, .number = 2}, progress.ongoing);
    pair.world.RunUntil(pair.world.Now() + Duration::Seconds(1));
    EXPECT_TRUE(pair.world.Continue({.side = 0, .number = 2}).reply.succeeded());
  };
  const auto context = [&] { return pair.world.Context(); };
  const uint32_t id = pair.Lib(0).CreateId(context(), kNobody, PortSpace::kTcp).made;
  const call::ResolveAddr resolve{.source = Of(0, 0), .destination = Of(1, 7471)};
  perform(pair.Lib(0).Complete(context(), id, pair.Lib(0).ResolveAddr(context(), id, resolve)));
  perform(pair.Lib(0).Complete(context(), id, pair.Lib(0).ResolveRoute(context(), id, 2000)));
  EXPECT_TRUE(pair.Lib(0).CreateQp(context(), id, {}).succeeded());
  EXPECT_TRUE(pair.Lib(0).Connect(context(), id, ConnParam{}).succeeded());
  const Progress waits = pair.Lib(0).DisconnectOrWait(context(), id);
  ASSERT_EQ(waits.ongoing.waiting, Waiting::kReply);
  pair.world.Block(kDisconnecting, waits.ongoing);
  pair.Take(1, EventType::kConnectRequest);
  EXPECT_TRUE(pair.Lib(1).CreateQp(context(), pair.last.id, {}).succeeded());
  EXPECT_TRUE(pair.Lib(1).Accept(context(), pair.last.id, ConnParam{}).succeeded());
  pair.world.RunUntil(pair.world.Now() + Duration::Microseconds(10));
  // It takes the next event, which is that of the connection.
  EXPECT_TRUE(pair.world.Continue(kDisconnecting).reply.succeeded());
  const Library& library = pair.Lib(0);
  EXPECT_EQ(library.fetched(library.at(id).event).event.type, EventType::kEstablished);
}

TEST(ACopiedWorld, GoesOnAsTheOriginalDoes) {
  Pair pair;
  pair.world.Inject({.kind = FaultKind::kDrop, .messages = MadKinds(MadKind::kReq), .last = 3});
  pair.Connect();
  for (int steps = 0; steps < 60 && pair.world.NextAt(); ++steps) {
    World copy = pair.world;
    ASSERT_TRUE(copy == pair.world);
    ASSERT_EQ(copy.Fingerprint(), pair.world.Fingerprint());
    copy.Step();
    ASSERT_FALSE(copy == pair.world) << "a step changes something";
    ASSERT_NE(copy.RunFingerprint(), pair.world.RunFingerprint());
    pair.world.Step();
    ASSERT_TRUE(copy == pair.world) << "after step " << steps;
    ASSERT_EQ(copy.RunFingerprint(), pair.world.RunFingerprint());
    ASSERT_EQ(copy.Fingerprint(), pair.world.Fingerprint());
  }
}

TEST(ACopiedWorld, IsLeftAloneByTheOriginal) {
  Pair pair;
  pair.Connect();
  const World before = pair.world;
  const uint64_t fingerprint = before.Fingerprint();
  pair.world.RunUntil(pair.world.Now() + Duration::Seconds(10));
  EXPECT_EQ(before.Fingerprint(), fingerprint);
  EXPECT_NE(pair.world.Fingerprint(), fingerprint);
}

// The same world at another time of day is equal.
TEST(AFingerprint, DoesNotCareWhenItIs) {
  Pair pair;
  World later = pair.world;
  later.RunUntil(later.Now() + Duration::Seconds(3));
  EXPECT_FALSE(later == pair.world);
  EXPECT_EQ(later.Fingerprint(), pair.world.Fingerprint());
}

TEST(AFingerprint, TellsWorldsApartThatHaveAnotherFuture) {
  Pair pair;
  World faulty = pair.world;
  faulty.Inject(kLosesRequests);
  EXPECT_NE(faulty.Fingerprint(), pair.world.Fingerprint());
}

TEST(AFingerprint, TellsApartWhatIsQueuedAndWhatTheLibraryKnows) {
  Pair pair;
  const auto queued = [&pair](uint16_t first, uint16_t second) {
    World world = pair.world;
    for (const uint16_t context : {first, second}) {
      const WorkRequest work{.opcode = WcOpcode::kReceive, .context = context};
      EXPECT_TRUE(world.Prepared(0).PostReceive(world.Context(), pair.id, work).succeeded());
    }
    return world.Fingerprint();
  };
  EXPECT_EQ(queued(1, 2), queued(1, 2));
  EXPECT_NE(queued(1, 2), queued(2, 1));
  EXPECT_TRUE(pair.Lib(0).DestroyQp(pair.world.Context(), pair.id).succeeded());
  const auto extended = [&pair](uint32_t vendor) {
    World world = pair.world;
    const EceOptions ece{.vendor_id = vendor, .options = 2};
    EXPECT_TRUE(world.Prepared(0).SetLocalEce(pair.id, ece).succeeded());
    return world.Fingerprint();
  };
  EXPECT_EQ(extended(1), extended(1));
  EXPECT_NE(extended(1), extended(2));
}

TEST(AWorld, HasNothingInUseAfterAProcessExits) {
  Pair pair;
  pair.Connect();
  pair.Take(1, EventType::kConnectRequest);
  EXPECT_NE(pair.world.InUse(), Usage{});
  pair.world.Inject({.kind = FaultKind::kExit, .side = 0});
  pair.world.Inject({.kind = FaultKind::kExit, .side = 1});
  pair.world.RunUntil(pair.world.Now() + Duration::Seconds(2000));
  EXPECT_EQ(pair.world.InUse(), Usage{});
}

TEST(AWorld, HasAnActionForEachKindOfFault) {
  for (const FaultRow& row : kFaultKinds)
    EXPECT_NE(World::ActionOf(row.kind), nullptr)
        << "sim/world/faults.cc does not say what " << row.name << " does";
}

// Packet faults change nothing before a message is sent, and the administrator of a subnet is of
// InfiniBand; what else heals shows in the devices.
TEST(AWorld, IsHealedOfWhatItsTableSays) {
  const Profile& profile = *FindProfile("6.1-ib");
  for (const FaultRow& row : kFaultKinds) {
    World world(FindTopology("bond"), &profile);
    const uint64_t before = world.Fingerprint();
    world.Inject(
        {.kind = row.kind, .messages = MadKinds::All(), .last = 1, .by = Duration::Seconds(1)});
    const bool changes = world.Fingerprint() != before;
    world.Heal();
    while (world.NextAt()) world.Step();
    if (row.healed) {
      EXPECT_TRUE(changes) << row.name;
      EXPECT_EQ(world.Fingerprint(), before) << row.name;
    }
    if (row.undone_by && !row.healed) {
      EXPECT_NE(world.Fingerprint(), before) << row.name;
    }
  }
}

}  // namespace
}  // namespace cm::sim
