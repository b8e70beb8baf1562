#include "conformance/scenarios/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "conformance/scenarios/on_sim.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Macros, a blank line and a comment in the middle, as in files written by hand.
constexpr std::string_view kWritten = R"(# A request is accepted.
topology one-kernel-two-devices
profile 6.1-rxe
capabilities none
passive listening L on=S port=7471

# Now the other side.
active connecting A on=C to=passive:7471 private="hello"
passive taking S id=P
active show A
)";

Golden Read(std::string_view text) { return std::get<Golden>(ReadGolden(text)); }

class AGolden : public testing::Test {
 protected:
  const Golden fresh_ = Read(kWritten);
  const History history_ = OnSim(fresh_.conversation);
  const Golden golden_ = Read(Rewritten(fresh_, history_));

  // The record of the request's fetch.
  CmEvent& Request(History& history) {
    for (Record& record : history.records) {
      auto* answered = std::get_if<seen::Answered>(&record.seen);
      if (answered != nullptr && answered->event &&
          answered->event->type == EventType::kConnectRequest)
        return *answered->event;
    }
    ADD_FAILURE() << "no request arrived";
    static CmEvent none;
    return none;
  }
};

TEST_F(AGolden, KeepsItsFirstHalfAsItWasWritten) {
  EXPECT_EQ(golden_.written, kWritten);
  EXPECT_THAT(Rewritten(golden_, history_), StartsWith(kWritten));
}

TEST_F(AGolden, ThatIsRewrittenExpectsWhatWasSeen) {
  EXPECT_EQ(Difference(golden_, history_, GoldenView::kExact), "");
  EXPECT_EQ(Difference(golden_, history_, GoldenView::kVisible), "");
}

TEST_F(AGolden, ThatIsRewrittenTwiceIsTheSameFile) {
  const std::string once = Rewritten(fresh_, history_);
  EXPECT_EQ(Rewritten(Read(once), history_), once);
}

TEST_F(AGolden, WithoutASecondHalfDiffersFromEverything) {
  EXPECT_THAT(Difference(fresh_, history_, GoldenView::kExact), HasSubstr("no second half"));
  EXPECT_THAT(Difference(fresh_, history_, GoldenView::kVisible), HasSubstr("no second half"));
}

TEST_F(AGolden, DoesNotSayWhoseHistoryItIs) {
  History other = history_;
  other.implementation = "librdmacm 44.0";
  EXPECT_EQ(Difference(golden_, other, GoldenView::kExact), "");
  EXPECT_EQ(Rewritten(golden_, other), Rewritten(golden_, history_));
}

TEST_F(AGolden, NamesTheFirstLineThatDiffers) {
  History other = history_;
  Request(other).private_data = PrivateData();
  for (const GoldenView view : {GoldenView::kExact, GoldenView::kVisible}) {
    const std::string difference = Difference(golden_, other, view);
    EXPECT_THAT(difference, HasSubstr("expected \""));
    EXPECT_THAT(difference, HasSubstr("private=\"hello\"+51\", saw \""));
  }
}

TEST_F(AGolden, MissesWhatDidNotCome) {
  History shorter = history_;
  shorter.records.pop_back();
  EXPECT_THAT(Difference(golden_, shorter, GoldenView::kVisible), HasSubstr("saw nothing"));
  EXPECT_THAT(Difference(golden_, shorter, GoldenView::kExact), HasSubstr("saw nothing"));
}

TEST_F(AGolden, ObjectsToWhatComesBesides) {
  Golden shorter = golden_;
  shorter.expected.resize(shorter.expected.rfind('\n', shorter.expected.size() - 2) + 1);
  EXPECT_THAT(Difference(shorter, history_, GoldenView::kExact), HasSubstr("nothing was expected"));
}

TEST_F(AGolden, DisregardsTimesAndMessagesElsewhere) {
  History other = history_;
  other.wire.clear();
  for (Record& record : other.records) record.end = record.end + Duration::Milliseconds(7);
  EXPECT_EQ(Difference(golden_, other, GoldenView::kVisible), "");
  EXPECT_NE(Difference(golden_, other, GoldenView::kExact), "");
}

TEST_F(AGolden, DisregardsVolatileFieldsElsewhere) {
  History other = history_;
  Request(other).qp_num = 4711;
  std::get<seen::Answered>(other.records.back().seen).shown->source.port = 50000;
  EXPECT_EQ(Difference(golden_, other, GoldenView::kVisible), "");
  EXPECT_NE(Difference(golden_, other, GoldenView::kExact), "");
}

TEST_F(AGolden, WhoseFirstHalfWasEditedSaysSo) {
  std::string text = Rewritten(golden_, history_);
  const std::string show = "active show A\n";
  text.insert(text.find(show), show);
  EXPECT_THAT(Difference(Read(text), history_, GoldenView::kVisible), HasSubstr("cannot be read"));
}

TEST(ReadGolden, NamesTheLineThatIsNoConversation) {
  const auto read = ReadGolden("topology one-kernel-two-devices\nactive rdma_conect A\n");
  ASSERT_TRUE(std::holds_alternative<TextProblem>(read));
  EXPECT_EQ(std::get<TextProblem>(read).line, 2);
}

}  // namespace
}  // namespace cm
