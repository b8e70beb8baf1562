#include "conformance/runner/misuse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/scenarios/on_sim.h"

namespace cm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kHead = R"(topology one-kernel-two-devices
profile 6.1-rxe
capabilities lanes misuse
active rdma_create_event_channel C
active rdma_create_id A on=C
)";

History Said(const std::string& lines) { return OnSim(ConversationOf(std::string(kHead) + lines)); }

std::vector<std::string> NotesOf(const History& history) {
  std::vector<std::string> what;
  for (const MisuseNote& note : MisusesOf(history)) what.push_back(note.what);
  return what;
}

TEST(Misuse, IsNotSeenWhereThereIsNone) {
  EXPECT_THAT(NotesOf(Said("active rdma_destroy_id A\nactive rdma_destroy_event_channel C\n")),
              IsEmpty());
}

TEST(Misuse, IsACallOnAnIdThatWasDestroyed) {
  const History history = Said(
      "active rdma_bind_addr A addr=active:9\nactive rdma_destroy_id A\nactive rdma_listen A\n");
  EXPECT_THAT(NotesOf(history), ElementsAre("A was destroyed"));
  const std::string text = Describe(MisusesOf(history).front(), history);
  EXPECT_THAT(text, HasSubstr("misuse at: active rdma_listen A backlog=8 -> crashed"));
  EXPECT_THAT(text, HasSubstr("active rdma_bind_addr A addr=active:9 -> 0"));
  EXPECT_THAT(text, HasSubstr("active rdma_destroy_id A -> 0"));
}

TEST(Misuse, IsASecondAcknowledgement) {
  EXPECT_THAT(NotesOf(Said("active rdma_resolve_addr A dst=passive:1\nactive taking C as=e1\n"
                           "active rdma_ack_cm_event e1\n")),
              ElementsAre("e1 was acknowledged"));
}

TEST(Misuse, IsACallOnAChannelThatWasDestroyed) {
  EXPECT_THAT(NotesOf(Said("active rdma_destroy_id A\nactive rdma_destroy_event_channel C\n"
                           "active rdma_create_id B on=C\n")),
              ElementsAre("C was destroyed"));
}

TEST(Misuse, IsAChannelDestroyedUnderAnIdAndEveryCallOnThat) {
  EXPECT_THAT(NotesOf(Said("active rdma_destroy_event_channel C\nactive rdma_destroy_id A\n")),
              ElementsAre("C still has A, which cannot be destroyed any more",
                          "the channel of A was destroyed"));
}

TEST(Misuse, IsAnEventThatIsNeverAcknowledged) {
  EXPECT_THAT(NotesOf(Said("active rdma_resolve_addr A dst=passive:1\nactive wait C within=1s\n"
                           "active rdma_get_cm_event C as=e1\nactive rdma_destroy_id A\n")),
              ElementsAre("A waits until e1 is acknowledged"));
}

// Without the capability such lines are not carried out, and no mistake is reported.
TEST(Misuse, IsNotMadeUnlessTheConversationAsksForIt) {
  const History history =
      OnSim(ConversationOf("topology one-kernel-two-devices\nprofile 6.1-rxe\ncapabilities none\n"
                           "active rdma_create_event_channel C\nactive rdma_create_id A on=C\n"
                           "active rdma_destroy_id A\nactive rdma_destroy_id A\n"));
  EXPECT_THAT(NotesOf(history), IsEmpty());
  EXPECT_THAT(std::get<seen::Answered>(history.records.back().seen).reply,
              testing::Eq(Reply::NotApplicable()));
}

// Nothing is judged after possible memory corruption, and nothing is carried out after a crash.
TEST(Misuse, EndsWhatCanBeSaid) {
  const History history = Said(
      "active rdma_destroy_id A\nactive rdma_destroy_id A\n"
      "active rdma_create_id B on=C\n");
  EXPECT_THAT(std::get<seen::Answered>(history.records.back().seen).reply,
              testing::Eq(Reply::NotApplicable()));
}

}  // namespace
}  // namespace cm
