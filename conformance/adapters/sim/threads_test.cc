// Threads of the simulator: the seed decides their order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/perform.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// The history of the lines in sequence `index`, without the conversation itself.
std::string Seen(const std::string& lines, uint64_t index) {
  auto parsed = ParseConversation("topology two-kernels\ncapabilities lanes\n" + lines);
  if (const auto* problem = std::get_if<TextProblem>(&parsed)) {
    ADD_FAILURE() << problem->line << ": " << problem->what;
    return {};
  }
  Conversation conversation = std::get<Conversation>(std::move(parsed));
  conversation.origin = Origin{.seed = 7, .index = index, .walk = "none", .options = {}};
  const std::unique_ptr<Implementation> sim =
      MakeSimImplementation({.profile = *FindProfile("6.1-rxe"),
                             .watch_wire = false,
                             .capabilities = conversation.capabilities});
  const std::string text =
      ToText(Perform(conversation, *sim->Start(conversation)), {.times = false});
  return text.substr(text.find("----\n"));
}

constexpr const char* kOnePortForTwo =
    "active rdma_create_event_channel C\n"
    "active rdma_create_id A on=C\n"
    "active rdma_create_id B on=C\n"
    "active rdma_create_id D on=C\n"
    "active/2 rdma_bind_addr A addr=active:7471\n"
    "active/3 & rdma_bind_addr B addr=active:7471\n"
    "active/4 & rdma_bind_addr D addr=active:7471\n";

TEST(SimThreads, EachOfThemComesFirstSomeTime) {
  std::set<std::string> outcomes;
  for (uint64_t index = 0; index < 30; ++index) outcomes.insert(Seen(kOnePortForTwo, index));
  EXPECT_THAT(outcomes, SizeIs(3));
}

TEST(SimThreads, TheSameOneForTheSameSequence) {
  for (uint64_t index = 0; index < 5; ++index)
    EXPECT_EQ(Seen(kOnePortForTwo, index), Seen(kOnePortForTwo, index));
}

// Destroying waits for the acknowledgement of another thread, also where it begins first.
TEST(SimThreads, WhatWaitsIsLetGoByTheOthers) {
  for (uint64_t index = 0; index < 8; ++index) {
    EXPECT_THAT(Seen("active rdma_create_event_channel C\n"
                     "active rdma_create_id A on=C\n"
                     "active rdma_resolve_addr A dst=passive:7471\n"
                     "active rdma_get_cm_event C as=e\n"
                     "active rdma_destroy_id A\n"
                     "active/2 & rdma_ack_cm_event e\n",
                     index),
                HasSubstr("active rdma_destroy_id A -> 0\nactive/2 & rdma_ack_cm_event e -> 0\n"));
  }
}

// A thread that destroys an id, and another that calls on it: the second is not made.
TEST(SimThreads, WhatContendsIsNotMade) {
  EXPECT_THAT(Seen("active rdma_create_event_channel C\n"
                   "active rdma_create_id A on=C\n"
                   "active rdma_destroy_id A\n"
                   "active/2 & rdma_bind_addr A addr=active:7471\n",
                   0),
              HasSubstr("rdma_bind_addr A addr=active:7471 -> not-applicable why=contends\n"));
}

}  // namespace
}  // namespace cm
