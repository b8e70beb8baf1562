#include "hw_tests/lab/cmfault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace lab {
namespace {

using ::testing::HasSubstr;

Outcome<CmFaultCommand> Parse(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return ParseCmFault(words);
}

TEST(ParseCmFault, TakesEveryMessageUnlessARangeIsGiven) {
  const Outcome<CmFaultCommand> command = Parse("drop REP active");
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(command.value().stream.kind, CmKind::kRep);
  EXPECT_EQ(command.value().stream.toward, Toward::kActive);
  EXPECT_EQ(command.value().fault, (CmFault{CmAction::kDrop, 1, kEveryOne, 0}));
}

TEST(ParseCmFault, OneNumberIsOneMessageAndTwoAreARange) {
  EXPECT_EQ(Parse("duplicate RTU passive 3").value().fault,
            (CmFault{CmAction::kDuplicate, 3, 3, 0}));
  EXPECT_EQ(Parse("drop SIDR_REQ passive 2 5").value().fault, (CmFault{CmAction::kDrop, 2, 5, 0}));
}

TEST(ParseCmFault, DelayIsInMilliseconds) {
  EXPECT_EQ(Parse("delay 1500 DREQ passive 1").value().fault,
            (CmFault{CmAction::kDelay, 1, 1, 1'500'000'000}));
}

TEST(ParseCmFault, SaysWhatItCannotRead) {
  const auto problem = [](const std::string& text) {
    const Outcome<CmFaultCommand> command = Parse(text);
    return command.ok() ? "no problem" : command.problem().line;
  };
  EXPECT_THAT(problem(""), HasSubstr("wanted"));
  EXPECT_THAT(problem("lose REP active"), HasSubstr("lose"));
  EXPECT_THAT(problem("drop rep active"), HasSubstr("rep"));
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
  for (const char* text :
       {"drop REP active", "duplicate DREQ passive 2 2", "delay 3000 SIDR_REP active 1 4"}) {
    const CmFaultCommand command = Parse(text).value();
    const CmCount count = {command.fault, 5, 4};
    EXPECT_EQ(Describe(command.stream, count), std::string(text) + " seen 5 hit 4");
  }
}

TEST(CmKind, HasANameAndIsFoundByIt) {
  for (uint32_t i = 0; i < kCmKinds; ++i) {
    const CmKind kind = static_cast<CmKind>(i);
    EXPECT_EQ(CmKindNamed(NameOf(kind)), kind);
  }
  EXPECT_FALSE(CmKindNamed("SYN"));
}

TEST(CmFilter, WithoutItsTableSaysSo) {
  const Outcome<CmFilter> filter = CmFilter::Open();
  ASSERT_FALSE(filter.ok());
  EXPECT_THAT(filter.problem().line, HasSubstr("cm filter: /sys/fs/bpf/cm_table: "));
}

}  // namespace
}  // namespace lab
