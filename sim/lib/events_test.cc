// What an unacknowledged event holds up, and what becomes of events.
#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <variant>

#include "sim/lib/pair.h"

namespace cm::sim {
namespace {

class EventsTest : public Pair {
 protected:
  // An id with two fetched events, of which none is acknowledged.
  void FetchTwo() {
    id_ = Create(0);
    EXPECT_EQ(On(0, id_, call::ResolveAddr{.destination = Of(1, kPort)}), Errno::kNone);
    first_ = Fetch(0, EventType::kAddrResolved);
    EXPECT_EQ(On(0, id_, call::ResolveRoute{}), Errno::kNone);
    second_ = Fetch(0, EventType::kRouteResolved);
  }
  // The call is blocked until both events are acknowledged, in any order.
  void ExpectHeldUp(Progress progress, Waiting waiting) {
    ASSERT_EQ(progress.ongoing.waiting, waiting);
    EXPECT_EQ(GoOn(0, progress).ongoing.waiting, waiting);
    Ack(0, second_);
    EXPECT_EQ(GoOn(0, progress).ongoing.waiting, waiting);
    Ack(0, first_);
    EXPECT_TRUE(GoOn(0, progress).reply.succeeded());
  }

  uint32_t id_ = kNobody;
  uint32_t first_ = kNobody;
  uint32_t second_ = kNobody;
};

TEST_F(EventsTest, HoldUpTheDestroyOfTheirId) {
  FetchTwo();
  ExpectHeldUp(Do(0, call::DestroyId{}, {.id = id_}), Waiting::kAcks);
  EXPECT_FALSE(world_.library(0).ids.Live(id_));
}

TEST_F(EventsTest, HoldUpTheMigrationOfTheirId) {
  FetchTwo();
  const uint32_t other = Do(0, call::CreateEventChannel{}).made;
  const Progress moves = Do(0, call::MigrateId{}, {.id = id_, .channel = other});
  EXPECT_EQ(At(0, id_).channel, other) << "it has moved, and the call waits";
  ExpectHeldUp(moves, Waiting::kMigrationAcks);
}

TEST_F(EventsTest, ThatAreNotFetchedHoldNothingUp) {
  const uint32_t id = Create(0);
  EXPECT_EQ(On(0, id, call::ResolveAddr{.destination = Of(1, kPort)}), Errno::kNone);
  world_.RunUntil(world_.Now() + Duration::Seconds(1));
  EXPECT_TRUE(Readable(world_.Context(), world_.library(0), channels_[0]));
  EXPECT_EQ(On(0, id, call::DestroyId{}), Errno::kNone);
  EXPECT_FALSE(Readable(world_.Context(), world_.library(0), channels_[0]));
}

TEST_F(EventsTest, OfARequestBelongToItsListener) {
  const uint32_t listener = Create(1);
  Listen(listener);
  const uint32_t active = CreateResolved();
  EXPECT_EQ(On(0, active, call::Connect{.param = ConnParam{}}), Errno::kNone);
  const uint32_t event = Fetch(1, EventType::kConnectRequest);
  EXPECT_EQ(Fetched(1, event).listen_id, listener);
  EXPECT_EQ(On(1, Fetched(1, event).id, call::DestroyId{}), Errno::kNone) << "it counts not there";
  const Progress destroy = Do(1, call::DestroyId{}, {.id = listener});
  EXPECT_EQ(destroy.ongoing.waiting, Waiting::kAcks);
  Ack(1, event);
  EXPECT_TRUE(GoOn(1, destroy).reply.succeeded());
}

// Each of a membership counts for the leave and for the id.
TEST_F(EventsTest, OfAGroupHoldUpLeavingIt) {
  const uint32_t id = Create(0, PortSpace::kUdp);
  EXPECT_EQ(On(0, id, call::BindAddr{.address = Of(0, kPort)}), Errno::kNone);
  const Address group{.kind = AddressKind::kGroup};
  EXPECT_EQ(On(0, id, call::LeaveMulticast{.address = group}), Errno::kAddrNotAvail);
  EXPECT_EQ(On(0, id, call::LeaveMulticast{}), Errno::kInval);
  EXPECT_EQ(On(0, id, call::JoinMulticast{.address = group, .context = 5}), Errno::kNone);
  const uint32_t joined = Fetch(0, EventType::kMulticastJoin);
  EXPECT_EQ(Fetched(0, joined).event.context, 5);
  const Progress leave = Do(0, call::LeaveMulticast{.address = group}, {.id = id});
  ASSERT_EQ(leave.ongoing.waiting, Waiting::kGroupAcks);
  EXPECT_EQ(On(0, id, call::LeaveMulticast{.address = group}), Errno::kAddrNotAvail);
  Ack(0, joined);
  EXPECT_TRUE(GoOn(0, leave).reply.succeeded());
  EXPECT_EQ(On(0, id, call::DestroyId{}), Errno::kNone);
}

TEST_F(EventsTest, AreWaitedForUnlessTheChannelIsNonBlocking) {
  EXPECT_EQ(Do(0, call::GetCmEvent{}, {.channel = channels_[0]}).reply,
            Reply::Refused(Errno::kAgain));
  const uint32_t blocking = Do(0, call::CreateEventChannel{}).made;
  const uint32_t id = Do(0, call::CreateId{}, {.channel = blocking}).made;
  EXPECT_EQ(On(0, id, call::ResolveAddr{.destination = Of(1, kPort)}), Errno::kNone);
  const Progress waits = Do(0, call::GetCmEvent{}, {.channel = blocking});
  EXPECT_EQ(waits.ongoing.waiting, Waiting::kEvent);
  const Progress got = Wait(0, waits);
  EXPECT_EQ(Fetched(0, got.made).event.type, EventType::kAddrResolved);
}

TEST_F(EventsTest, SayConnectErrorWhenAStepOfTheLibraryFails) {
  Listen(Create(1));
  const uint32_t active = CreateResolved();
  const uint32_t passive = Request(active);
  EXPECT_EQ(On(1, passive, call::Accept{.param = ConnParam{}}), Errno::kNone);
  world_.RunUntil(world_.Now() + Duration::Milliseconds(1));
  // From ERR a queue pair does not go to INIT.
  const uint32_t qp = At(0, active).qp;
  ASSERT_EQ(world_.Context().verbs->Modify(qp, QpState::kErr), Errno::kNone);
  EXPECT_EQ(Take(0, EventType::kConnectError), active);
  EXPECT_TRUE(At(0, active).connect_error) << "it hides later events of the connection";
}

// The id gets its queue pair, which has no vendor, between its request and the reply.
TEST_F(EventsTest, SayConnectErrorForAReplyOfAnotherVendor) {
  Listen(Create(1));
  const uint32_t active = Create(0);
  EXPECT_EQ(On(0, active, call::ResolveAddr{.destination = Of(1, kPort)}), Errno::kNone);
  Take(0, EventType::kAddrResolved);
  EXPECT_EQ(On(0, active, call::ResolveRoute{}), Errno::kNone);
  Take(0, EventType::kRouteResolved);
  EXPECT_EQ(On(0, active, call::SetLocalEce{.ece = {.vendor_id = 7}}), Errno::kNone);
  const uint32_t passive = Request(active);
  EXPECT_EQ(On(0, active, call::CreateQp{}), Errno::kNone);
  EXPECT_EQ(On(1, passive, call::Accept{.param = ConnParam{}}), Errno::kNone);
  EXPECT_EQ(Take(0, EventType::kConnectError), active);
  EXPECT_TRUE(At(0, active).connect_error);
  EXPECT_EQ(world_.Context().verbs->at(At(0, active).qp).state, QpState::kErr);
}

TEST_F(EventsTest, HaveNames) {
  const auto name = [&](uint8_t type) {
    const Progress said = Do(0, call::EventStr{.type = type});
    return std::get<TextOutput>(*said.output);
  };
  EXPECT_EQ(name(0).words(), "RDMA_CM_EVENT_ADDR_RESOLVED");
  EXPECT_EQ(name(200).words(), "UNKNOWN EVENT");
}

class WrittenEventsTest : public Pair {
 protected:
  WrittenEventsTest() : Pair("7.2-rxe") {}
};

TEST_F(WrittenEventsTest, AreOfTheUser) {
  const uint32_t id = Create(0);
  EXPECT_EQ(On(0, id, call::WriteCmEvent{.type = 0}), Errno::kInval);
  EXPECT_EQ(On(0, id, call::WriteCmEvent{.status = -3, .argument = 77}), Errno::kNone);
  const uint32_t event = Fetch(0, EventType::kUser);
  EXPECT_EQ(Fetched(0, event).event.status, -3);
  EXPECT_EQ(Fetched(0, event).event.argument, 77u);
}

}  // namespace
}  // namespace cm::sim
