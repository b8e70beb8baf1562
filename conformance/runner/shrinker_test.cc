// The shrinker keeps to its bounds; defects_shrink_test measures how far it gets.
#include "conformance/runner/shrinker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "conformance/defects/defective_sim.h"
#include "conformance/runner/doubles.h"
#include "conformance/scenarios/on_sim.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::NiceMock;
using testing::Return;

const std::atomic<bool> kNever{false};

constexpr const char* kLong = R"(conversation 1
topology two-kernels
profile 6.1-rxe
capabilities lanes
passive rdma_create_event_channel S
active rdma_create_event_channel C
active rdma_create_id B on=C
active rdma_create_id A on=C
active rdma_bind_addr A addr=active:7
settle
active rdma_connect A private="long"
active rdma_destroy_id A
)";

std::unique_ptr<Implementation> WrongErrno() {
  return MakeDefectiveSim(
      {.profile = Profiles().front(), .capabilities = Profiles().front().capabilities},
      "connect-wrong-errno");
}

Conversation Long() {
  Conversation conversation = ConversationOf(kLong);
  conversation.origin = Origin{.seed = 3, .index = 9, .walk = "random", .options = "calls=20"};
  return conversation;
}

Finding TheFinding() { return RunOne(*WrongErrno(), Long(), {}).result.findings.front(); }

TEST(Shrinker, LeavesWhatTheFindingNeeds) {
  const auto shrunk = Shrink(*WrongErrno(), Long(), TheFinding(), 1000, nullptr, kNever);
  ASSERT_TRUE(shrunk);
  const Conversation& shortest = shrunk->judged.history.conversation;
  EXPECT_EQ(CallCount(shortest), 4) << ToText(shortest);
  EXPECT_TRUE(shrunk->finding.Same(TheFinding()));
  EXPECT_EQ(shrunk->judged.history.records.size(), shortest.lines.size());
}

TEST(Shrinker, SaysWhereTheConversationCameFrom) {
  const auto shrunk = Shrink(*WrongErrno(), Long(), TheFinding(), 1000, nullptr, kNever);
  ASSERT_TRUE(shrunk);
  const Conversation& shortest = shrunk->judged.history.conversation;
  EXPECT_FALSE(shortest.origin);
  EXPECT_THAT(shortest.comment, HasSubstr("sequence 9 of seed 3, walk random, calls=20"));
}

TEST(Shrinker, ComesToTheSameTwice) {
  const auto once = Shrink(*WrongErrno(), Long(), TheFinding(), 1000, nullptr, kNever);
  const auto twice = Shrink(*WrongErrno(), Long(), TheFinding(), 1000, nullptr, kNever);
  EXPECT_EQ(ToText(once->judged.history), ToText(twice->judged.history));
  EXPECT_EQ(once->attempts, twice->attempts);
}

TEST(Shrinker, MakesNoMoreAttemptsThanItMay) {
  int heard = 0;
  const auto shrunk = Shrink(
      *WrongErrno(), Long(), TheFinding(), 3, [&](int attempts, int) { heard = attempts; }, kNever);
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(shrunk->attempts, 3);
  EXPECT_EQ(heard, 3);
}

TEST(Shrinker, HasNothingToSayOfAFindingThatDoesNotShow) {
  Finding other = TheFinding();
  other.about = "rdma_listen";
  EXPECT_FALSE(Shrink(*WrongErrno(), Long(), other, 1000, nullptr, kNever));
}

TEST(Shrinker, StopsWhenInterruptedWithTheShortestSoFar) {
  std::atomic<bool> interrupted{false};
  const auto shrunk = Shrink(
      *WrongErrno(), Long(), TheFinding(), 1000,
      [&](int attempts, int) { interrupted = attempts == 2; }, interrupted);
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(shrunk->attempts, 2);
}

template <typename C>
bool Makes(const Conversation& conversation) {
  return std::ranges::any_of(conversation.lines, [](const Line& line) {
    const auto* calls = std::get_if<line::Calls>(&line);
    return calls != nullptr && std::holds_alternative<C>(calls->call);
  });
}

// One detour fetches more than the shortest conversation, and shows the finding as well.
TEST(Shrinker, ReportsTheCallsOfTheShortestWhileItTakesADetour) {
  NiceMock<MockImplementation> leaks;
  ON_CALL(leaks, Start).WillByDefault([](const Conversation& conversation) {
    auto session = std::make_unique<NiceMock<MockSession>>();
    const bool both = Makes<call::Accept>(conversation) && Makes<call::GetCmEvent>(conversation);
    ON_CALL(*session, Leaks).WillByDefault(Return(both ? "a port" : ""));
    return session;
  });
  const Conversation conversation = ConversationOf(
      "conversation 1\ntopology two-kernels\nprofile 6.1-rxe\ncapabilities none\n"
      "active rdma_create_event_channel S\npassive rdma_create_id P on=S\npassive rdma_accept P\n"
      "passive rdma_get_cm_event S as=e1\nactive rdma_destroy_event_channel S\n");
  std::vector<int> heard;
  const auto shrunk = Shrink(
      leaks, conversation, {.id = "LEAK-1"}, 1000, [&](int, int calls) { heard.push_back(calls); },
      kNever);
  ASSERT_TRUE(shrunk);
  EXPECT_TRUE(std::ranges::is_sorted(heard, std::greater<>())) << testing::PrintToString(heard);
  EXPECT_EQ(heard.back(), CallCount(shrunk->judged.history.conversation));
}

TEST(Shrinker, GoesDownToNothingWhereSomethingLeaksThoughNothingIsDone) {
  NiceMock<MockImplementation> leaks;
  ON_CALL(leaks, Start).WillByDefault([](const Conversation&) {
    auto session = std::make_unique<NiceMock<MockSession>>();
    ON_CALL(*session, Leaks).WillByDefault(Return("a port"));
    return session;
  });
  const Conversation conversation = ConversationOf(
      "conversation 1\ntopology two-kernels\nprofile 6.1-rxe\ncapabilities none\n"
      "active rdma_create_event_channel C\nactive rdma_destroy_event_channel C\n");
  const auto shrunk = Shrink(leaks, conversation, {.id = "LEAK-1"}, 100, nullptr, kNever);
  ASSERT_TRUE(shrunk);
  EXPECT_THAT(shrunk->judged.history.conversation.lines, IsEmpty());
}

}  // namespace
}  // namespace cm
