#include "conformance/scenarios/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
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

TEST_F(AGolden, MayHaveTheLineEndsOfWindows) {
  std::string text = Rewritten(fresh_, history_);
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.insert(at, "\r");
  const Golden golden = Read(text);
  for (const GoldenView view : {GoldenView::kExact, GoldenView::kVisible})
    EXPECT_EQ(Difference(golden, history_, view), "");
  EXPECT_TRUE(Rewritten(golden, history_) == text);
}

TEST_F(AGolden, MayHaveBlanksAroundItsDashes) {
  const std::string text = Rewritten(fresh_, history_);
  for (const std::string dashes : {"---- ", "----\t", "  ----", "----\r"}) {
    const Golden golden = Read(std::string(text).replace(kWritten.size(), 4, dashes));
    EXPECT_EQ(golden.written, kWritten);
    EXPECT_EQ(Difference(golden, history_, GoldenView::kExact), "") << dashes;
    EXPECT_TRUE(Rewritten(golden, history_) == text) << dashes;
  }
}

// The second half with a line for the reader before each of its lines, and other blanks.
std::string Commented(const std::string& text) {
  std::string commented = text.substr(0, kWritten.size()) + "----\nimplementation sim\n";
  std::istringstream lines(text.substr(commented.find("implementation")));
  for (std::string line; std::getline(lines, line);)
    commented += "\n# next\n\t" + line.substr(line.find_first_not_of(' ')) + "  \n";
  return commented;
}

TEST_F(AGolden, MayHaveBlankLinesCommentsAndOtherBlanksInItsSecondHalf) {
  const Golden golden = Read(Commented(Rewritten(fresh_, history_)));
  for (const GoldenView view : {GoldenView::kExact, GoldenView::kVisible})
    EXPECT_EQ(Difference(golden, history_, view), "");
}

TEST_F(AGolden, NamesTheFirstDifferenceByTheNumberOfItsLineInTheFile) {
  History other = history_;
  Request(other).private_data = PrivateData();
  for (const std::string& text :
       {Rewritten(fresh_, history_), Commented(Rewritten(fresh_, history_))}) {
    const auto before = static_cast<ptrdiff_t>(text.find("RDMA_CM_EVENT_CONNECT_REQUEST"));
    const auto number = 1 + std::count(text.begin(), text.begin() + before, '\n');
    for (const GoldenView view : {GoldenView::kExact, GoldenView::kVisible})
      EXPECT_THAT(Difference(Read(text), other, view),
                  StartsWith("line " + std::to_string(number) + ": expected \""));
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
