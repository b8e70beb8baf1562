#include "conformance/properties/history_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/properties/counterexamples.h"
#include "conformance/properties/facts.h"
#include "conformance/scenarios/on_sim.h"

namespace cm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class HistoryIndices : public testing::Test {
 protected:
  const HistoryIndex& Of(const std::string& conversation) {
    history_ = OnSim(ConversationOf(conversation));
    index_ = std::make_unique<HistoryIndex>(history_, ProfileOf(history_.conversation));
    return *index_;
  }
  IdRef Id(std::string_view name) { return *history_.conversation.names.ids.Find(name); }
  // "A-P"
  std::vector<std::string> Pairs() {
    std::vector<std::string> pairs;
    const auto& ids = history_.conversation.names.ids;
    for (const Pair& pair : index_->pairs())
      pairs.push_back(ids.NameOf(pair.active) + "-" + ids.NameOf(pair.passive));
    return pairs;
  }
  size_t Last() const { return history_.records.size() - 1; }

  History history_;
  std::unique_ptr<HistoryIndex> index_;
};

constexpr std::string_view kTwoAsk = R"(active connecting A on=C to=passive:7471 private="first"
active connecting B on=D to=passive:7471 private="second"
passive taking S id=P
passive taking S id=Q
)";

TEST_F(HistoryIndices, TellTwoRequestsApartByTheirData) {
  Of(Listening(kTwoAsk));
  EXPECT_THAT(Pairs(), ElementsAre("A-P", "B-Q"));
}

TEST_F(HistoryIndices, DoNotGuessWhoseRequestItIs) {
  std::string same(kTwoAsk);
  same.replace(same.find("second"), 6, "first");
  Of(Listening(same));
  EXPECT_THAT(Pairs(), IsEmpty());
}

TEST_F(HistoryIndices, TellRequestsToTwoPortsApart) {
  Of(Listening(R"(passive listening M on=S port=7472
active connecting A on=C to=passive:7471 private="same"
active connecting B on=D to=passive:7472 private="same"
passive taking S id=P
passive taking S id=Q
)"));
  EXPECT_THAT(Pairs(), ElementsAre("A-P", "B-Q"));
}

// A request is lost, and one that is repeated carries the same data.
TEST_F(HistoryIndices, TellRequestsToTwoHostsApart) {
  Of(Asked(R"(passive taking S id=P
fault drop any from=passive
passive connecting B on=D to=active:7471 private="hello"
passive rdma_reject P
pass 7s
passive taking S id=Q
)"));
  EXPECT_THAT(Pairs(), IsEmpty());
}

TEST_F(HistoryIndices, LeaveOutARequestThatComesOnceMore) {
  Of(Asked(R"(fault drop REJ from=passive nth=1
passive taking S id=P
passive rdma_reject P
pass 7s
passive taking S id=Q
)"));
  EXPECT_THAT(Pairs(), IsEmpty());
}

// An id that rejects while it asks does not hear that it is rejected, and asks again.
TEST_F(HistoryIndices, LeaveOutARequestThatMayComeOnceMore) {
  Of(Asked(R"(active rdma_reject A
passive taking S id=P
passive rdma_reject P
pass 7s
active connecting B on=D to=passive:7471 private="hello"
passive taking S id=Q
)"));
  EXPECT_THAT(Pairs(), IsEmpty());
}

constexpr std::string_view kBesideATester = R"(topology tester
profile 6.1-rxe
capabilities time tester
passive listening L on=S port=7471
active connecting A on=C to=passive:7471
passive taking S id=P
passive rdma_create_qp P
passive rdma_accept P
settle
)";

// The tester's REJ names A as its sender, and ends the connection of P.
TEST_F(HistoryIndices, LeaveOutAPairThatATesterWritesTo) {
  Of(std::string(kBesideATester) +
     "tester sends REJ to=passive local=A remote=P reason=28 of=REP\nsettle\nactive taking "
     "C\nsettle\n"
     "passive rdma_get_cm_event S as=e\npassive wait S within=1s\n");
  EXPECT_EQ(index_->First(Id("P"), EventType::kEstablished), nullptr);
  EXPECT_THAT(Pairs(), IsEmpty());
  EXPECT_THAT(Objections(history_), IsEmpty());
}

TEST_F(HistoryIndices, KeepAPairWhereATesterWritesToNoIdOfIt) {
  Of(std::string(kBesideATester) + "tester sends REJ to=passive remote=5 reason=28 of=REP\n");
  EXPECT_THAT(Pairs(), ElementsAre("A-P"));
}

TEST_F(HistoryIndices, KnowARequestAndItsListener) {
  const HistoryIndex& index = Of(Connected(""));
  EXPECT_TRUE(index[Id("P")].IsRequest());
  EXPECT_EQ(index[Id("P")].listener, Id("L"));
  EXPECT_FALSE(index[Id("A")].IsRequest());
  EXPECT_EQ(index[Id("P")].side, kPassiveSide);
  EXPECT_EQ(index[Id("P")].channel, index[Id("L")].channel);
}

TEST_F(HistoryIndices, EndAnIdWithItself) {
  const HistoryIndex& index = Of(Listening("passive rdma_destroy_id L\n"));
  EXPECT_EQ(index[Id("L")].end, Last());
}

TEST_F(HistoryIndices, EndAnIdWithItsChannel) {
  const HistoryIndex& index = Of(Listening("passive rdma_destroy_event_channel S\n"));
  EXPECT_EQ(index[Id("L")].end, Last());
}

TEST_F(HistoryIndices, EndAnIdWithItsProcessOnly) {
  const HistoryIndex& index = Of(Connected("fault exit side=active\n"));
  EXPECT_EQ(index[Id("A")].end, Last());
  EXPECT_GT(index[Id("P")].end, Last());
}

TEST_F(HistoryIndices, NoteWhereAnEventWasAcknowledged) {
  const HistoryIndex& index = Of(Asked("passive rdma_get_cm_event S as=asked id=P\n"));
  EXPECT_EQ(index.heard().front().acked, index.heard().front().at + 1);
  EXPECT_EQ(index.heard().back().acked, std::nullopt);
}

TEST_F(HistoryIndices, TakeAWaitInVainForSilence) {
  const HistoryIndex& index = Of(Listening("passive wait S within=1s\n"));
  ASSERT_EQ(index.silences().size(), 1U);
  EXPECT_EQ(index.silences().front().at, Last());
  EXPECT_EQ(index.SilentAfter(Id("L"), size_t{0}), &index.silences().front());
  EXPECT_EQ(index.SilentAfter(Id("L"), Last()), nullptr);
}

TEST_F(HistoryIndices, TakeAFetchThatFindsNothingForSilence) {
  EXPECT_EQ(Of(Listening("passive rdma_get_cm_event S\n")).silences().size(), 1U);
  EXPECT_EQ(Of(Alone("active rdma_create_event_channel C nonblocking\n"
                     "active rdma_get_cm_event C\n"))
                .silences()
                .size(),
            1U);
}

TEST_F(HistoryIndices, AreSettledBySettlingAndByTime) {
  Of(Listening("passive rdma_destroy_id L\n"));
  EXPECT_FALSE(index_->Settled(0, Last()));
  Of(Listening("settle\npassive rdma_destroy_id L\n"));
  EXPECT_TRUE(index_->Settled(0, Last()));
  Of(Listening("pass 1s\npassive rdma_destroy_id L\n"));
  EXPECT_TRUE(index_->Settled(0, Last()));
}

TEST_F(HistoryIndices, AreDisturbedByTheEnvironment) {
  EXPECT_TRUE(Of(Connected("settle\n")).Undisturbed());
  EXPECT_FALSE(Of(Listening("fault drop REQ from=active\n")).Undisturbed());
}

TEST_F(HistoryIndices, CountFaultsOfAKindBeforeARecord) {
  const HistoryIndex& index = Of(OnBond(R"(fault fail-over side=active
settle
fault fail-over side=active
)"));
  EXPECT_EQ(index.faults().CountBefore(1, FaultKind::kFailOver), 1);
  EXPECT_EQ(index.faults().CountBefore(3, FaultKind::kFailOver), 2);
  EXPECT_FALSE(index.faults().Before(0, FaultKind::kFailOver));
  EXPECT_TRUE(index.faults().Before(1, FaultKind::kFailOver, kActiveSide));
  EXPECT_FALSE(index.faults().Before(3, FaultKind::kFailOver, kPassiveSide));
}

// A request that names the number of another connection ends that, but not where the library chose
// the number. source: linux 6.1 cm.c cm_match_req
TEST_F(HistoryIndices, KnowWhetherAQueuePairWasThereToConnect) {
  const HistoryIndex& index = Of(Listening(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_resolve_addr A dst=passive:7471 timeout_ms=2000
active rdma_get_cm_event C as=a
active rdma_resolve_route A timeout_ms=2000
active rdma_get_cm_event C as=r
active rdma_create_qp A
active rdma_connect A
settle
passive rdma_get_cm_event S as=e id=P
passive rdma_accept P qp_num=77
passive rdma_create_qp P
)"));
  EXPECT_TRUE(families::HasOwnQp(index, Id("A")));
  EXPECT_FALSE(families::HasOwnQp(index, Id("P")));
}

}  // namespace
}  // namespace cm
