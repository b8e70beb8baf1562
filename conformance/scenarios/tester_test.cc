// The rows of messages that no connection manager sends: the tester's conversations show each.
#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace cm
