#include "conformance/adapters/exec/greeting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <variant>

#include "conformance/adapters/exec/groups.h"
#include "conformance/walks/walk.h"
#include "model/base/files.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

TEST(Greeting, IsReadAsItIsWritten) {
  Greeting greeting{.name = "mine 1.0",
                    .profile = "6.1-rxe",
                    .capabilities = {Capability::kTime, Capability::kLanes},
                    .clock = Clock::kVirtual,
                    .sees_messages = true};
  ASSERT_TRUE(greeting.left_out.Add("ece"));
  ASSERT_TRUE(greeting.left_out.Add("rdma_create_srq"));
  greeting.topologies = {"two-kernels", "bond"};
  GreetingReader reader;
  std::istringstream text(ToText(greeting));
  for (std::string line; std::getline(text, line);) EXPECT_THAT(reader.Take(line), IsEmpty());
  EXPECT_TRUE(reader.complete());
  EXPECT_EQ(ToText(reader.greeting()), ToText(greeting));
}

TEST(Greeting, ALineThatSaysNothingIsRefused) {
  GreetingReader reader;
  EXPECT_THAT(reader.Take(kDriverProtocol), IsEmpty());
  EXPECT_THAT(reader.Take("capabilities"), HasSubstr("\"capabilities\" of the greeting"));
  EXPECT_THAT(reader.Take("topologies moebius"), HasSubstr("\"moebius\" is none of two-kernels"));
  EXPECT_THAT(reader.Take("sees ghosts"), HasSubstr("\"ghosts\" is not messages"));
}

std::string WhyUnsupported(const LeftOut& left_out, const std::string& lines) {
  const auto parsed = ParseConversation("topology two-kernels\nprofile 6.1-rxe\n" + lines);
  return left_out.WhyUnsupported(std::get<Conversation>(parsed));
}

TEST(LeftOut, NamesTheFirstCallThatIsLeftOut) {
  LeftOut left_out;
  EXPECT_TRUE(left_out.Add("migration"));
  EXPECT_TRUE(left_out.Add("rdma_get_remote_ece"));
  EXPECT_FALSE(left_out.Add("rdma_connect")) << "it is needed";
  const std::string made = "active rdma_create_event_channel C\nactive rdma_create_id A on=C\n";
  EXPECT_THAT(WhyUnsupported(left_out, made), IsEmpty());
  EXPECT_THAT(WhyUnsupported(left_out, made + "active rdma_migrate_id A to=C\n"),
              HasSubstr("leaves out migration"));
  EXPECT_THAT(WhyUnsupported(left_out, made + "active rdma_get_remote_ece A\n"),
              HasSubstr("rdma_get_remote_ece"));
  EXPECT_THAT(
      WhyUnsupported(left_out, made + "active rdma_set_local_ece A vendor_id=1 options=1\n"),
      IsEmpty());
}

TEST(LeftOut, DatagramsAndSynchronousIdsAreUsesOfACall) {
  LeftOut left_out;
  EXPECT_TRUE(left_out.Add("datagrams"));
  EXPECT_TRUE(left_out.Add("synchronous"));
  const std::string channel = "active rdma_create_event_channel C\n";
  EXPECT_THAT(WhyUnsupported(left_out, channel + "active rdma_create_id A on=C\n"), IsEmpty());
  EXPECT_THAT(WhyUnsupported(left_out, channel + "active rdma_create_id A on=C ps=RDMA_PS_UDP\n"),
              HasSubstr("datagrams"));
  EXPECT_THAT(WhyUnsupported(left_out, "active rdma_create_id A on=null\n"),
              HasSubstr("synchronous"));
}

// A call that is new has to be put into a group, or is one that every connection manager has.
TEST(CallGroups, HaveEveryCallThatCanBeLeftOutOnce) {
  const std::set<std::string_view> needed = {"rdma_create_event_channel",
                                             "rdma_destroy_event_channel",
                                             "rdma_create_id",
                                             "rdma_destroy_id",
                                             "rdma_bind_addr",
                                             "rdma_listen",
                                             "rdma_resolve_addr",
                                             "rdma_resolve_route",
                                             "rdma_create_qp",
                                             "rdma_destroy_qp",
                                             "rdma_connect",
                                             "rdma_accept",
                                             "rdma_reject",
                                             "rdma_disconnect",
                                             "rdma_get_cm_event",
                                             "rdma_ack_cm_event",
                                             "rdma_event_str",
                                             "rdma_get_src_port",
                                             "rdma_get_dst_port"};
  for (int i = 0; i < kCallKindCount; ++i) {
    const auto kind = static_cast<CallKind>(i);
    if (!IsFunction(kind)) continue;
    const std::string name(FunctionName(kind));
    int groups = 0;
    for (const CallGroup& group : CallGroups())
      groups +=
          (" " + std::string(group.functions) + " ").find(" " + name + " ") != std::string::npos
              ? 1
              : 0;
    EXPECT_EQ(groups, needed.contains(name) ? 0 : 1) << name;
  }
}

TEST(CallGroups, StandInThePageForAuthors) {
  const auto page = ReadFile("docs/driver_protocol.md");
  ASSERT_TRUE(page.has_value());
  for (const CallGroup& group : CallGroups())
    EXPECT_THAT(*page, HasSubstr("\n| `" + std::string(group.name) + "` |"));
  for (const CapabilityRow& row : kCapabilities)
    EXPECT_THAT(*page, HasSubstr("`" + std::string(row.name) + "`"));
}

// Addresses without port and form, and port spaces.
TEST(Words, ThatAreDrawnStandInThePageForAuthors) {
  const auto page = ReadFile("docs/driver_protocol.md");
  ASSERT_TRUE(page.has_value());
  DrawOptions draw{.profile = *FindProfile("6.1-rxe")};
  draw.capabilities = draw.profile.capabilities;
  draw.topology = FindTopology("two-kernels");
  std::set<std::string> drawn;
  for (draw.index = 0; draw.index < 1000; ++draw.index) {
    std::istringstream text(ToText(Draw(draw)));
    for (std::string word; text >> word;)
      for (const std::string key : {"addr=", "src=", "dst=", "ps="})
        if (word.starts_with(key))
          drawn.insert(word.substr(key.size(), word.find_first_of(".:") - key.size()));
  }
  EXPECT_THAT(drawn, IsSupersetOf({"family0", "family99", "2457", "group1", "RDMA_PS_IB"}));
  for (const std::string& word : drawn)
    EXPECT_THAT(*page,
                ContainsRegex("`(ps=)?" + (word.starts_with("group") ? "group1" : word) + "[`:]"));
}

}  // namespace
}  // namespace cm
