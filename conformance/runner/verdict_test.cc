// Verdicts about a history: rows, properties, leaks, and declared deviations.
#include "conformance/runner/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/scenarios/on_sim.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kHeader =
    "conversation 1\ntopology two-kernels\nprofile 6.1-rxe\ncapabilities lanes exit crashes\n";
constexpr const char* kOneId = "active rdma_create_event_channel C\nactive rdma_create_id A on=C\n";

History Of(const std::string& lines, std::string_view defect = {}) {
  return OnSim(ConversationOf(kHeader + lines), defect);
}

SequenceResult SequenceRun(const History& history, const Ending& ending = {},
                           std::string_view only = {}) {
  return Judge(history, ending, Profiles().front(), only);
}

std::vector<std::string> IdsOf(const SequenceResult& result) {
  std::vector<std::string> ids;
  for (const Finding& finding : result.findings) ids.push_back(finding.id);
  return ids;
}

const Ending kLeaks{.unsupported = {}, .leaks = "an id and a port"};

History WrongErrno() {
  return Of(std::string(kOneId) + "active rdma_bind_addr A addr=active:0\nactive rdma_connect A\n",
            "connect-wrong-errno");
}

TEST(Verdict, SaysWhetherTheRowsObjectOrWhichProperties) {
  const Finding rows{.id = std::string(kRowsId)};
  const Finding one{.id = "EST-1"};
  const Finding other{.id = "EV-1"};
  EXPECT_EQ(WhatObjects({}), "");
  EXPECT_EQ(WhatObjects({rows}), "rows refuse");
  EXPECT_EQ(WhatObjects({one}), "property EST-1 objects");
  EXPECT_EQ(WhatObjects({rows, one, other}), "rows refuse; properties EST-1, EV-1 object");
}

TEST(Verdict, OfAConformingHistoryIsPassedWithItsCounts) {
  const SequenceResult result =
      SequenceRun(Of(std::string(kOneId) +
                     "active rdma_resolve_addr A dst=passive:7471 timeout_ms=2000\nsettle\n"
                     "active rdma_get_cm_event C as=e1\nactive rdma_ack_cm_event e1\nactive "
                     "rdma_ack_cm_event e1\n"));
  EXPECT_EQ(result.verdict, Verdict::kPassed);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.calls, 5u);  // the last one names an event that is gone: it was not made
  EXPECT_EQ(result.events, 1u);
  EXPECT_EQ(result.heard[static_cast<size_t>(EventType::kAddrResolved)], 1u);
  EXPECT_EQ(result.topology, "two-kernels");
  EXPECT_GT(result.reached.count(), 0u);
  EXPECT_GT(result.observations, 0u);
  EXPECT_NE(result.digest, 0u);
}

TEST(Verdict, AgainstTheRowsNamesWhatWasSeenWhatIsPermittedTheRulesAndTheirSources) {
  const SequenceResult result = SequenceRun(WrongErrno(), {}, kRowsId);
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  ASSERT_THAT(IdsOf(result), ElementsAre("ROWS-1"));
  const Finding& finding = result.findings.front();
  EXPECT_EQ(finding.about, "rdma_connect");
  EXPECT_EQ(finding.saw, "-1 ENOTCONN");
  EXPECT_THAT(finding.permitted, HasSubstr("-1 EINVAL"));
  EXPECT_THAT(finding.source, AllOf(HasSubstr("connect-"), HasSubstr("linux 6.1 cma.c")));
  EXPECT_EQ(finding.record, 3u);
  EXPECT_EQ(finding.where, "active rdma_connect A");
}

TEST(Verdict, OfTheRowsIsAboutTheEventWhereOneWasFetched) {
  History history = Of(std::string(kOneId) +
                       "active rdma_resolve_addr A dst=passive:7471 timeout_ms=2000\nsettle\n"
                       "active rdma_get_cm_event C as=e1\n");
  std::get<seen::Answered>(history.records.back().seen).event->type = EventType::kAddrError;
  const SequenceResult result = SequenceRun(history, {}, kRowsId);
  ASSERT_THAT(IdsOf(result), ElementsAre("ROWS-1"));
  EXPECT_EQ(result.findings.front().about, "RDMA_CM_EVENT_ADDR_ERROR");
  EXPECT_THAT(result.findings.front().permitted, HasSubstr("RDMA_CM_EVENT_ADDR_RESOLVED"));
}

TEST(Verdict, OfOneClaimLeavesTheOthersOut) {
  const History history = WrongErrno();
  EXPECT_THAT(IdsOf(SequenceRun(history)), AllOf(Contains("ROWS-1"), Contains("EST-9")));
  EXPECT_THAT(IdsOf(SequenceRun(history, {}, "EST-9")), ElementsAre("EST-9"));
  EXPECT_THAT(IdsOf(SequenceRun(history, {}, kLeakId)), IsEmpty());
  EXPECT_EQ(SequenceRun(history, {}, "EST-1").verdict, Verdict::kPassed);
}

TEST(Verdict, HasTheWholeHistoryInItsDigestWhateverIsJudged) {
  const History history = WrongErrno();
  EXPECT_EQ(SequenceRun(history, {}, "EST-1").digest, SequenceRun(history).digest);
  EXPECT_NE(SequenceRun(Of(kOneId)).digest, SequenceRun(history).digest);
}

TEST(Verdict, IsThatOfAKnownDeviationWhenTheProfileDeclaresAllThatWasFound) {
  Profile profile = Profiles().front();
  profile.deviations = {{.id = "ROWS-1", .reason = "another errno"}};
  EXPECT_EQ(Judge(WrongErrno(), {}, profile).verdict, Verdict::kFailed);
  profile.deviations.push_back({.id = "EST-9", .reason = "the same"});
  const SequenceResult result = Judge(WrongErrno(), {}, profile);
  EXPECT_EQ(result.verdict, Verdict::kKnownDeviation);
  EXPECT_THAT(result.findings, Not(IsEmpty()));
}

TEST(Verdict, IsThatOfAKnownDeviationForTheDeclaredCauseAlone) {
  const SequenceResult failed = Judge(WrongErrno(), {}, Profiles().front(), kRowsId);
  ASSERT_THAT(failed.findings, testing::SizeIs(1));
  Profile profile = Profiles().front();
  profile.deviations = {{.id = "ROWS-1", .reason = "known", .cause = failed.findings[0].Cause()}};
  EXPECT_EQ(Judge(WrongErrno(), {}, profile, kRowsId).verdict, Verdict::kKnownDeviation);
  profile.deviations[0].cause += "x";
  EXPECT_EQ(Judge(WrongErrno(), {}, profile, kRowsId).verdict, Verdict::kFailed);
}

TEST(Verdict, OfAnInconclusiveSessionDropsWhatWasFoundAndConfirmed) {
  const History history = WrongErrno();
  EXPECT_GT(SequenceRun(history).confirmed.count(), 0u);
  const SequenceResult result =
      SequenceRun(history, {.unsupported = {}, .inconclusive = "it was disturbed"});
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
  EXPECT_EQ(result.reason, "it was disturbed");
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.confirmed.count(), 0u);
}

TEST(Leak, IsFoundWhenEverythingWasReturned) {
  const SequenceResult result = SequenceRun(
      Of(std::string(kOneId) + "active rdma_destroy_id A\nactive rdma_destroy_event_channel C\n"),
      kLeaks);
  ASSERT_THAT(IdsOf(result), ElementsAre("LEAK-1"));
  EXPECT_EQ(result.findings.front().saw, "an id and a port");
  EXPECT_EQ(result.findings.front().permitted, "nothing in use");
  EXPECT_THAT(result.findings.front().source, HasSubstr("man rdma_destroy_id(3)"));
  EXPECT_EQ(result.findings.front().record, 3u);
}

TEST(Leak, IsFoundEvenWhereNothingWasDone) {
  EXPECT_THAT(IdsOf(SequenceRun(Of(""), kLeaks)), ElementsAre("LEAK-1"));
  EXPECT_EQ(SequenceRun(Of(""), kLeaks).findings.front().record, 0u);
}

TEST(Leak, IsFoundWhereABlockedCallHasReturned) {
  const History history =
      Of("active rdma_create_event_channel C\nactive/2 rdma_get_cm_event C as=e1\n"
         "active rdma_create_id A on=C\n"
         "active rdma_resolve_addr A dst=passive:7471 timeout_ms=2000\nsettle\n"
         "active rdma_ack_cm_event e1\nactive rdma_destroy_id A\n"
         "active rdma_destroy_event_channel C\n");
  ASSERT_TRUE(std::ranges::any_of(history.records, [](const Record& record) {
    return std::holds_alternative<seen::Released>(record.seen);
  }));
  EXPECT_THAT(IdsOf(SequenceRun(history, kLeaks)), ElementsAre("LEAK-1"));
}

TEST(Leak, IsNoneWhileTheApplicationHoldsSomething) {
  EXPECT_THAT(IdsOf(SequenceRun(Of(kOneId), kLeaks)), IsEmpty());
  EXPECT_THAT(IdsOf(SequenceRun(Of(std::string(kOneId) + "active rdma_destroy_id A\n"), kLeaks)),
              IsEmpty());
}

TEST(Leak, IsNoneAfterAProcessHasExited) {
  EXPECT_THAT(IdsOf(SequenceRun(Of(std::string(kOneId) + "fault exit side=active\n"), kLeaks)),
              IsEmpty());
}

TEST(Leak, IsNoneWhereAChannelWasDestroyedUnderItsIds) {
  EXPECT_THAT(
      IdsOf(SequenceRun(Of(std::string(kOneId) + "active rdma_destroy_event_channel C\n"), kLeaks)),
      Not(Contains("LEAK-1")));
}

// The last call of a history that released everything gets another result.
class LeakAfter : public testing::TestWithParam<std::pair<const char*, Reply>> {};

TEST_P(LeakAfter, IsNone) {
  History history = Of(std::string(kOneId) +
                       "active rdma_destroy_id A\nactive rdma_destroy_event_channel C\npassive "
                       "rdma_create_event_channel S\n");
  std::get<seen::Answered>(history.records.back().seen).reply = GetParam().second;
  EXPECT_THAT(IdsOf(SequenceRun(history, kLeaks, kLeakId)), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Ends, LeakAfter,
                         testing::Values(std::pair("ACrash", Reply::Crashed()),
                                         std::pair("ABlockedCall", Reply::Blocked())),
                         [](const auto& end) { return std::string(end.param.first); });

TEST(SequenceVerdicts, ReadBackFromTheirNames) {
  for (int i = 0; i < 5; ++i) {
    const auto verdict = static_cast<Verdict>(i);
    EXPECT_EQ(ParseVerdict(ToString(verdict)), verdict);
  }
  EXPECT_EQ(ParseVerdict("splendid"), std::nullopt);
}

}  // namespace
}  // namespace cm
