// The rows of messages that no connection manager sends: the tester's conversations show each.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/scenarios/on_sim.h"
#include "model/catalogue/catalogue.h"
#include "model/oracle/judge.h"

namespace cm {
namespace {

const std::string kFolder = "conformance/scenarios/protocol/tester";

TEST(RowsOfTheTester, AreShownByItsConversations) {
  model::RuleBits shown;
  for (const std::string& file : ConversationFiles(kFolder)) {
    const Conversation conversation = ConversationOf(TextOf(file));
    shown |= model::JudgeHistory(OnSim(conversation), ProfileOf(conversation)).confirmed;
  }
  for (model::RuleNumber row = 0; row < model::RuleCount(); ++row)
    EXPECT_TRUE(shown[row] || !model::NeedsTester(row)) << model::InfoOf(row).id;
}

// A side that the oracle no longer judges.
TEST(RowsOfTheTester, JudgeEveryLineOfItsConversations) {
  for (const std::string& file : ConversationFiles(kFolder)) {
    const Conversation conversation = ConversationOf(TextOf(file));
    model::JudgeHistory(OnSim(conversation), ProfileOf(conversation),
                        [&](const Record& record, const model::Verdict& at_record) {
                          EXPECT_NE(at_record.kind, model::VerdictKind::kOutOfScope)
                              << file << ": line " << record.line + 1;
                        });
  }
}

// Its own communication id is 1 unless it says another one, and that of A, the first, may be no
// other in the simulator: a REJ of a reply is for the id whose peer is its sender.
TEST(AMessageOfTheTester, IsNotTakenForOneOfAnotherId) {
  const History history = OnSim(ConversationOf(R"(topology tester
profile 6.1-rxe
capabilities time tester
passive listening L on=S port=7471
active connecting A on=C to=passive:7471
passive taking S id=P
passive rdma_create_qp P
passive rdma_accept P
settle
tester sends REJ to=passive remote=P reason=28 of=REP
settle
active taking C
passive taking S
)"));
  EXPECT_EQ(EventOf(history.records.at(history.records.size() - 2).seen)->type,
            EventType::kEstablished);
  EXPECT_EQ(Objections(history), std::vector<std::string>());
}

}  // namespace
}  // namespace cm
