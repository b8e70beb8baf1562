#include "hw_tests/lab/cmfault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "model/vocabulary/mad_kind.h"

namespace lab {
namespace {

using cm::MadKind;
using cm::MadKinds;
using ::testing::HasSubstr;

Outcome<CmRule> Parse(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return ParseCmFault(words);
}

TEST(ParseCmFault, TakesEveryMessageUnlessARangeIsGiven) {
  const Outcome<CmRule> rule = Parse("drop REP active");
  ASSERT_TRUE(rule.ok());
  EXPECT_EQ(rule.value(), (CmRule{Toward::kActive, MadKinds(MadKind::kRep), CmAction::kDrop}));
}

TEST(ParseCmFault, OneNumberIsOneMessageAndTwoAreARange) {
  EXPECT_EQ(Parse("duplicate RTU passive 3").value(),
            (CmRule{Toward::kPassive, MadKinds(MadKind::kRtu), CmAction::kDuplicate, 3, 3}));
  EXPECT_EQ(Parse("reorder SIDR_REQ passive 2 5").value(),
            (CmRule{Toward::kPassive, MadKinds(MadKind::kSidrReq), CmAction::kReorder, 2, 5}));
}

TEST(ParseCmFault, AnyIsEveryKind) {
  EXPECT_EQ(Parse("drop any active 2").value(),
            (CmRule{Toward::kActive, MadKinds::All(), CmAction::kDrop, 2, 2}));
}

TEST(ParseCmFault, DelayIsInMilliseconds) {
  EXPECT_EQ(
      Parse("delay 1500 DREQ passive 1").value(),
      (CmRule{Toward::kPassive, MadKinds(MadKind::kDreq), CmAction::kDelay, 1, 1, 1'500'000'000}));
}

TEST(ParseCmFault, SaysWhatItCannotRead) {
  const auto problem = [](const std::string& text) {
    const Outcome<CmRule> rule = Parse(text);
    return rule.ok() ? "no problem" : rule.problem().line;
  };
  EXPECT_THAT(problem(""), HasSubstr("wanted"));
  EXPECT_THAT(problem("lose REP active"), HasSubstr("lose"));
  EXPECT_THAT(problem("drop rep active"), HasSubstr("rep"));
  EXPECT_THAT(problem("drop OTHER active"), HasSubstr("OTHER"));
  EXPECT_THAT(problem("drop REP left"), HasSubstr("left"));
  EXPECT_THAT(problem("drop REP"), HasSubstr("wanted"));
  EXPECT_THAT(problem("drop REP active 0"), HasSubstr("FIRST"));
  EXPECT_THAT(problem("drop REP active 3 2"), HasSubstr("FIRST"));
  EXPECT_THAT(problem("drop REP active 1 2 3"), HasSubstr("wanted"));
  EXPECT_THAT(problem("drop REP active 1x"), HasSubstr("FIRST"));
  EXPECT_THAT(problem("delay REP active"), HasSubstr("delay"));
  EXPECT_THAT(problem("delay 3600001 REP active"), HasSubstr("delay"));
}

TEST(Describe, IsWhatOneWouldType) {
  for (const char* text : {"drop REP active", "duplicate DREQ passive 2 2", "reorder any passive",
                           "delay 3000 SIDR_REP active 1 4"}) {
    const CmRuleCount count = {Parse(text).value(), 5, 4};
    EXPECT_EQ(Describe(count), std::string(text) + " seen 5 hit 4");
  }
}

TEST(Describe, NamesSeveralKindsAndWhatIsLeftOfAWindow) {
  CmRule rule = {Toward::kActive, MadKinds(MadKind::kReq) | MadKinds(MadKind::kRej),
                 CmAction::kDrop};
  rule.window_ns = 1'500'000'000;
  EXPECT_EQ(Describe({rule, 1, 0}), "drop REQ,REJ active for another 1500 ms seen 1 hit 0");
}

TEST(CmFilter, WithoutItsTableSaysSo) {
  const Outcome<CmFilter> filter = CmFilter::Open();
  ASSERT_FALSE(filter.ok());
  EXPECT_THAT(filter.problem().line, HasSubstr("cm filter: /sys/fs/bpf/cm_table: "));
}

}  // namespace
}  // namespace lab
