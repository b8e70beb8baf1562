// The checks that prove the tables are alive: a table with a hole or a double in it fails them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "model/channel/misuse.h"
#include "model/channel/rules.h"
#include "model/cm_id/proofs.h"
#include "model/cm_id/rules.h"
#include "model/ib_cm/proofs.h"
#include "model/ib_cm/rules.h"
#include "model/iw_cm/proofs.h"
#include "model/iw_cm/rules.h"
#include "model/qp/rules.h"
#include "model/work_completion/rules.h"

namespace cm::model {
namespace {

using testing::IsEmpty;

template <typename Row>
std::vector<Row> Without(std::span<const Row> table, size_t hole) {
  std::vector<Row> rest(table.begin(), table.end());
  rest.erase(rest.begin() + static_cast<ptrdiff_t>(hole));
  return rest;
}

size_t RowOf(std::string_view id) {
  return static_cast<size_t>(std::ranges::find(rules::kCalls, id, &CallRule::id) -
                             rules::kCalls.begin());
}

// The compiler checks the same of the table itself.
TEST(ACallTable, IsRefusedWithAHole) {
  EXPECT_TRUE(EveryCallIsAnswered(rules::kCalls));
  EXPECT_FALSE(EveryCallIsAnswered(Without(rules::kCalls, RowOf("connect-7"))));
  EXPECT_FALSE(EveryCallIsAnswered(Without(rules::kCalls, RowOf("destroy-id-2"))));
  EXPECT_EQ(FirstUnanswered(Without(rules::kCalls, RowOf("get-src-port-1"))),
            CallKind::kGetSrcPort);
}

TEST(ACallTable, IsRefusedWithAGuardThatItsCallDoesNotLookAt) {
  std::vector<CallRule> table(rules::kCalls.begin(), rules::kCalls.end());
  EXPECT_TRUE(EveryGuardIsLookedAt(table));
  table[RowOf("disconnect-1")].when = Guards(Guard::kTimeoutZero);
  EXPECT_FALSE(EveryGuardIsLookedAt(table));
}

// Whether another row answers wherever this one does.
bool IsAnAlternative(const CallRule& row) {
  for (int s = 0; s < kStateCount; ++s) {
    for (int g = 0; g < kGuardCount; ++g) {
      const auto state = static_cast<State>(s);
      const auto guard = static_cast<Guard>(g);
      if (!row.from.Has(state) || !row.when.Has(guard)) continue;
      bool another = false;
      for (const CallRule& other : rules::kCalls)
        another |=
            &other != &row && other.on == row.on && other.from.Has(state) && other.when.Has(guard);
      if (!another) return false;
    }
  }
  return true;
}

TEST(ACallTable, HasNoRowThatCouldGoUnnoticed) {
  std::vector<std::string_view> unnoticed;
  for (size_t i = 0; i < rules::kCalls.size(); ++i) {
    const bool noticed = !EveryCallIsAnswered(Without(rules::kCalls, i));
    if (!noticed && !IsAnAlternative(rules::kCalls[i])) unnoticed.push_back(rules::kCalls[i].id);
  }
  EXPECT_THAT(unnoticed, IsEmpty());
}

// Timers run in some states only, so that a missing row for one is no hole.
TEST(AnIbTable, HasNoRowForACallOrAMessageThatCouldGoUnnoticed) {
  std::vector<std::string_view> unnoticed;
  for (size_t i = 0; i < rules::kIbCm.size(); ++i) {
    const bool timer = InfoOf(rules::kIbCm[i].on).origin == Origin::kTimer;
    if (!timer && EveryIbStimulusIsAnswered(Without(rules::kIbCm, i)))
      unnoticed.push_back(rules::kIbCm[i].id);
  }
  EXPECT_THAT(unnoticed, IsEmpty());
}

TEST(AnIwTable, HasNoRowForACallOrAFrameThatCouldGoUnnoticed) {
  std::vector<std::string_view> unnoticed;
  for (size_t i = 0; i < rules::kIwCm.size(); ++i) {
    const bool timer = InfoOf(rules::kIwCm[i].on).origin == Origin::kTimer;
    if (!timer && EveryIwStimulusIsAnswered(Without(rules::kIwCm, i)))
      unnoticed.push_back(rules::kIwCm[i].id);
  }
  EXPECT_THAT(unnoticed, IsEmpty());
}

TEST(AnIbTable, GivesUpWhatItRepeatsAndRepeatsWhatItGivesUp) {
  IbStates repeats;
  IbStates gives_up;
  for (const IbRule& rule : rules::kIbCm) {
    if (rule.on == IbStimulus::kRetry) repeats = repeats | rule.from;
    if (rule.on == IbStimulus::kExhausted) gives_up = gives_up | rule.from;
  }
  EXPECT_EQ(repeats, gives_up);
}

TEST(Rules, HaveIdsThatNoOtherTableHasEither) {
  std::set<std::string_view> ids;
  for (const RuleInfo& rule : AllRules()) EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
  EXPECT_EQ(AllRules().size(), size_t{RuleCount()});
}

TEST(Rules, SayWhereTheyAreWrittenDownAndWhatTheySay) {
  for (const RuleInfo& rule : AllRules()) {
    EXPECT_FALSE(rule.evidence.source.empty()) << rule.id;
    EXPECT_FALSE(rule.says.empty()) << rule.id;
    EXPECT_FALSE(rule.machine.empty()) << rule.id;
  }
}

TEST(RuleNumbers, LeadBackToTheirRows) {
  for (const CallRule& rule : rules::kCalls) EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const BelowRule& rule : rules::kFromBelow) EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const IbRule& rule : rules::kIbCm) EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const MadRule& rule : rules::kMads) EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const RequestRule& rule : rules::kRequests) EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const IwRule& rule : rules::kIwCm) EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const IwRequestRule& rule : rules::kIwRequests)
    EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const SidrRequestRule& rule : rules::kSidrRequests)
    EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const ChannelRule& rule : rules::kChannels) EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const ReportRule& rule : rules::kReports) EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const FetchRule& rule : rules::kFetches) EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const QpRule& rule : rules::kQps) EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const CompletionRule& rule : rules::kCompletions)
    EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const EndpointRule& rule : rules::kEndpoints) EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
  for (const WorkRule& rule : rules::kWork) EXPECT_EQ(InfoOf(NumberOf(&rule)).id, rule.id);
}

// How each step can end, there is one answer to; a bound endpoint waits for nothing.
TEST(EndpointTable, AnswersHoweverAStepEndsOnce) {
  for (int step = 0; step < kEpStepCount; ++step) {
    const auto at = static_cast<EpStep>(step);
    const bool waits = at == EpStep::kAddress || at == EpStep::kRoute;
    for (int end = 0; end < kEpEndCount; ++end) {
      const auto when = static_cast<EpEnd>(end);
      int rows = 0;
      for (const EndpointRule& rule : rules::kEndpoints)
        rows += rule.at.Has(at) && rule.when == when ? 1 : 0;
      const bool never =
          when == EpEnd::kDone ? at == EpStep::kAddress : when != EpEnd::kRefused && !waits;
      EXPECT_EQ(rows, never ? 0 : 1) << ToString(at) << " " << ToString(when);
    }
  }
}

// Whatever is found, there is one answer to each call that looks.
TEST(CompletionTable, AnswersWhateverIsFoundOnce) {
  for (int call = 0; call < kCallKindCount; ++call) {
    const auto kind = static_cast<CallKind>(call);
    const bool looks = rules::kCompleting.Has(kind) || kind == CallKind::kGetRequest;
    for (int found = 0; found < kFoundCount; ++found) {
      int rows = 0;
      for (const CompletionRule& rule : rules::kCompletions)
        rows += rule.on.Has(kind) && rule.when.Has(static_cast<Found>(found)) ? 1 : 0;
      // Queue pairs are made for requests alone.
      const bool never =
          static_cast<Found>(found) == Found::kRequestWithoutQp && kind != CallKind::kGetRequest;
      EXPECT_EQ(rows, looks && !never ? 1 : 0)
          << FunctionName(kind) << " " << ToString(static_cast<Found>(found));
    }
  }
}

TEST(ReachableRules, AreThoseThatDoNotCrash) {
  const RuleBits reachable = Reachable(*FindProfile("6.1-rxe"));
  for (RuleNumber rule = 0; rule < RuleCount(); ++rule)
    EXPECT_FALSE(InfoOf(rule).crashes && reachable.test(rule)) << InfoOf(rule).id;
  EXPECT_GT(reachable.count(), RuleCount() / 2);
}

TEST(ReachableRules, AreOfLaterCallsWhereTheyAreDrawn) {
  const auto reachable = [](std::string_view profile, std::string_view id) {
    const auto rule = std::ranges::find(AllRules(), id, &RuleInfo::id);
    return Reachable(*FindProfile(profile)).test(static_cast<size_t>(rule - AllRules().begin()));
  };
  for (const std::string_view id : {"write-cm-event-5", "fetch-28", "sync-11"}) {
    EXPECT_TRUE(reachable("7.2-rxe", id)) << id;
    EXPECT_FALSE(reachable("6.12-rxe", id)) << id;
  }
  EXPECT_FALSE(reachable("7.2-rxe", "write-cm-event-2"));
  EXPECT_FALSE(reachable("6.1-rxe", "write-cm-event-2"));
}

// A fetch has one row for each guard, so that what the application sees is no matter of order.
TEST(FetchTable, AnswersNoEventTwice) {
  for (const FetchRule& a : rules::kFetches) {
    for (const FetchRule& b : rules::kFetches) {
      if (&a == &b || a.queued != b.queued) continue;
      for (int g = 0; g < kFetchGuardCount; ++g)
        EXPECT_FALSE(a.when.Has(static_cast<FetchGuard>(g)) &&
                     b.when.Has(static_cast<FetchGuard>(g)))
            << a.id << " and " << b.id;
    }
  }
}

}  // namespace
}  // namespace cm::model
