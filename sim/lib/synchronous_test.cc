// Synchronous ids: calls that wait for their event, requests in their order, endpoints, lookups.
#include <gtest/gtest.h>

#include <cstdint>
#include <variant>

#include "sim/lib/pair.h"

namespace cm::sim {
namespace {

class SynchronousTest : public Pair {
 protected:
  template <typename Call>
  Errno Waited(uint8_t side, uint32_t id, const Call& call) {
    return WaitOn(side, Do(side, call, {.id = id}));
  }
  EventType Retained(uint8_t side, uint32_t id) const {
    return Fetched(side, At(side, id).event).event.type;
  }
  uint32_t Resolved() {
    const uint32_t id = CreateSynchronous(0);
    EXPECT_EQ(Waited(0, id, call::ResolveAddr{.destination = Of(1, kPort)}), Errno::kNone);
    EXPECT_EQ(Waited(0, id, call::ResolveRoute{}), Errno::kNone);
    EXPECT_EQ(On(0, id, call::CreateQp{}), Errno::kNone);
    return id;
  }
};

TEST_F(SynchronousTest, ACallReturnsWithItsEventWhichTheNextOneReleases) {
  const uint32_t id = CreateSynchronous(0);
  EXPECT_EQ(Waited(0, id, call::ResolveAddr{.destination = Of(1, kPort)}), Errno::kNone);
  EXPECT_EQ(Retained(0, id), EventType::kAddrResolved);
  EXPECT_EQ(Waited(0, id, call::ResolveRoute{}), Errno::kNone);
  EXPECT_EQ(Retained(0, id), EventType::kRouteResolved);
  EXPECT_EQ(world_.library(0).events.live_count(), 1u);
  EXPECT_EQ(At(0, id).events_completed, 1u);
  EXPECT_EQ(On(0, id, call::DestroyId{}), Errno::kNone) << "it acknowledges the last one itself";
  EXPECT_EQ(world_.library(0).events.live_count(), 0u);
}

// Two of three requests fit; each is fetched once, in the order of arrival.
TEST_F(SynchronousTest, RequestsAreReturnedInTheirOrderUpToTheBacklog) {
  const uint32_t listener = CreateSynchronous(1);
  EXPECT_EQ(On(1, Create(1), call::GetRequest{}), Errno::kInval) << "on another channel";
  Listen(listener, 2);
  const uint32_t ids[] = {CreateResolved(), CreateResolved(), CreateResolved()};
  for (const uint32_t id : ids)
    EXPECT_EQ(On(0, id, call::Connect{.param = ConnParam{}}), Errno::kNone);
  world_.RunUntil(world_.Now() + Duration::Milliseconds(1));
  for (int i = 0; i < 2; ++i) {
    const Progress got = Do(1, call::GetRequest{}, {.id = listener});
    ASSERT_TRUE(got.reply.succeeded());
    EXPECT_EQ(At(1, got.made).destination.port, At(0, ids[i]).source.port);
    EXPECT_TRUE(At(1, got.made).synchronous);
    EXPECT_EQ(Retained(1, got.made), EventType::kConnectRequest);
  }
  EXPECT_EQ(Do(1, call::GetRequest{}, {.id = listener}).ongoing.waiting, Waiting::kRequest);
}

TEST_F(SynchronousTest, ConnectReturnsWhatItsEventSays) {
  Listen(Create(1));
  const uint32_t refused = Resolved();
  const Progress first = Do(0, call::Connect{.param = ConnParam{}}, {.id = refused});
  EXPECT_EQ(first.ongoing.waiting, Waiting::kCompletion);
  EXPECT_EQ(On(1, Take(1, EventType::kConnectRequest), call::Reject{}), Errno::kNone);
  EXPECT_EQ(WaitOn(0, first), Errno::kConnRefused);
  EXPECT_EQ(Retained(0, refused), EventType::kRejected);

  const uint32_t unanswered = Resolved();
  world_.Inject({.kind = FaultKind::kDrop, .messages = MadKinds(MadKind::kReq)});
  EXPECT_EQ(Waited(0, unanswered, call::Connect{.param = ConnParam{}}), Errno::kTimedOut);
}

TEST_F(SynchronousTest, AnIdBecomesSynchronousOnce) {
  const uint32_t id = Create(0);
  EXPECT_EQ(On(0, id, call::MigrateId{}), Errno::kNone);
  EXPECT_TRUE(At(0, id).synchronous);
  EXPECT_EQ(On(0, id, call::MigrateId{}), Errno::kInval);
  EXPECT_TRUE(Do(0, call::MigrateId{}, {.id = id, .channel = channels_[0]}).reply.succeeded());
  EXPECT_FALSE(At(0, id).synchronous);
  EXPECT_EQ(world_.library(0).channels.live_count(), 1u) << "its own channel is closed";
}

TEST_F(SynchronousTest, AnEndpointIsMadeInOneCallOrLeavesNothing) {
  const uint32_t ids = world_.InUse().kernel_ids;
  const call::CreateEp active{.destination = Of(1, kPort), .with_qp = true};
  const Progress made = Wait(0, Do(0, active));
  ASSERT_TRUE(made.reply.succeeded());
  EXPECT_NE(At(0, made.made).qp, kNobody);
  EXPECT_EQ(On(0, made.made, call::DestroyEp{}), Errno::kNone);
  const call::CreateEp nowhere{.destination = {.kind = AddressKind::kForeign}, .with_qp = true};
  EXPECT_FALSE(Wait(0, Do(0, nowhere)).reply.succeeded());
  EXPECT_EQ(world_.InUse().kernel_ids, ids);
  EXPECT_EQ(world_.library(0).ids.live_count(), 0u);
}

TEST_F(SynchronousTest, APassiveEndpointGivesItsRequestsQueuePairs) {
  const call::CreateEp passive{.source = Of(1, kPort), .passive = true, .with_qp = true};
  const uint32_t listener = Do(1, passive).made;
  EXPECT_EQ(On(1, listener, call::Listen{}), Errno::kNone);
  EXPECT_EQ(On(0, CreateResolved(), call::Connect{.param = ConnParam{}}), Errno::kNone);
  const Progress got = Wait(1, Do(1, call::GetRequest{}, {.id = listener}));
  EXPECT_NE(At(1, got.made).qp, kNobody);
}

TEST_F(SynchronousTest, ALookupAnswersByItsHints) {
  const auto found = [&](const call::GetAddrInfo& x) {
    const Progress progress = Do(0, x);
    EXPECT_EQ(progress.reply.value, 0);
    return std::get<AddrInfoOutput>(*progress.output);
  };
  EXPECT_EQ(Do(0, call::GetAddrInfo{}).reply, Reply::Refused(Errno::kInval));
  EXPECT_EQ(found({.service = 5}).destination.kind, AddressKind::kLoopback);
  const AddrInfoOutput any = found({.service = 5, .hints = AddrHints{.flags = kPassiveHint}});
  EXPECT_EQ(any.source.kind, AddressKind::kAny);
  EXPECT_EQ(any.source.port, 5);
  EXPECT_EQ(found({.node = Of(1, 0), .hints = AddrHints{.type = QpType::kUd}}).space,
            PortSpace::kUdp);
  EXPECT_EQ(world_.library(0).handed_out, 3u);
  Do(0, call::FreeAddrInfo{});
  EXPECT_EQ(world_.library(0).handed_out, 2u);
}

class LookupOfAnIdTest : public Pair {
 protected:
  LookupOfAnIdTest() : Pair("7.2-rxe") {}
};

TEST_F(LookupOfAnIdTest, IsReturnedOnce) {
  const uint32_t id = Create(0);
  const call::ResolveAddrInfo lookup{.node = Of(1, 0), .service = 5};
  EXPECT_EQ(On(0, id, call::QueryAddrInfo{}), Errno::kNoEnt);
  EXPECT_EQ(On(0, id, lookup), Errno::kNone);
  EXPECT_EQ(On(0, id, lookup), Errno::kBusy);
  EXPECT_EQ(Take(0, EventType::kAddrInfoResolved), id);
  const Progress found = Do(0, call::QueryAddrInfo{}, {.id = id});
  EXPECT_EQ(std::get<AddrInfoOutput>(*found.output).destination, Of(1, 5));
  EXPECT_EQ(On(0, id, call::QueryAddrInfo{}), Errno::kNoEnt);
}

}  // namespace
}  // namespace cm::sim
