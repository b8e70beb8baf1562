// Small histories of threads, written by hand: some have an order, some have none.
#include "model/oracle/orders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/conversation/parse.h"
#include "model/conversation/print.h"
#include "model/conversation/words.h"

namespace cm::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "LINE -> ANSWER", in order, all at the same instant.
using Told = std::vector<std::string>;

Told operator+(Told a, const Told& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

History Tell(const Told& told) {
  std::string said;
  std::string seen;
  for (const std::string& one : told) {
    said += one.substr(0, ArrowIn(one)) + "\n";
    seen += "0us  " + one + "\n";
  }
  auto parsed = ParseHistory("conversation 1\ntopology two-kernels\ncapabilities lanes\n" + said +
                             "----\n" + seen);
  if (const auto* problem = std::get_if<TextProblem>(&parsed)) {
    ADD_FAILURE() << problem->line << ": " << problem->what << "\n" << said;
    return {};
  }
  return std::move(std::get<History>(parsed));
}

InOrder Find(const Told& told) { return FindOrder(Tell(told), *FindProfile("6.1-rxe")); }

// The lines in the order found, by their numbers.
std::vector<uint32_t> OrderOf(const InOrder& in_order) {
  std::vector<uint32_t> lines;
  for (const Record& record : in_order.history.records) lines.push_back(record.line);
  return lines;
}

Told TwoIds() {
  return {"active rdma_create_event_channel C -> 0", "active rdma_create_id A on=C -> 0",
          "active rdma_create_id B on=C -> 0"};
}

TEST(FindOrder, LeavesAnOrdinaryHistoryAsItIs) {
  const InOrder found = Find(TwoIds());
  EXPECT_EQ(found.verdict.kind, VerdictKind::kPermitted);
  EXPECT_THAT(OrderOf(found), ElementsAre(0, 1, 2));
}

TEST(FindOrder, TurnsTwoCallsRound) {
  const InOrder found = Find(TwoIds() + Told{"active/2 rdma_bind_addr A addr=active:7471 -> -1 "
                                             "EADDRINUSE",
                                             "active/3 & rdma_bind_addr B addr=active:7471 -> 0"});
  EXPECT_EQ(found.verdict.kind, VerdictKind::kPermitted);
  EXPECT_THAT(OrderOf(found), ElementsAre(0, 1, 2, 4, 3));
}

TEST(FindOrder, RefusesWhatNoOrderExplains) {
  const InOrder found = Find(TwoIds() + Told{"active/2 rdma_bind_addr A addr=active:7471 -> 0",
                                             "active/3 & rdma_bind_addr B addr=active:7471 -> 0"});
  EXPECT_EQ(found.verdict.kind, VerdictKind::kRefused);
  EXPECT_EQ(found.verdict.record, 4u);
  EXPECT_THAT(Explain(found.verdict.at_record), HasSubstr("EADDRINUSE"));
}

TEST(FindOrder, RefusesTheSameAnswersOneAfterTheOther) {
  const InOrder found = Find(TwoIds() + Told{"active/2 rdma_bind_addr A addr=active:7471 -> -1 "
                                             "EADDRINUSE",
                                             "active/3 rdma_bind_addr B addr=active:7471 -> 0"});
  EXPECT_EQ(found.verdict.kind, VerdictKind::kRefused);
}

// The first group is permitted in either order by itself; a later observation decides.
TEST(FindOrder, ComesBackToAnEarlierGroup) {
  const InOrder found = Find(
      Told{"active rdma_create_event_channel C -> 0", "active rdma_create_id A on=C -> 0",
           "active rdma_create_id B on=C -> 0", "active rdma_bind_addr A addr=active:7471 -> 0",
           "active rdma_bind_addr B addr=active:7472 -> 0", "active/2 rdma_listen A backlog=4 -> 0",
           "active/3 & rdma_destroy_id B -> 0", "active rdma_create_id D on=C -> 0",
           "active/2 rdma_bind_addr D addr=active:7472 -> 0",
           "active/3 & rdma_listen A backlog=4 -> -1 EINVAL"});
  EXPECT_EQ(found.verdict.kind, VerdictKind::kPermitted);
}

TEST(InSequence, LetsOneThreadGoAfterTheOther) {
  const InOrder found = Find(TwoIds() + Told{"active/2 rdma_bind_addr A addr=active:7471 -> -1 "
                                             "EADDRINUSE",
                                             "active/3 & rdma_bind_addr B addr=active:7471 -> 0",
                                             "active/4 & rdma_listen A backlog=4 -> "
                                             "not-applicable",
                                             "active rdma_listen B backlog=4 -> 0"});
  const History sequence = InSequence(found.history);
  EXPECT_FALSE(HasTogether(sequence.conversation));
  std::vector<std::string> lines;
  for (const Record& record : sequence.records)
    lines.push_back(ToString(record, sequence.conversation));
  EXPECT_THAT(lines,
              ElementsAre("active rdma_create_event_channel C -> 0",
                          "active rdma_create_id A on=C -> 0", "active rdma_create_id B on=C -> 0",
                          "active/3 rdma_bind_addr B addr=active:7471 -> 0",
                          "active/2 rdma_bind_addr A addr=active:7471 -> -1 EADDRINUSE",
                          "active rdma_listen B backlog=4 -> 0"));
}

TEST(FindOrder, AsksForAnotherThatIsEnough) {
  const History history =
      Tell(TwoIds() + Told{"active/2 rdma_bind_addr A addr=active:7471 -> 0",
                           "active/3 & rdma_bind_addr B addr=active:7472 -> 0"});
  const InOrder found = FindOrder(history, *FindProfile("6.1-rxe"), [](const History& ordered) {
    return ordered.records.back().line == 3;
  });
  EXPECT_THAT(OrderOf(found), ElementsAre(0, 1, 2, 4, 3));
  const InOrder none =
      FindOrder(history, *FindProfile("6.1-rxe"), [](const History&) { return false; });
  EXPECT_EQ(none.verdict.kind, VerdictKind::kPermitted);
  EXPECT_THAT(OrderOf(none), ElementsAre(0, 1, 2, 3, 4));
}

}  // namespace
}  // namespace cm::model
