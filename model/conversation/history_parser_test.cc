// Lines of a history that are read, and what is wrong with others.
#include "model/conversation/history_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>

#include "model/conversation/history.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"
#include "model/conversation/words.h"
#include "model/vocabulary/reply.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

using testing::HasSubstr;

using ParsedHistory = std::variant<History, TextProblem>;

std::string Problem(const ParsedHistory& parsed) {
  const auto* problem = std::get_if<TextProblem>(&parsed);
  return problem == nullptr ? "" : problem->what;
}

TEST(AnArrow, IsNotLookedForInQuotes) {
  const std::string_view line = R"(passive rdma_reject P private="a -> b" -> 0)";
  EXPECT_EQ(line.substr(ArrowIn(line)), " -> 0");
  EXPECT_EQ(ArrowIn(R"(passive rdma_reject P private="a -> b")"), std::string_view::npos);
  EXPECT_EQ(ArrowIn("settle -> done -> done"), 6u);
}

TEST(ParseHistory, ReadsArrowsInPrivateData) {
  const std::string text = R"(conversation 1
topology two-kernels
profile 6.1-rxe
capabilities none
passive rdma_create_event_channel S
passive rdma_create_id L on=S
passive rdma_reject L private="a -> b"
passive rdma_get_cm_event S as=e
----
passive rdma_create_event_channel S -> 0
passive rdma_create_id L on=S -> 0
passive rdma_reject L private="a -> b" -> blocked
passive rdma_get_cm_event S as=e -> 0  event RDMA_CM_EVENT_REJECTED id=L private="c -> d"
returned passive rdma_reject L private="a -> b" -> -1 EINVAL
)";
  const ParsedHistory parsed = ParseHistory(text);
  ASSERT_EQ(Problem(parsed), "");
  EXPECT_EQ(ToText(std::get<History>(parsed), {.times = false}), text);
}

// A history of one line, and what came of it.
ParsedHistory HistoryOf(const std::string& line, const std::string& outcome) {
  const std::string head =
      "conversation 1\ntopology two-kernels\nprofile 6.1-rxe\ncapabilities none\n";
  return ParseHistory(head + line + "\n----\n" + line + " -> " + outcome + "\n");
}

TEST(ParseHistory, ObjectsToWhatItCannotRead) {
  const auto devices = [](const std::string& outcome) {
    return Problem(HistoryOf("active rdma_get_devices D", "0  " + outcome));
  };
  EXPECT_EQ(devices("devices=rxe0"), "");
  EXPECT_EQ(devices("devices=none unknown=1"), "");
  EXPECT_THAT(devices("devices=rxe0,rxe9"), HasSubstr("rxe9"));
  const auto info = [](const std::string& type, const std::string& space,
                       const std::string& source) {
    return Problem(HistoryOf("active rdma_getaddrinfo I node=passive",
                             "0  flags=0 family=2 type=" + type + " ps=" + space +
                                 " src=" + source + " dst=none+0 route=0 connect=0"));
  };
  EXPECT_EQ(info("RC", "RDMA_PS_TCP", "active:0+16"), "");
  EXPECT_EQ(info("none", "none", "none+0"), "");
  EXPECT_EQ(info("?", "7", "none+0"), "") << "numbers without a name";
  EXPECT_THAT(info("XX", "RDMA_PS_TCP", "active:0+16"), HasSubstr("type=XX"));
  EXPECT_THAT(info("RC", "bogus", "active:0+16"), HasSubstr("ps=bogus"));
  EXPECT_THAT(info("RC", "RDMA_PS_TCP", "active:0+16x"), HasSubstr("src=active:0+16x"));
}

// What a foreign library or a foreign CM may give.
TEST(ParseHistory, ReadsNumbersThatHaveNoName) {
  const std::string text = R"(conversation 1
topology two-kernels
profile 6.1-rxe
capabilities none
active rdma_create_event_channel C
active rdma_create_id A on=C
active show A
----
active rdma_create_event_channel C -> 0
active rdma_create_id A on=C -> 0
mad passive MRA of=3
active show A -> 0  device=none port_num=0 src=none dst=none num_paths=0 qp=UNKNOWN
)";
  const ParsedHistory parsed = ParseHistory(text);
  ASSERT_EQ(Problem(parsed), "");
  EXPECT_EQ(ToText(std::get<History>(parsed), {.times = false}), text);
}

TEST(TheDigest, IsOfAllDevices) {
  const ParsedHistory parsed = HistoryOf("active rdma_get_devices D", "0  devices=none");
  ASSERT_EQ(Problem(parsed), "");
  const auto digest = [&](DeviceBits known) {
    History history = std::get<History>(parsed);
    history.records[0].seen = seen::Answered{Reply{}, {}, {}, DevicesOutput{.known = known}};
    return DigestOf(history, 0);
  };
  EXPECT_NE(digest(BitOfDevice(40)), digest(BitOfDevice(41)));
  EXPECT_NE(digest(BitOfDevice(40)), digest(0));
  EXPECT_NE(digest(BitOfDevice(8) | BitOfDevice(40)), digest(BitOfDevice(8)));
}

}  // namespace
}  // namespace cm
