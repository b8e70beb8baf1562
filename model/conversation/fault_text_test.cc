// Each kind of fault, with each of its arguments, is read back as it was written.
#include "model/conversation/fault_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cm {
namespace {

using testing::HasSubstr;

const Topology& Pair() { return *FindTopology("two-kernels"); }

// A fault of the row that says everything it can, if `fully`, or as little as it can.
Fault FaultOf(const FaultRow& row, bool fully) {
  Fault fault{.kind = row.kind, .side = kPassiveSide};
  for (const FaultField field : row.takes) {
    switch (field) {
      case FaultField::kSide:
        break;
      case FaultField::kEvery:
        fault.by = Duration::Milliseconds(500);
        break;
      case FaultField::kTimes:
        fault.last = 3;
        break;
      case FaultField::kMessages:
        fault.messages = fully ? MadKinds(MadKind::kRep) : MadKinds::All();
        break;
      case FaultField::kFrom:
        if (fully) fault.side = kAnySide;
        break;
      case FaultField::kTo:
        if (fully) fault.to = kActiveSide;
        break;
      case FaultField::kNth:
        if (fully) fault.first = 2;
        if (fully) fault.last = 5;
        break;
      case FaultField::kBy:
        fault.by = Duration::Seconds(1);
        if (fully) fault.at_most = Duration::Seconds(2);
        break;
      case FaultField::kShape:
        if (fully) fault.shape = DelayShape::kTail;
        break;
      case FaultField::kAfter:
        if (fully) fault.after = Duration::Seconds(3);
        break;
      case FaultField::kDuring:
        if (fully) fault.window = Duration::Seconds(4);
        break;
    }
  }
  return fault;
}

TEST(AFault, ReadsBackAsItWasWritten) {
  for (const FaultRow& row : kFaultKinds) {
    for (const bool fully : {false, true}) {
      const Fault fault = FaultOf(row, fully);
      const std::string text = ToString(fault, Pair());
      Words words(text);
      EXPECT_EQ(FaultFrom(words, Pair(), false), fault) << text;
      words.Finish();
      EXPECT_EQ(words.problem(), "") << text;
    }
  }
}

TEST(AFault, SaysItsArgumentsInTheirOrder) {
  EXPECT_EQ(ToString(FaultOf(RowOf(FaultKind::kDelay), true), Pair()),
            "delay REP from=any to=active nth=2..5 by=1s..2s shape=tail after=3s during=4s");
  EXPECT_EQ(ToString(FaultOf(RowOf(FaultKind::kDrop), false), Pair()), "drop any from=passive");
  EXPECT_EQ(ToString(FaultOf(RowOf(FaultKind::kFlap), true), Pair()),
            "link-flap side=passive every=500ms times=3");
}

TEST(AFault, HasAnExampleThatReads) {
  for (const FaultRow& row : kFaultKinds) {
    const std::string text = ExampleOf(row.kind, "passive");
    Words words(text);
    const Fault fault = FaultFrom(words, Pair(), false);
    words.Finish();
    EXPECT_EQ(words.problem(), "") << text;
    EXPECT_EQ(fault.side, kPassiveSide) << text;
    EXPECT_EQ(ToString(fault, Pair()), text);
  }
  EXPECT_EQ(ExampleOf(FaultKind::kDelay, "active"), "delay any from=active nth=1 by=5s");
}

TEST(AFault, HasOnlyTheArgumentsOfItsKind) {
  for (const std::string text : {"drop REQ from=active by=1s", "exit side=active times=2",
                                 "link-down side=active from=passive"}) {
    Words words(text);
    FaultFrom(words, Pair(), false);
    words.Finish();
    EXPECT_THAT(words.problem(), HasSubstr("is not understood here")) << text;
  }
}

}  // namespace
}  // namespace cm
