#include "tools/rules/recording_evidence.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "model/vocabulary/profile.h"

namespace cm::ruledoc {
namespace {

using model::RuleNumber;

RuleNumber Row(std::string_view id) {
  for (RuleNumber row = 0; row < model::AllRules().size(); ++row)
    if (model::AllRules()[row].id == id) return row;
  ADD_FAILURE() << "no row is called " << id;
  return 0;
}

constexpr std::string_view kBindTwice =
    R"({"t_us":1,"k":"call","fn":"rdma_create_event_channel","args":"C","ret":0,"errno":"0"}
{"t_us":3,"k":"call","fn":"rdma_create_id","args":"A chan=C","ret":0,"errno":"0"}
{"t_us":5,"k":"call","fn":"rdma_bind_addr","args":"A 10.0.0.1:7000","ret":0,"errno":"0"}
{"t_us":7,"k":"call","fn":"rdma_bind_addr","args":"A 10.0.0.1:7001","ret":-1,"errno":"EINVAL"}
)";

std::string With(std::string_view text, std::string_view before, std::string_view after) {
  std::string changed(text);
  changed.replace(changed.find(before), before.size(), after);
  return changed;
}

RecordingEvidence HearText(std::string_view text) {
  return Hear("6.1-rxe/00-test", text, *FindProfile("6.1-rxe"));
}

TEST(RecordingEvidence, ShowsRowsAtTheirLines) {
  const RecordingEvidence testimony = HearText(kBindTwice);
  EXPECT_EQ(testimony.problem, "");
  ASSERT_EQ(testimony.shown.size(), 4u);
  EXPECT_TRUE(testimony.shown[2].test(Row("bind-9")));
  EXPECT_FALSE(testimony.shown[2].test(Row("bind-3")));
  EXPECT_TRUE(testimony.shown[3].test(Row("bind-3")));
}

TEST(RecordingEvidence, ThatIsRefusedShowsNothing) {
  const RecordingEvidence testimony = HearText(With(kBindTwice, "\"EINVAL\"", "\"EBUSY\""));
  EXPECT_NE(testimony.problem.find("line 4 is refused"), std::string::npos) << testimony.problem;
  EXPECT_TRUE(testimony.shown.empty());
}

TEST(RecordingEvidence, ThatCannotBeReadShowsNothing) {
  const RecordingEvidence testimony = HearText("{\n");
  EXPECT_EQ(testimony.problem, "line 1: this line is not JSON");
}

TEST(Citation, IsTheFirstLineThatShowsTheRow) {
  std::vector<RecordingEvidence> testimonies = {HearText(kBindTwice), HearText(kBindTwice)};
  testimonies[1].name = "6.1-rxe/01-test";
  EXPECT_EQ(FirstShown(Row("bind-3"), testimonies), "6.1-rxe/00-test:4");
  EXPECT_EQ(FirstShown(Row("connect-7"), testimonies), "");
}

TEST(Citation, HoldsOrSaysWhyNot) {
  const std::vector<RecordingEvidence> testimonies = {HearText(kBindTwice)};
  const auto why = [&](std::string_view id, std::string_view observed) {
    return WhyNotShown(Row(id), observed, testimonies);
  };
  EXPECT_EQ(why("bind-3", "6.1-rxe/00-test:4"), "");
  EXPECT_EQ(why("bind-3", ""), "");
  EXPECT_EQ(why("bind-3", "6.1-rxe/00-test:3"),
            "that line does not show it; 6.1-rxe/00-test:4 does");
  EXPECT_EQ(why("connect-7", "6.1-rxe/00-test:4"), "no line of 6.1-rxe/00-test shows it");
  EXPECT_EQ(why("bind-3", "6.1-rxe/00-test:5"), "6.1-rxe/00-test has only 4 lines");
  EXPECT_EQ(why("bind-3", "6.1-rxe/02-test:1"), "there is no recording 6.1-rxe/02-test");
  EXPECT_EQ(why("bind-3", "6.1-rxe/00-test:0"), "\"0\" is not the number of a line");
  EXPECT_EQ(why("bind-3", "6.1-rxe/00-test:4th"), "\"4th\" is not the number of a line");
  EXPECT_EQ(why("bind-3", "6.1-rxe/00-test"),
            "it names no line: PROFILE/RECORDING:LINE is expected");
}

}  // namespace
}  // namespace cm::ruledoc
