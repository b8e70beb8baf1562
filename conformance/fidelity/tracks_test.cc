// Alignment: which histories are equal, and which difference is the first.
#include "conformance/fidelity/tracks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/fidelity/test_histories.h"

namespace cm {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

HistoryText TwoChannels() {
  return {"active rdma_create_event_channel C -> 0", "passive rdma_create_event_channel S -> 0"};
}

TEST(Tracks, LanesComeFirstAndEmptyChannelsHaveOne) {
  const History history = HistoryOf(
      TwoChannels() + HistoryText{"active/2 rdma_create_id A on=C -> 0", "settle -> done"});
  const std::vector<Track> tracks = TracksOf(history);
  EXPECT_THAT(tracks, ElementsAre(Field(&Track::name, "active"), Field(&Track::name, "active/2"),
                                  Field(&Track::name, "passive"), Field(&Track::name, "channel C"),
                                  Field(&Track::name, "channel S")));
  EXPECT_EQ(tracks[1].steps.size(), 1u);
  EXPECT_THAT(tracks[3].steps, IsEmpty());
}

TEST(Tracks, AHistoryIsEqualToItself) {
  const History history =
      HistoryOf(Listening() + HistoryText{"active rdma_create_event_channel C -> 0"} + Ready("A"));
  EXPECT_FALSE(FirstParting(history, history));
}

TEST(Tracks, TimesDoNotCount) {
  const HistoryText text = Listening();
  EXPECT_FALSE(FirstParting(HistoryOf(text), HistoryOf(HistoryText{"@3s"} + text)));
}

TEST(Tracks, WhatTheEnvironmentSaysDoesNotCount) {
  const auto with = [](const std::string& answer) {
    return HistoryOf(TwoChannels() + HistoryText{"fault link-down side=active -> " + answer});
  };
  EXPECT_FALSE(FirstParting(with("done"), with("failed \"ip: no such device\"")));
}

TEST(Tracks, NumbersOfQueuePairsDoNotCount) {
  const auto with = [](const std::string& number) {
    return HistoryOf(Listening() +
                     HistoryText{"passive rdma_get_cm_event S as=E id=P -> 0  event "
                                 "RDMA_CM_EVENT_CONNECT_REQUEST id=P listen=L qp_num=" +
                                 number});
  };
  EXPECT_FALSE(FirstParting(with("17"), with("23")));
}

TEST(Tracks, PortsThatTheKernelChoseDoNotCountAndOthersDo) {
  const auto with = [](const std::string& port) {
    return HistoryOf(Listening() +
                     HistoryText{"passive show L -> 0  device=rxe1 port_num=1 src=passive:" + port +
                                 " dst=any:0 num_paths=0 qp=none"});
  };
  EXPECT_FALSE(FirstParting(with("32768"), with("45000")));
  const auto output = [](const std::string& port) {
    return HistoryOf(Listening() + HistoryText{"passive rdma_get_src_port L -> 0  port=" + port});
  };
  EXPECT_FALSE(FirstParting(output("32768"), output("45000")));
  EXPECT_TRUE(FirstParting(output("7471"), output("7472")));
  const std::optional<Parting> parting = FirstParting(with("7471"), with("7472"));
  ASSERT_TRUE(parting);
  EXPECT_EQ(parting->track, "passive");
  EXPECT_EQ(parting->line, 4u);
}

TEST(Tracks, AnotherErrnoCounts) {
  const auto with = [](const std::string& answer) {
    return HistoryOf(Listening() + HistoryText{"passive rdma_listen L backlog=8 -> " + answer,
                                               "passive rdma_destroy_id L -> 0"});
  };
  const std::optional<Parting> parting = FirstParting(with("-1 EINVAL"), with("-1 EBUSY"));
  ASSERT_TRUE(parting);
  EXPECT_EQ(parting->line, 4u);
  EXPECT_THAT(parting->kernel->says, HasSubstr("EINVAL"));
  EXPECT_THAT(parting->simulator->says, HasSubstr("EBUSY"));
}

TEST(Tracks, ACallThatBlocksIsNotOneThatReturns) {
  const auto with = [](const std::string& answer) {
    return HistoryOf(TwoChannels() + HistoryText{"active rdma_get_cm_event C as=E -> " + answer});
  };
  EXPECT_TRUE(FirstParting(with("blocked"), with("crashed")));
}

// The release is a record of its own; its position between the lines of other lanes does not
// matter.
TEST(Tracks, WhenAnotherThreadIsServedDoesNotCount) {
  const HistoryText before =
      TwoChannels() + HistoryText{"active rdma_create_id A on=C -> 0",
                                  "active/2 rdma_get_cm_event C as=E -> blocked",
                                  "active rdma_resolve_addr A dst=passive:7471 "
                                  "timeout_ms=2000 -> 0"};
  const std::string released =
      "returned active/2 rdma_get_cm_event C as=E -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=A";
  const std::string other = "passive rdma_create_id L on=S -> 0";
  EXPECT_FALSE(FirstParting(HistoryOf(before + HistoryText{released, other}),
                            HistoryOf(before + HistoryText{other, released})));
}

TEST(Tracks, AReleaseThatNeverComesCounts) {
  const HistoryText before =
      TwoChannels() + HistoryText{"active rdma_create_id A on=C -> 0",
                                  "active/2 rdma_get_cm_event C as=E -> blocked"};
  const std::string released =
      "returned active/2 rdma_get_cm_event C as=E -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=A";
  const std::optional<Parting> parting =
      FirstParting(HistoryOf(before), HistoryOf(before + HistoryText{released}));
  ASSERT_TRUE(parting);
  EXPECT_EQ(parting->track, "active/2");
  EXPECT_FALSE(parting->kernel);
  EXPECT_THAT(parting->simulator->says, HasSubstr("returned"));
}

TEST(Tracks, FieldsOfAnEventAreTheChannelsAffair) {
  const auto with = [](const std::string& fields) {
    return HistoryOf(Listening() + HistoryText{"passive rdma_get_cm_event S as=E id=P -> 0  event "
                                               "RDMA_CM_EVENT_CONNECT_REQUEST id=P listen=L" +
                                               fields});
  };
  const std::optional<Parting> parting =
      FirstParting(with(" initiator_depth=1"), with(" initiator_depth=2"));
  ASSERT_TRUE(parting);
  EXPECT_EQ(parting->track, "channel S");
  EXPECT_TRUE(FirstParting(with(" private=\"a\""), with(" private=\"b\"")));
}

TEST(Tracks, AnEventThatIsShownIsTheLanesAffair) {
  const auto with = [](const std::string& type) {
    return HistoryOf({"active rdma_create_id A on=null -> 0",
                      "active show-event A -> 0  event RDMA_CM_EVENT_" + type + " id=A"});
  };
  const std::optional<Parting> parting =
      FirstParting(with("ADDR_RESOLVED"), with("ROUTE_RESOLVED"));
  ASSERT_TRUE(parting);
  EXPECT_EQ(parting->track, "active");
  EXPECT_FALSE(FirstParting(with("ADDR_RESOLVED"), with("ADDR_RESOLVED")));
}

TEST(Tracks, TheEarliestLineOfAllTracksIsTheFirstDifference) {
  const auto with = [](const std::string& early, const std::string& late) {
    return HistoryOf(TwoChannels() + HistoryText{"passive wait S within=1s -> " + early,
                                                 "active wait C within=1s -> " + late});
  };
  const std::optional<Parting> parting =
      FirstParting(with("quiet", "quiet"), with("readable", "readable"));
  ASSERT_TRUE(parting);
  EXPECT_EQ(parting->track, "passive");
}

}  // namespace
}  // namespace cm
