// The IB CM's answers to messages that are visible on the wire only.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/core/agenda.h"
#include "sim/fabric/fabric.h"
#include "sim/ib_cm/ib_cm.h"

namespace cm::sim {
namespace {

constexpr uint8_t kHere = 0;   // the device of the id under test
constexpr uint8_t kThere = 2;  // the tester's device
constexpr uint32_t kPeer = 77;

// Listens for every service, and accepts every request.
class Taker : public IbCmUser {
 public:
  bool Listens(uint8_t /*device*/, const Mad& /*req*/) override { return true; }
  RequestVerdict OnRequest(IbIndex ib, uint8_t /*device*/, const Mad& /*req*/) override {
    requested = ib;
    return RequestVerdict::kTaken;
  }
  void OnIbEvent(CmIdIndex /*user*/, IbEventKind kind, const Mad* /*mad*/) override {
    heard.push_back(kind);
  }
  void OnIbGone(CmIdIndex /*user*/) override {}

  IbIndex requested;
  std::vector<IbEventKind> heard;
};

class IbCmAnswers : public testing::Test {
 protected:
  IbCmAnswers() { fabric_.watches = true; }

  IbCm::Context Context() { return {&agenda_, &fabric_, &taker_, profile_}; }

  void Receive(Mad mad) {
    mad.sender = kThere;
    ib_.Receive(Context(), kHere, mad);
  }
  // The last message sent since the last call; empty when there was none.
  std::optional<Mad> Sent() {
    std::vector<WireNote> notes;
    notes.swap(fabric_.wire_notes);
    if (notes.empty()) return std::nullopt;
    return notes.back().mad;
  }
  // The passive end of an established connection.
  IbIndex Established() {
    Receive({.kind = MadKind::kReq,
             .local_cid = kPeer,
             .tid = kPeer,
             .qp_num = 18,
             .response_timeout = 20,
             .max_retries = 15,
             .ack_timeout = 19});
    const IbIndex ib = taker_.requested;
    EXPECT_EQ(ib_.SendRep(Context(), ib, Mad{.qp_num = 17}), Errno::kNone);
    reply_ = Sent().value_or(Mad{});
    Receive({.kind = MadKind::kRtu, .local_cid = kPeer, .remote_cid = reply_.local_cid});
    return ib;
  }
  Mad Disconnect(uint32_t tid) const {
    return {.kind = MadKind::kDreq,
            .local_cid = kPeer,
            .remote_cid = reply_.local_cid,
            .tid = tid,
            .qp_num = 17};
  }

  const Topology* topology_ = FindTopology("tester");
  const Profile* profile_ = FindProfile("6.1-rxe");
  Agenda agenda_;
  Fabric fabric_{topology_, profile_};
  Taker taker_;
  IbCm ib_;
  Mad reply_;
};

TEST_F(IbCmAnswers, HaveTheTransactionOfTheRequest) {
  Established();
  EXPECT_EQ(reply_.tid, kPeer);
}

TEST_F(IbCmAnswers, RejectARequestWithItsTransaction) {
  Receive({.kind = MadKind::kReq, .local_cid = kPeer, .tid = 5, .p_key = 1});
  const std::optional<Mad> rej = Sent();
  ASSERT_TRUE(rej);
  EXPECT_EQ(rej->tid, 5u);
  EXPECT_EQ(rej->local_cid, 0u);
}

TEST_F(IbCmAnswers, BeginADisconnectWithATransactionOfItsOwn) {
  const IbIndex ib = Established();
  EXPECT_EQ(ib_.SendDreq(Context(), ib), Errno::kNone);
  EXPECT_EQ(Sent()->tid, reply_.local_cid);
}

TEST_F(IbCmAnswers, EndADisconnectWithTheTransactionOfTheFirst) {
  const IbIndex ib = Established();
  Receive(Disconnect(101));
  EXPECT_EQ(ib_.SendDrep(Context(), ib), Errno::kNone);
  EXPECT_EQ(Sent()->tid, 101u);
  Receive(Disconnect(102));
  const std::optional<Mad> again = Sent();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->kind, MadKind::kDrep);
  EXPECT_EQ(again->tid, 101u);  // and not that of the message it answers
}

TEST_F(IbCmAnswers, HaveTheTransactionOfTheRequestWhereItHasDisconnectedItself) {
  const IbIndex ib = Established();
  EXPECT_EQ(ib_.SendDreq(Context(), ib), Errno::kNone);
  Receive({.kind = MadKind::kDrep, .local_cid = kPeer, .remote_cid = reply_.local_cid});
  ASSERT_EQ(ib_.at(ib).state, IbState::kTimewait);
  Sent();
  Receive(Disconnect(102));
  EXPECT_EQ(Sent()->tid, kPeer);
}

TEST_F(IbCmAnswers, ToADisconnectOfNobodyHaveItsTransaction) {
  Receive({.kind = MadKind::kDreq, .local_cid = 1, .remote_cid = 999, .tid = 103});
  const std::optional<Mad> drep = Sent();
  ASSERT_TRUE(drep);
  EXPECT_EQ(drep->tid, 103u);
  EXPECT_EQ(drep->local_cid, 999u);
  EXPECT_EQ(drep->remote_cid, 1u);
}

TEST_F(IbCmAnswers, AreNoneToAReplyWhoseSenderIsKnown) {
  Established();
  const IbIndex asks = ib_.Create(0, kHere, CmIdIndex(0), 0);
  EXPECT_EQ(ib_.SendReq(Context(), asks, kThere, 18, Mad{.qp_num = 19}), Errno::kNone);
  const Mad req = Sent().value_or(Mad{});
  taker_.heard.clear();
  Receive({.kind = MadKind::kRep, .local_cid = kPeer, .remote_cid = req.local_cid, .qp_num = 20});
  EXPECT_FALSE(Sent());
  EXPECT_TRUE(taker_.heard.empty());
  EXPECT_EQ(ib_.at(asks).state, IbState::kReqSent);
}

TEST_F(IbCmAnswers, TakeTheTimeThatThePeersDeviceNeedsIntoTimewait) {
  const IbIndex asks = ib_.Create(0, kHere, CmIdIndex(0), 0);
  EXPECT_EQ(ib_.SendReq(Context(), asks, kThere, 18, Mad{.qp_num = 19}), Errno::kNone);
  const Mad req = Sent().value_or(Mad{});
  Receive({.kind = MadKind::kRep,
           .local_cid = kPeer,
           .remote_cid = req.local_cid,
           .qp_num = 20,
           .ack_delay = 25});
  EXPECT_EQ(ib_.at(asks).av_timeout, AckTimeout(25, 18));
}

// source: linux 5.10 rxe_param.h RXE_MAX_AH
class WithOneAddressHandle : public IbCmAnswers {
 protected:
  WithOneAddressHandle() {
    few_.limits.max_address_handles = 1;
    profile_ = &few_;
  }
  IbIndex Asks() {
    const IbIndex asks = ib_.Create(0, kHere, CmIdIndex(0), 0);
    EXPECT_EQ(ib_.SendReq(Context(), asks, kThere, 18, Mad{.qp_num = 19}), Errno::kNone);
    static_cast<void>(Sent());
    return asks;
  }

 private:
  Profile few_ = *FindProfile("6.1-rxe");
};

TEST_F(WithOneAddressHandle, RefusesARejectionAndAnswersNoRequestUntilItIsFree) {
  const Mad request{.kind = MadKind::kReq, .local_cid = kPeer, .tid = kPeer, .qp_num = 18};
  Receive(request);
  const IbIndex asked = taker_.requested;
  const IbIndex asks = Asks();
  EXPECT_EQ(ib_.SendRej(Context(), asked, RejReason::kConsumerDefined, {}), Errno::kInval);
  EXPECT_FALSE(Sent());
  const Mad wrong{.kind = MadKind::kReq, .local_cid = 5, .tid = 5, .p_key = 1};
  Receive(wrong);
  EXPECT_FALSE(Sent());
  EXPECT_TRUE(ib_.Destroy(Context(), asks));
  static_cast<void>(Sent());
  Receive(wrong);
  ASSERT_TRUE(Sent());
}

TEST_F(WithOneAddressHandle, EndsAConnectionUnsaid) {
  const IbIndex connected = Established();
  Asks();
  EXPECT_EQ(ib_.SendDreq(Context(), connected), Errno::kInval);
  EXPECT_FALSE(Sent());
  EXPECT_EQ(ib_.at(connected).state, IbState::kTimewait);
}

}  // namespace
}  // namespace cm::sim
