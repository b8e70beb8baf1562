// Work that waits while a kernel's CM resolves the sender of a request in vain, and work that does
// not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/core/agenda.h"
#include "sim/fabric/fabric.h"
#include "sim/ib_cm/ib_cm.h"

namespace cm::sim {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr uint8_t kHere = 0;   // the device of the kernel under test
constexpr uint8_t kThere = 2;  // the tester's device
constexpr Duration kLatency = Duration::Microseconds(10);
constexpr Duration kSecond = Duration::Seconds(1);

// A kernel that accepts a tester's requests, and records events.
class AKernelThatLooks : public testing::Test, private IbCmUser {
 protected:
  AKernelThatLooks() { fabric_.watches = true; }

  // From the tester.
  void Send(const Mad& mad) {
    Mad sent = mad;
    sent.sender = kThere;
    fabric_.Send(&agenda_, kThere, kHere, sent);
  }
  void Ask(uint32_t cid, bool unresolvable = false) {
    Send({.kind = MadKind::kReq,
          .local_cid = cid,
          .tid = cid,
          .qp_num = cid,
          .response_timeout = 20,
          .max_retries = 15,
          .ack_timeout = 17,
          .unresolvable = unresolvable});
  }
  // An established connection with the tester; returns its communication id here.
  uint32_t Connect(uint32_t cid) {
    Ask(cid);
    RunFor(kLatency);
    Send({.kind = MadKind::kRtu, .local_cid = cid, .remote_cid = ids_.back()});
    RunFor(kLatency);
    heard_.clear();
    return ids_.back();
  }
  void Disconnect(uint32_t cid, uint32_t there) {
    Send({.kind = MadKind::kDreq,
          .local_cid = cid,
          .remote_cid = there,
          .tid = cid,
          .qp_num = cid + 100});
  }
  void RunFor(Duration span) {
    const Instant until = agenda_.Now() + span;
    while (agenda_.NextAt() && *agenda_.NextAt() <= until) Step();
    agenda_.AdvanceTo(until);
  }
  // Messages sent from here since the last call.
  std::vector<MadKind> Sent() {
    std::vector<MadKind> kinds;
    for (const WireNote& note : fabric_.wire_notes)
      if (note.from == kHere) kinds.push_back(note.mad.kind);
    fabric_.wire_notes.clear();
    return kinds;
  }

  std::vector<std::string> heard_;
  std::vector<uint32_t> ids_;  // communication ids of the requests

  IbCm::Context Context() { return {&agenda_, &fabric_, this, profile_}; }
  IbCm ib_;

 private:
  void Step() {
    Happens();
    for (const IbIndex ib : asked_) {
      const uint32_t number = ib_.at(ib).remote_cid + 100;
      EXPECT_EQ(ib_.SendRep(Context(), ib, Mad{.qp_num = number}), Errno::kNone);
    }
    asked_.clear();
  }
  void Happens() {
    const Event event = agenda_.Take();
    if (event.kind() == EventKind::kMadTimer) ib_.OnMadTimer(Context(), IbIndex(event.on()));
    if (event.kind() == EventKind::kTimewaitOver)
      ib_.OnTimewaitOver(Context(), IbIndex(event.on()));
    if (event.kind() == EventKind::kWorkGoesOn)
      ib_.OnWorkGoesOn(Context(), static_cast<uint8_t>(event.on()));
    if (event.kind() != EventKind::kPacketArrives) return;
    if (const Packet* const packet = fabric_.Arrive(agenda_.Now(), event.on()))
      ib_.Receive(Context(), packet->to, packet->mad);
    else if (const Packet* const late = fabric_.TakeLate())
      ib_.Postpone(Context(), late->to, late->mad);
  }
  bool Listens(uint8_t, const Mad&) override { return true; }
  RequestVerdict OnRequest(IbIndex ib, uint8_t, const Mad& req) override {
    ib_.SetUser(ib, CmIdIndex(ib.value()));
    ids_.push_back(ib_.at(ib).local_cid);
    heard_.push_back("REQ " + std::to_string(req.local_cid));
    asked_.push_back(ib);
    return RequestVerdict::kTaken;
  }
  void OnIbEvent(CmIdIndex user, IbEventKind kind, const Mad*) override {
    const IbIndex ib(user.value());
    if (kind == IbEventKind::kTimewaitExit) return heard_.push_back("TIMEWAIT_EXIT");
    if (kind == IbEventKind::kRtuReceived) return heard_.push_back("RTU");
    if (kind != IbEventKind::kDreqReceived) return heard_.push_back("another");
    heard_.push_back("DREQ");
    EXPECT_EQ(ib_.SendDrep(Context(), ib), Errno::kNone);
  }
  void OnIbGone(CmIdIndex) override {}

  std::vector<IbIndex> asked_;  // requests not accepted yet
  const Topology* topology_ = FindTopology("tester");
  const Profile* profile_ = FindProfile("6.12-rxe");
  Agenda agenda_;
  Fabric fabric_{topology_, profile_};
};

TEST_F(AKernelThatLooks, DoesNothingElseForASecondAndThenAllOfItInOrder) {
  const uint32_t first = Connect(1);
  const uint32_t second = Connect(2);
  Disconnect(1, first);  // its timewait of 512 ms ends within the second
  RunFor(kLatency);
  heard_.clear();
  Ask(10, /*unresolvable=*/true);
  RunFor(Duration::Milliseconds(100));
  Ask(11);
  RunFor(Duration::Milliseconds(600));
  Disconnect(2, second);
  Ask(12);
  RunFor(Duration::Milliseconds(300));
  EXPECT_THAT(heard_, SizeIs(0));
  RunFor(kLatency);
  EXPECT_THAT(heard_, ElementsAre("REQ 11", "TIMEWAIT_EXIT", "DREQ", "REQ 12"));
  heard_.clear();
  Ask(13);
  RunFor(kLatency);
  EXPECT_THAT(heard_, ElementsAre("REQ 13")) << "it is not busy any more";
}

TEST_F(AKernelThatLooks, LooksForEachSenderInTurn) {
  Ask(10, /*unresolvable=*/true);
  Ask(11);
  Ask(12, /*unresolvable=*/true);
  Ask(13);
  RunFor(kSecond + kLatency);
  EXPECT_THAT(heard_, ElementsAre("REQ 11"));
  RunFor(kSecond - Duration::Microseconds(1));
  EXPECT_THAT(heard_, ElementsAre("REQ 11"));
  RunFor(Duration::Microseconds(1));
  EXPECT_THAT(heard_, ElementsAre("REQ 11", "REQ 13"));
}

TEST_F(AKernelThatLooks, SendsItsMessagesAgainAllTheSame) {
  Ask(1);
  RunFor(Duration::Milliseconds(4000));
  EXPECT_THAT(Sent(), ElementsAre(MadKind::kRep));
  Ask(10, /*unresolvable=*/true);
  Send({.kind = MadKind::kRtu, .local_cid = 1, .remote_cid = ids_.back()});
  RunFor(Duration::Milliseconds(900));
  EXPECT_THAT(Sent(), ElementsAre(MadKind::kRep)) << "its answer has come, and waits";
}

TEST_F(AKernelThatLooks, AnswersWhatIsNoMessageOfTheCmAtOnce) {
  Ask(10, /*unresolvable=*/true);
  RunFor(kLatency);
  Send({.kind = MadKind::kOther, .attribute = kClassPortInfo, .method = kGetMethod});
  RunFor(kLatency);
  EXPECT_THAT(Sent(), ElementsAre(MadKind::kOther));
}

TEST_F(AKernelThatLooks, ForgetsWhatWaitsWhenItCrashes) {
  Ask(10, /*unresolvable=*/true);
  Ask(11);
  RunFor(kLatency);
  ib_.Crash(Context(), 0);
  EXPECT_THAT(ib_.work().queues(), SizeIs(0));
  Ask(12);
  RunFor(kSecond);
  EXPECT_THAT(heard_, ElementsAre("REQ 12"));
}

}  // namespace
}  // namespace cm::sim
