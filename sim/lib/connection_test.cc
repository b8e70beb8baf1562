// What the library does to queue pairs, and what it refuses before it asks the kernel.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "sim/lib/pair.h"

namespace cm::sim {
namespace {

class ConnectionTest : public Pair {
 protected:
  ConnectionTest() { Listen(Create(1)); }
  std::optional<QpState> StateOf(uint8_t side, uint32_t id) {
    return Show(world_.Context(), world_.library(side), id).qp;
  }
};

TEST_F(ConnectionTest, BringsBothQueuePairsUp) {
  const uint32_t active = CreateResolved();
  EXPECT_EQ(StateOf(0, active), QpState::kInit);
  const uint32_t passive = Request(active);
  EXPECT_EQ(StateOf(1, passive), QpState::kInit);
  EXPECT_EQ(On(1, passive, call::Accept{.param = ConnParam{}}), Errno::kNone);
  EXPECT_EQ(StateOf(1, passive), QpState::kRts);
  // The reply has arrived when its event is fetched, not before.
  world_.RunUntil(world_.Now() + Duration::Milliseconds(1));
  EXPECT_EQ(StateOf(0, active), QpState::kInit);
  EXPECT_EQ(Take(0, EventType::kEstablished), active);
  EXPECT_EQ(StateOf(0, active), QpState::kRts);
  EXPECT_EQ(Take(1, EventType::kEstablished), passive);
  EXPECT_EQ(On(0, active, call::Disconnect{}), Errno::kNone);
  EXPECT_EQ(StateOf(0, active), QpState::kErr);
  EXPECT_EQ(StateOf(1, passive), QpState::kRts);
  EXPECT_EQ(On(0, active, call::DestroyQp{}), Errno::kNone);
  EXPECT_EQ(StateOf(0, active), std::nullopt);
}

TEST_F(ConnectionTest, IsRefusedWithThePeersDataAndAnErrorOfTheQueuePair) {
  const uint32_t active = CreateResolved();
  const uint32_t passive = Request(active);
  EXPECT_EQ(On(1, passive, call::Reject{}), Errno::kNone);
  const uint32_t event = Fetch(0, EventType::kRejected);
  EXPECT_EQ(Fetched(0, event).event.status, 28);
  EXPECT_EQ(StateOf(0, active), QpState::kErr);
  EXPECT_EQ(StateOf(1, passive), QpState::kInit);
}

TEST_F(ConnectionTest, HasOneQueuePairOfADevice) {
  const uint32_t id = CreateResolved();
  EXPECT_EQ(On(0, id, call::CreateQp{}), Errno::kInval);
  EXPECT_EQ(On(0, id, call::Establish{}), Errno::kInval);
  const uint32_t unbound = Create(0);
  EXPECT_EQ(Do(0, call::CreateQp{}, {.id = unbound}).reply, Reply::Crashed());
  EXPECT_EQ(Do(0, call::DestroyQp{}, {.id = unbound}).reply, Reply::Crashed());
  EXPECT_EQ(Do(0, call::ResolveRoute{}, {.id = unbound}).reply, Reply::Crashed());
  EXPECT_EQ(On(0, unbound, call::Disconnect{}), Errno::kInval);
}

// The device takes depths of 128; 255 is the largest that it has.
TEST_F(ConnectionTest, AsksForDepthsThatTheDeviceHas) {
  const uint32_t id = CreateResolved();
  EXPECT_EQ(On(0, id, call::Connect{.param = ConnParam{.responder_resources = 129}}),
            Errno::kInval);
  EXPECT_EQ(On(0, id, call::Connect{.param = ConnParam{.initiator_depth = 129}}), Errno::kInval);
  EXPECT_EQ(On(0, id,
               call::Connect{.param = ConnParam{.responder_resources = 255, .initiator_depth = 5}}),
            Errno::kNone);
  EXPECT_EQ(At(0, id).responder_resources, 128);
  EXPECT_EQ(At(0, id).initiator_depth, 5);
  // What one side may initiate, the other one answers.
  const uint32_t event = Fetch(1, EventType::kConnectRequest);
  EXPECT_EQ(Fetched(1, event).event.conn.initiator_depth, 128);
  EXPECT_EQ(Fetched(1, event).event.conn.responder_resources, 5);
}

// The passive side takes the depths of its accept, and the active side those of the reply. source:
// docs/sources/api.md 5.3
TEST_F(ConnectionTest, HasTheDepthsOfTheAcceptAndOfItsReply) {
  const uint32_t active = CreateResolved();
  const ConnParam asked{.responder_resources = 0, .initiator_depth = 3};
  EXPECT_EQ(On(0, active, call::Connect{.param = asked}), Errno::kNone);
  const uint32_t passive = Take(1, EventType::kConnectRequest);
  EXPECT_EQ(On(1, passive, call::CreateQp{}), Errno::kNone);
  const ConnParam given{.responder_resources = 2, .initiator_depth = 1};
  EXPECT_EQ(On(1, passive, call::Accept{.param = given}), Errno::kNone);
  Take(0, EventType::kEstablished);
  const auto depths = [&](uint8_t side, uint32_t id) {
    const Connection& own = world_.Context().verbs->at(At(side, id).qp).connection;
    return std::pair(int{own.initiator_depth}, int{own.responder_resources});
  };
  EXPECT_EQ(depths(1, passive), std::pair(1, 2));
  EXPECT_EQ(depths(0, active), std::pair(2, 1));
}

TEST_F(ConnectionTest, NeedsParametersOrAQueuePair) {
  const uint32_t id = CreateResolved();
  EXPECT_EQ(On(0, id, call::DestroyQp{}), Errno::kNone);
  EXPECT_EQ(On(0, id, call::Connect{}), Errno::kInval);
  EXPECT_EQ(Do(0, call::Accept{}, {.id = id}).reply, Reply::Crashed());
}

TEST_F(ConnectionTest, TakesExtendedOptionsBeforeItHasAQueuePair) {
  const uint32_t id = Create(0);
  EXPECT_EQ(On(0, id, call::SetLocalEce{.ece = {.vendor_id = 0}}), Errno::kInval);
  EXPECT_EQ(On(0, id, call::SetLocalEce{.ece = {.vendor_id = 1, .comp_mask = 1}}), Errno::kInval);
  EXPECT_EQ(On(0, id, call::SetLocalEce{.ece = {.vendor_id = 1}}), Errno::kNone);
  EXPECT_EQ(On(0, id, call::GetRemoteEce{}), Errno::kNone);
  const uint32_t with_qp = CreateResolved();
  EXPECT_EQ(On(0, with_qp, call::SetLocalEce{.ece = {.vendor_id = 1}}), Errno::kInval);
  EXPECT_EQ(On(0, with_qp, call::GetRemoteEce{}), Errno::kInval);
}

TEST_F(ConnectionTest, MovesDataWhenItIsThere) {
  const uint32_t active = CreateResolved();
  const uint32_t passive = Request(active);
  const auto region = [&](uint8_t side, uint32_t id, std::string_view name) {
    return Do(side, call::RegMsgs{.length = 8}, {.id = id, .region_name = name}).made;
  };
  const auto at = [](uint32_t id, uint32_t mr) {
    Named named{.id = id};
    named.regions.push_back(mr);
    return named;
  };
  const uint32_t from = region(0, active, "from");
  const uint32_t to = region(1, passive, "to");
  call::PostRecv receive;
  receive.context = 2;
  receive.sges.push_back({.length = 8});
  EXPECT_TRUE(Do(1, receive, at(passive, to)).reply.succeeded());
  EXPECT_EQ(On(1, passive, call::Accept{.param = ConnParam{}}), Errno::kNone);
  Take(0, EventType::kEstablished);
  call::PostSend send;
  send.context = 1;
  send.sges.push_back({.length = 8});
  EXPECT_EQ(Do(0, send, {.id = Create(0)}).reply, Reply::Crashed()) << "without a queue pair";
  EXPECT_TRUE(Do(0, send, at(active, from)).reply.succeeded());
  const Progress blocked = Do(0, call::GetSendComp{}, {.id = active});
  EXPECT_EQ(blocked.ongoing.waiting, Waiting::kCqEvent);
  EXPECT_EQ(std::get<Completion>(*Wait(0, blocked).output).context, 1);
  const Progress got = Do(1, call::GetRecvComp{}, {.id = passive});
  EXPECT_EQ(std::get<Completion>(*got.output).length, 8u);
  // Both buffers have the bytes of the first now.
  const auto digest = [&](uint8_t side, uint32_t id, uint32_t mr) {
    return std::get<BytesOutput>(*Do(side, call::DeregMr{}, at(id, mr)).output).digest;
  };
  EXPECT_EQ(digest(1, passive, to), digest(0, active, from));
}

class OverIwarpTest : public Pair {
 protected:
  OverIwarpTest() : Pair("6.1-siw") {}
};

TEST_F(OverIwarpTest, ADatagramQueuePairIsNotSupported) {
  const uint32_t id = Create(1);
  EXPECT_EQ(On(1, id, call::BindAddr{.address = Of(1, kPort)}), Errno::kNone);
  EXPECT_EQ(On(1, id, call::CreateQp{.type = QpType::kUd}), Errno::kNotSup);
}

}  // namespace
}  // namespace cm::sim
