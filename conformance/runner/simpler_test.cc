// Each move of the shrinker, on a small conversation.
#include "conformance/runner/simpler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/scenarios/on_sim.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Conversation Of(const std::string& lines) {
  return ConversationOf(
      "conversation 1\ntopology two-kernels\nprofile 6.1-rxe\ncapabilities drop lanes\n" + lines);
}

// Its lines without the head.
std::string LinesOf(const Conversation& conversation) {
  std::string text;
  for (const Line& line : conversation.lines) text += ToString(line, conversation) + "\n";
  return text;
}

std::vector<std::string> LinesOf(const std::vector<Conversation>& conversations) {
  std::vector<std::string> all;
  for (const Conversation& conversation : conversations) all.push_back(LinesOf(conversation));
  return all;
}

const std::string kChannel = "active rdma_create_event_channel C\n";
const std::string kA = "active rdma_create_id A on=C\n";
const std::string kB = "active rdma_create_id B on=C\n";
const std::string kBindA = "active rdma_bind_addr A addr=active:7\n";
const std::string kBindB = "active rdma_bind_addr B addr=active:8\n";
const std::string kFetch = "active rdma_get_cm_event C as=e1 id=P\n";
const std::string kAck = "active rdma_ack_cm_event e1\n";

TEST(WithoutLines, LeavesOutThoseAndNoOthers) {
  const Conversation four = Of(kChannel + kA + kB + kBindA);
  EXPECT_EQ(LinesOf(WithoutLines(four, 1, 2)), kChannel + kBindA);
  EXPECT_EQ(LinesOf(WithoutLines(four, 3, 100)), kChannel + kA + kB);
  EXPECT_EQ(LinesOf(WithoutLines(four, 4, 1)), LinesOf(four));
}

TEST(WithoutTwo, LeavesOutBothLines) {
  EXPECT_EQ(LinesOf(WithoutTwo(Of(kChannel + kA + kB + kBindA), 1, 3)), kChannel + kB);
}

TEST(WithoutOneName, LeavesOutAChannelWithItsIdsAnIdOrAnEvent) {
  EXPECT_THAT(LinesOf(WithoutOneName(Of(kChannel + kA + kB + kBindA + kFetch + kAck))),
              testing::UnorderedElementsAre(kAck,                                    // C
                                            kChannel + kB + kFetch + kAck,           // A
                                            kChannel + kA + kBindA + kFetch + kAck,  // B
                                            kChannel + kA + kB + kBindA));           // e1
}

TEST(WithTwoNamesAsOne, LetsTheEarlierIdDoWhatTheLaterOneDid) {
  EXPECT_THAT(LinesOf(WithTwoNamesAsOne(Of(kChannel + kA + kB + kBindB))),
              ElementsAre(kChannel + kA + "active rdma_bind_addr A addr=active:8\n"));
}

TEST(WithTwoNamesAsOne, LetsTheEarlierChannelDoWhatTheLaterOneDid) {
  EXPECT_THAT(LinesOf(WithTwoNamesAsOne(Of(kChannel + "active rdma_create_event_channel D\n" +
                                           "active rdma_create_id B on=D\n"))),
              ElementsAre(kChannel + kB));
}

TEST(WithTwoNamesAsOne, KeepsTheSidesApart) {
  EXPECT_THAT(WithTwoNamesAsOne(Of(kChannel + kA + "passive rdma_create_event_channel S\n" +
                                   "passive rdma_create_id L on=S\n")),
              IsEmpty());
}

TEST(WithoutQueuePairs, GivesANumberWhereTheQueuePairWas) {
  const std::string before = kChannel + kA;
  EXPECT_THAT(LinesOf(WithoutQueuePairs(
                  Of(before + "active rdma_create_qp A\n" +
                     "active rdma_connect A retry_count=3\nactive rdma_destroy_qp A\n"))),
              ElementsAre(before + "active rdma_connect A retry_count=3 qp_num=100\n"));
}

TEST(GiveNumbers, LeavesAQueuePairANumberAndANullParameterAsTheyAre) {
  Conversation conversation =
      Of(kChannel + kA + kB +
         "active rdma_create_id D on=C\nactive rdma_create_qp A\n"
         "active rdma_connect A retry_count=3\nactive rdma_connect B noparam\n"
         "active rdma_connect B retry_count=3\n"
         "active rdma_accept D retry_count=3 qp_num=9\n");
  GiveNumbers(&conversation);
  EXPECT_EQ(LinesOf(conversation),
            kChannel + kA + kB +
                "active rdma_create_id D on=C\nactive rdma_create_qp A\n"
                "active rdma_connect A retry_count=3\nactive rdma_connect B noparam\n"
                "active rdma_connect B retry_count=3 qp_num=101\n"
                "active rdma_accept D retry_count=3 qp_num=9\n");
}

TEST(WithOneLineSimpler, SaysTheSameWithLess) {
  const std::string before = kChannel + kA;
  EXPECT_THAT(LinesOf(WithOneLineSimpler(
                  Of(before + "active rdma_connect A retry_count=3 qp_num=9 private=\"x\"\n"))),
              Contains(before + "active rdma_connect A qp_num=9\n"));
  EXPECT_THAT(LinesOf(WithOneLineSimpler(Of(before + "active rdma_reject A private=\"x\"\n"))),
              Contains(before + "active rdma_reject A\n"));
  EXPECT_THAT(LinesOf(WithOneLineSimpler(Of(before + "active rdma_listen A backlog=3\n"))),
              Contains(before + "active rdma_listen A backlog=8\n"));
  EXPECT_THAT(LinesOf(WithOneLineSimpler(Of(before + "active/2 rdma_listen A backlog=8\n"))),
              Contains(before + "active rdma_listen A backlog=8\n"));
  EXPECT_THAT(LinesOf(WithOneLineSimpler(Of(before + "active wait C within=1s\n"))),
              Contains(before + "settle\n"));
  EXPECT_THAT(LinesOf(WithOneLineSimpler(Of(before + "pass 50s\n"))),
              testing::AllOf(Contains(before + "settle\n"), Contains(before + "pass 1s\n"),
                             Contains(before + "pass 10s\n"),
                             testing::Not(Contains(before + "pass 100s\n"))));
}

TEST(WithOneLineSimpler, LetsOneThreadGoAfterTheOther) {
  const std::string before = kChannel + kA;
  EXPECT_THAT(LinesOf(WithOneLineSimpler(
                  Of(before + "active rdma_listen A backlog=8\nactive/2 & rdma_reject A\n"))),
              Contains(before + "active rdma_listen A backlog=8\nactive/2 rdma_reject A\n"));
}

TEST(LetGoAlone, LeavesThoseThatHaveCompany) {
  Conversation conversation =
      Of(kChannel + kA + "active rdma_listen A backlog=8\nactive/2 & rdma_reject A\n" +
         "active/3 & rdma_establish A\n");
  conversation.lines.erase(conversation.lines.end() - 3);
  conversation.lines.insert(conversation.lines.end() - 2, line::Settles{});
  LetGoAlone(&conversation);
  EXPECT_EQ(LinesOf(conversation),
            kChannel + kA + "settle\nactive/2 rdma_reject A\n" + "active/3 & rdma_establish A\n");
}

TEST(WithoutOneFetch, SettlesInstead) {
  EXPECT_THAT(LinesOf(WithoutOneFetch(Of(kChannel + kFetch + kAck))),
              ElementsAre(kChannel + "settle\n" + kAck));
}

TEST(WithOneEstablishing, EstablishesRatherThanFetch) {
  const std::string before = kChannel + kA;
  EXPECT_THAT(
      LinesOf(WithOneEstablishing(Of(before + "active rdma_create_qp A\n" +
                                     "active rdma_connect A retry_count=3\n" + kFetch))),
      ElementsAre(
          before +
          "active rdma_connect A retry_count=3 qp_num=100\nsettle\nactive rdma_establish A\n"));
}

TEST(WithSmallerBacklog, NeedsOneIdFewerToFillIt) {
  const std::string listens = "active rdma_bind_addr A addr=active:7\n";
  const auto variants = LinesOf(
      WithSmallerBacklog(Of(kChannel + kA + listens + "active rdma_listen A backlog=2\n" + kB)));
  EXPECT_THAT(variants, Contains(kChannel + kA + listens + "active rdma_listen A backlog=1\n"));
  EXPECT_THAT(WithSmallerBacklog(Of(kChannel + kA + "active rdma_listen A backlog=1\n" + kB)),
              IsEmpty());
}

TEST(Detours, HitTheOtherSideRejectRatherThanAcceptAndSilenceASide) {
  const std::string both =
      kChannel + kA + "passive rdma_create_event_channel S\n" + "passive rdma_create_id L on=S\n";
  const auto faulted = LinesOf(Detours(Of(both + "fault drop REQ from=active\n" + kFetch)));
  EXPECT_THAT(faulted, Contains(both + "fault drop REQ from=passive\n" +
                                "passive rdma_get_cm_event S as=e1 id=P\n"));
  const auto accepted = LinesOf(Detours(Of(both + "passive rdma_accept L\n")));
  EXPECT_THAT(accepted, Contains(both + "passive rdma_reject L\n"));
  EXPECT_THAT(accepted,
              Contains("fault drop any from=active\n" + both + "passive rdma_accept L\n"));
}

TEST(Detours, BindAnIdRatherThanWaitForARequest) {
  EXPECT_THAT(LinesOf(Detours(Of(kChannel + kA + kFetch + "active rdma_create_qp P\n"))),
              Contains("active rdma_create_event_channel C nonblocking\n"
                       "active rdma_create_id P on=C\n"
                       "active rdma_bind_addr P addr=active:7471\n"
                       "active rdma_create_qp P\n"));
}

TEST(Detours, LetOneSideDoEverything) {
  EXPECT_THAT(LinesOf(Detours(Of(kChannel + "passive rdma_create_event_channel S\n"))),
              Contains(kChannel + "active rdma_create_event_channel S\n"));
}

// Every conversation of a detour may be written to a file.
TEST(Detours, ReadBackFromWhatTheyArePrintedAs) {
  const Conversation connected =
      Of("passive listening L on=S port=7471\nactive connecting A on=C to=passive:7471\n"
         "passive accepting P on=S\nactive taking C\n");
  const std::vector<Conversation> detours = Detours(connected);
  EXPECT_THAT(detours, SizeIs(testing::Gt(5u)));
  for (const Conversation& detour : detours) {
    const std::string text = ToText(detour);
    EXPECT_EQ(ToText(ConversationOf(text)), text);
  }
}

}  // namespace
}  // namespace cm
