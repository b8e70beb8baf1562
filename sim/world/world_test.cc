// Whole worlds: timers, copies that behave like the original, and destroys that wait.
#include "sim/world/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace cm::sim {
namespace {

using testing::Each;
using testing::SizeIs;

constexpr Address Of(uint8_t side, uint16_t port) {
  return {.kind = AddressKind::kSide, .side = side, .port = port};
}

const call::ResolveAddr kResolve{.source = Of(0, 0), .destination = Of(1, 7471)};

// A listener, and an id with a resolved route.
class Pair {
 public:
  explicit Pair(std::string_view profile = "6.1-rxe")
      : profile_(*FindProfile(profile)), world(FindTopology("two-kernels"), &profile_) {
    world.WatchWire();
    server_channel = world.Do(1, call::CreateEventChannel{.nonblocking = true}, {}).made;
    listener = world.Do(1, call::CreateId{}, {.channel = server_channel}).made;
    Do(1, call::BindAddr{.address = Of(1, 7471)}, listener);
    Do(1, call::Listen{}, listener);
    channel = world.Do(0, call::CreateEventChannel{.nonblocking = true}, {}).made;
    id = world.Do(0, call::CreateId{}, {.channel = channel}).made;
    Do(0, kResolve, id);
    Take(0, EventType::kAddrResolved);
    Do(0, call::ResolveRoute{}, id);
    Take(0, EventType::kRouteResolved);
    Do(0, call::CreateQp{}, id);
  }

  // A call on an id; it succeeds.
  template <typename Call>
  void Do(uint8_t side, const Call& call, uint32_t on) {
    EXPECT_TRUE(world.Do(side, call, {.id = on}).reply.succeeded());
  }
  bool Readable(uint8_t side) {
    return sim::Readable(world.Context(), world.Prepared(side),
                         side == 0 ? channel : server_channel);
  }
  void Connect() {
    connected = world.Now();
    Do(0, call::Connect{.param = ConnParam{}}, id);
  }
  // The next event of the side, and its time; acknowledged immediately.
  Instant Take(uint8_t side, EventType type) {
    const uint32_t on = side == 0 ? channel : server_channel;
    while (!Readable(side)) {
      if (!world.NextAt()) {
        ADD_FAILURE() << "no event, ever";
        return Instant::Never();
      }
      world.Step();
    }
    const Progress got = world.Do(side, call::GetCmEvent{}, {.channel = on});
    last = world.library(side).events[got.made];
    EXPECT_EQ(last.event.type, type) << ToString(last.event.type);
    EXPECT_TRUE(world.Do(side, call::AckCmEvent{}, {.event = got.made}).reply.succeeded());
    return world.Now();
  }
  // Times of the side's messages of the kind since the last call.
  std::vector<Instant> Sent(MadKind kind, uint8_t side) {
    std::vector<Instant> times;
    world.VisitWire([&](const WireNote& note) {
      if (note.mad.kind == kind && note.from == side) times.push_back(note.at);
    });
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
    pair.Do(1, call::CreateQp{}, passive);
    pair.Do(1, call::Accept{.param = ConnParam{}}, passive);
    pair.Take(0, EventType::kEstablished);
    pair.Take(1, EventType::kEstablished);
    pair.Do(0, call::Disconnect{}, pair.id);
    pair.Take(1, EventType::kDisconnected);
    pair.Do(1, call::Disconnect{}, passive);
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
  while (!pair.Readable(0)) pair.world.Step();
  const Progress got = pair.world.Do(0, call::GetCmEvent{}, {.channel = pair.channel});
  const Progress destroy = pair.world.Do(0, call::DestroyId{}, {.id = pair.id});
  ASSERT_EQ(destroy.ongoing.waiting, Waiting::kAcks);
  const auto go_on = [&] {
    return Continue(pair.world.Context(), pair.world.Prepared(0), destroy.ongoing);
  };
  EXPECT_EQ(go_on().ongoing.waiting, Waiting::kAcks);
  EXPECT_TRUE(pair.world.Do(0, call::AckCmEvent{}, {.event = got.made}).reply.succeeded());
  const Progress over = go_on();
  EXPECT_EQ(over.ongoing.waiting, Waiting::kNothing);
  EXPECT_TRUE(over.reply.succeeded());
}

// TCP keeps the order: a lost reply is retransmitted before later data is delivered.
TEST(AConnectionOverTcp, HearsOfTheReplyBeforeItHearsOfTheEnd) {
  Pair pair("6.1-siw");
  pair.Connect();
  pair.Take(1, EventType::kConnectRequest);
  const uint32_t passive = pair.last.id;
  pair.Do(1, call::CreateQp{}, passive);
  pair.world.Inject({.kind = FaultKind::kLinkDown, .side = 0});
  pair.Do(1, call::Accept{.param = ConnParam{}}, passive);
  pair.Take(1, EventType::kEstablished);
  pair.world.RunUntil(pair.world.Now() + Duration::Milliseconds(50));
  pair.world.Inject({.kind = FaultKind::kLinkUp, .side = 0});
  pair.Do(1, call::Disconnect{}, passive);
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
  const uint32_t id = pair.world.Do(0, call::CreateId{}, {}).made;
  perform(pair.world.Do(0, kResolve, {.id = id}));
  perform(pair.world.Do(0, call::ResolveRoute{}, {.id = id}));
  pair.Do(0, call::CreateQp{}, id);
  const Progress connects = pair.world.Do(0, call::Connect{.param = ConnParam{}}, {.id = id});
  ASSERT_EQ(connects.ongoing.waiting, Waiting::kCompletion);
  const Progress waits = pair.world.Do(0, call::Disconnect{}, {.id = id});
  ASSERT_EQ(waits.ongoing.waiting, Waiting::kReply);
  pair.world.Block(kDisconnecting, waits.ongoing);
  pair.Take(1, EventType::kConnectRequest);
  pair.Do(1, call::CreateQp{}, pair.last.id);
  pair.Do(1, call::Accept{.param = ConnParam{}}, pair.last.id);
  pair.world.RunUntil(pair.world.Now() + Duration::Microseconds(10));
  // It takes the next event, which is that of the connection.
  EXPECT_TRUE(pair.world.Continue(kDisconnecting).reply.succeeded());
  const Library& library = pair.world.library(0);
  EXPECT_EQ(library.events[library.ids[id].event].event.type, EventType::kEstablished);
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

// The one is overtaken by the next message, and the other is not.
TEST(AFingerprint, TellsAMessageThatIsHeldFromOneThatIsLate) {
  const auto after = [](FaultKind kind, Duration by) {
    Pair pair;
    pair.world.Inject({.kind = kind, .messages = MadKinds(MadKind::kReq), .last = 1, .by = by});
    pair.Connect();
    pair.world.Heal();
    EXPECT_EQ(pair.world.NextAt(), pair.connected + Duration::Milliseconds(5));
    return pair.world.Fingerprint();
  };
  EXPECT_NE(after(FaultKind::kReorder, {}),
            after(FaultKind::kDelay, Duration::Milliseconds(5) - Fabric::kLatency));
}

TEST(AFingerprint, TellsChannelsApartThatWaitAndThatDoNot) {
  Pair pair;
  const auto with = [&pair](bool nonblocking) {
    World world = pair.world;
    const call::CreateEventChannel create{.nonblocking = nonblocking};
    EXPECT_TRUE(world.Do(0, create, {}).reply.succeeded());
    return world.Fingerprint();
  };
  EXPECT_EQ(with(true), with(true));
  EXPECT_NE(with(true), with(false));
}

TEST(AFingerprint, TellsApartWhatIsQueuedAndWhatTheLibraryKnows) {
  Pair pair;
  const auto queued = [&pair](uint16_t first, uint16_t second) {
    World world = pair.world;
    for (const uint16_t context : {first, second}) {
      call::PostRecv post;
      post.context = context;
      EXPECT_TRUE(world.Do(0, post, {.id = pair.id}).reply.succeeded());
    }
    return world.Fingerprint();
  };
  EXPECT_EQ(queued(1, 2), queued(1, 2));
  EXPECT_NE(queued(1, 2), queued(2, 1));
  pair.Do(0, call::DestroyQp{}, pair.id);
  const auto extended = [&pair](uint32_t vendor) {
    World world = pair.world;
    const call::SetLocalEce set{.ece = {.vendor_id = vendor, .options = 2}};
    EXPECT_TRUE(world.Do(0, set, {.id = pair.id}).reply.succeeded());
    return world.Fingerprint();
  };
  EXPECT_EQ(extended(1), extended(1));
  EXPECT_NE(extended(1), extended(2));
}

// Ids on one device report its removal in this order; the newest owner of a port decides.
TEST(AFingerprint, TellsTheOrderOfIdsOnADeviceAndOfThoseThatShareAPort) {
  Pair pair;
  std::array<uint32_t, 2> ids{};
  for (uint32_t& id : ids) {
    id = pair.world.Do(0, call::CreateId{}, {.channel = pair.channel}).made;
    pair.Do(0, call::SetOption{.option = kReuseAddrOption, .value = 1}, id);
  }
  const auto bound = [&](size_t first, const std::array<Address, 2>& addresses) {
    World world = pair.world;
    for (const size_t nth : {first, 1 - first}) {
      const call::BindAddr bind{.address = addresses[nth]};
      EXPECT_TRUE(world.Do(0, bind, {.id = ids[nth]}).reply.succeeded());
    }
    return world.Fingerprint();
  };
  const std::array two_on_a_device = {Of(0, 7001), Of(0, 7002)};
  const std::array one_port = {Of(0, 7001), Address{.kind = AddressKind::kAny, .port = 7001}};
  for (const auto& addresses : {two_on_a_device, one_port}) {
    EXPECT_EQ(bound(0, addresses), bound(0, addresses));
    EXPECT_NE(bound(0, addresses), bound(1, addresses));
  }
}

TEST(AFingerprint, DoesNotCareWhichOfTwoHostsWasFirst) {
  Pair pair;
  const std::array channels = {pair.channel, pair.server_channel};
  std::array<uint32_t, 2> ids{};
  for (const uint8_t side : {uint8_t{0}, uint8_t{1}})
    ids[side] = pair.world.Do(side, call::CreateId{}, {.channel = channels[side]}).made;
  const auto bound = [&](uint8_t first) {
    World world = pair.world;
    for (const auto side : {first, static_cast<uint8_t>(1 - first)}) {
      const call::BindAddr bind{.address = Of(side, 7001)};
      EXPECT_TRUE(world.Do(side, bind, {.id = ids[side]}).reply.succeeded());
    }
    return world.Fingerprint();
  };
  EXPECT_EQ(bound(0), bound(1));
}

// Takes the last of what is to be chosen from, and counts the choices.
class LastChoice : public Choice {
 public:
  uint64_t Below(uint64_t bound, std::string_view /*what*/) override {
    ++choices;
    return bound - 1;
  }
  int choices = 0;
};

TEST(TheOrderOfAnInstant, IsThatOfSendingOnOneLink) {
  Pair pair;
  pair.Connect();
  // Its REJ is sent at the same instant as the REQ.
  pair.Do(0, call::DestroyId{}, pair.id);
  World other = pair.world;
  const Instant arrives = *pair.world.NextAt();
  LastChoice last;
  pair.world.RunUntil(arrives, &last);
  other.RunUntil(arrives);
  EXPECT_EQ(last.choices, 0);
  EXPECT_EQ(pair.world.Fingerprint(), other.Fingerprint());
}

TEST(AFingerprintOfAnId, HasWhatItIsTiedTo) {
  Pair pair;
  const uint64_t before = pair.world.FingerprintOf(0, pair.id);
  EXPECT_EQ(pair.world.FingerprintOf(0, kNobody), 0U);
  pair.Connect();
  const uint64_t sent = pair.world.FingerprintOf(0, pair.id);
  EXPECT_NE(sent, before);
  pair.world.RunUntil(*pair.world.NextAt());
  EXPECT_NE(pair.world.FingerprintOf(0, pair.id), sent) << "its peer has the request";
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
