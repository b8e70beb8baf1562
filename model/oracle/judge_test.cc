// Small histories, written by hand, that the oracle must permit or refuse; for refusals also the
// explanation.
#include "model/oracle/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "model/oracle/told.h"
#include "model/vocabulary/profile.h"

namespace cm::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(TheOracle, PermitsAConnection) {
  ExpectPermitted(
      kAccepted +
      Told{kEstablished, "active rdma_ack_cm_event e3 -> 0",
           "passive rdma_get_cm_event S as=e4 -> 0  event RDMA_CM_EVENT_ESTABLISHED id=P"});
}

TEST(TheOracle, KnowsPrivateDataThatLooksLikeAnAnswer) {
  ExpectPermitted(kListening + kRouteResolved +
                  Told{"active rdma_connect A private=\"a -> b\" -> 0"});
}

TEST(TheOracle, RefusesAWrongErrnoAndSaysWhichIsRight) {
  const std::string text = RefusalOfTheLast(
      kAddrResolved + Told{"active rdma_connect A private=\"hello\" -> -1 ENOTCONN"});
  EXPECT_THAT(text, AllOf(HasSubstr("-1 ENOTCONN"), HasSubstr("-1 EINVAL"), HasSubstr("connect-5"),
                          HasSubstr("linux 6.1 cma.c rdma_connect_locked")));
  ExpectPermitted(kAddrResolved + Told{"active rdma_connect A private=\"hello\" -> -1 EINVAL"});
}

TEST(TheOracle, RefusesSuccessWhereACallIsIllegal) {
  EXPECT_THAT(RefusalOfTheLast(kIdle + Told{"active rdma_disconnect A -> 0"}),
              HasSubstr("disconnect-1"));
}

TEST(TheOracle, RefusesAnEventFromNowhere) {
  const std::string text = RefusalOfTheLast(
      kIdle +
      Told{"active rdma_get_cm_event C as=e1 -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=A"});
  EXPECT_THAT(text, AllOf(HasSubstr("RDMA_CM_EVENT_ADDR_RESOLVED id=A"),
                          HasSubstr("no event of this id now")));
}

TEST(TheOracle, RefusesAnEventThatComesTwice) {
  EXPECT_THAT(
      RefusalOfTheLast(
          kAddrResolved +
          Told{"active rdma_get_cm_event C as=e9 -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=A"}),
      HasSubstr("no event of this id now"));
}

TEST(TheOracle, RefusesAnotherEventThanTheOneThatIsDue) {
  EXPECT_THAT(
      RefusalOfTheLast(
          kResolving +
          Told{"active rdma_get_cm_event C as=e1 -> 0  event RDMA_CM_EVENT_ROUTE_RESOLVED id=A"}),
      AllOf(HasSubstr("saw"), HasSubstr("RDMA_CM_EVENT_ADDR_RESOLVED"), HasSubstr("fetch-1")));
}

TEST(TheOracle, RefusesAWrongStatus) {
  const Told rejected = kRequested + Told{"passive rdma_reject P -> 0"};
  const std::string fetch =
      "active rdma_get_cm_event C as=e3 -> 0  event RDMA_CM_EVENT_REJECTED id=A";
  ExpectPermitted(rejected + Told{fetch + " status=28 private=\"\"+148"});
  EXPECT_THAT(RefusalOfTheLast(rejected + Told{fetch + " status=8 private=\"\"+148"}),
              AllOf(HasSubstr("status=8"), HasSubstr("status=28")));
}

TEST(TheOracle, RefusesPrivateDataThatNobodySent) {
  EXPECT_THAT(RefusalOfTheLast(kConnecting +
                               Told{kFetchRequest + kRequestFields + " private=\"hallo\"+51"}),
              AllOf(HasSubstr("\"hallo\"+51"), HasSubstr("\"hello\"+51"), HasSubstr("fetch-5")));
  RefusalOfTheLast(kConnecting + Told{kFetchRequest + kRequestFields + " private=\"hello\"+50"});
}

TEST(TheOracle, RefusesParametersThatNobodyAskedFor) {
  RefusalOfTheLast(kConnecting +
                   Told{kFetchRequest + " responder_resources=2 initiator_depth=1 flow_control=1 "
                                        "retry_count=7 rnr_retry_count=7 private=\"hello\"+51"});
}

TEST(TheOracle, RefusesSilenceInAFaultFreeConversation) {
  EXPECT_THAT(
      RefusalOfTheLast(kResolving + Told{"settle -> done", "active wait C within=1s -> quiet"}),
      HasSubstr("readable: an event is due"));
  EXPECT_THAT(RefusalOfTheLast(kConnecting + Told{"settle -> done",
                                                  "passive rdma_get_cm_event S as=r -> blocked"}),
              HasSubstr("CONNECT_REQUEST"));
}

TEST(TheOracle, RefusesAReadableChannelWithNothingToRead) {
  EXPECT_THAT(RefusalOfTheLast(kIdle + Told{"active wait C within=1s -> readable"}),
              HasSubstr("quiet: nothing can have happened"));
}

const std::string kUnreachable =
    "active rdma_get_cm_event C as=e3 -> 0  event RDMA_CM_EVENT_UNREACHABLE id=A status=-110";

// 16 transmissions, 6.144 s apart: 98.3 s.
TEST(TheOracle, RefusesUnreachableUnlessTheConversationLosesMessages) {
  const Told asks = kListening + kRouteResolved;
  const Told connects = {"active rdma_connect A private=\"hello\" -> 0"};
  const Told loses = {"fault drop REQ from=active -> done"};
  RefusalOfTheLast(asks + connects + Told{"@100s", kUnreachable});
  ExpectPermitted(asks + loses + connects + Told{"@100s", kUnreachable});
}

TEST(TheOracle, RefusesUnreachableBeforeTheSenderCanHaveGivenUp) {
  const Told lost =
      kListening + kRouteResolved +
      Told{"fault drop REQ from=active -> done", "active rdma_connect A private=\"hello\" -> 0"};
  RefusalOfTheLast(lost + Told{"@98s", kUnreachable});
  ExpectPermitted(lost + Told{"@99s", kUnreachable});
}

// With ACK_TIMEOUT 22 requests are 20.480 s apart, and each may be late by a step of the timer
// wheel: sixteen of them take 360.448 s, and 300 ms.
TEST(TheOracle, AllowsForAStepOfTheTimerWheelAtEachRetransmission) {
  const Told lost =
      kListening + kAddrResolved +
      Told{"active rdma_set_option A option=ACK_TIMEOUT value=22 length=1 -> 0",
           "active rdma_resolve_route A timeout_ms=2000 -> 0",
           "active rdma_get_cm_event C as=e2 -> 0  event RDMA_CM_EVENT_ROUTE_RESOLVED id=A",
           "active rdma_ack_cm_event e2 -> 0", "fault drop REQ from=active -> done"} +
      Told{"active rdma_create_qp A -> 0", "@1s", "active rdma_connect A -> 0"};
  const std::string quiet = "active wait C within=3600s -> quiet";
  ExpectPermitted(lost + Told{"@2s..361400ms", quiet, kUnreachable});
  RefusalOfTheLast(lost + Told{"@2s..361800ms", quiet});
}

TEST(TheOracle, PermitsSilenceWhereTheMessageIsLost) {
  ExpectPermitted(kListening + kRouteResolved +
                  Told{"fault drop REQ from=active -> done",
                       "active rdma_connect A private=\"hello\" -> 0", "settle -> done",
                       "passive wait S within=1s -> quiet"});
}

// Losing a message of the other direction, or of another kind, is no excuse.
TEST(TheOracle, TakesNoLossForAnother) {
  for (const char* other :
       {"fault drop REQ from=passive -> done", "fault drop REP from=active -> done"})
    RefusalOfTheLast(kListening + kRouteResolved +
                     Told{other, "active rdma_connect A private=\"hello\" -> 0", "settle -> done",
                          "passive wait S within=1s -> quiet"});
}

TEST(TheOracle, RefusesTheEndBeforeTheBeginning) {
  RefusalOfTheLast(
      kAccepted +
      Told{"passive rdma_disconnect P -> 0",
           "active rdma_get_cm_event C as=e3 -> 0  event RDMA_CM_EVENT_DISCONNECTED id=A"});
}

TEST(TheOracle, RefusesADestroyThatDoesNotWaitForAcknowledgements) {
  const Told unacked =
      kResolving +
      Told{"active rdma_get_cm_event C as=e1 -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=A"};
  EXPECT_THAT(
      RefusalOfTheLast(unacked + Told{"active rdma_destroy_id A -> 0"}),
      AllOf(HasSubstr("blocked"), HasSubstr("destroy-id-2"), HasSubstr("man rdma_destroy_id(3)")));
  ExpectPermitted(unacked + Told{"active rdma_destroy_id A -> blocked",
                                 "active/2 rdma_ack_cm_event e1 -> 0",
                                 "returned active rdma_destroy_id A -> 0"});
}

TEST(TheOracle, RefusesADestroyThatReturnsBeforeTheAcknowledgement) {
  EXPECT_THAT(
      RefusalOfTheLast(
          kResolving +
          Told{"active rdma_get_cm_event C as=e1 -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=A",
               "active rdma_destroy_id A -> blocked", "returned active rdma_destroy_id A -> 0"}),
      HasSubstr("an event is not acknowledged"));
}

TEST(TheOracle, RefusesAPortThatTwoIdsOwn) {
  const Told twice = kListening + Told{"passive rdma_create_id M on=S -> 0"};
  EXPECT_THAT(RefusalOfTheLast(twice + Told{"passive rdma_bind_addr M addr=passive:7471 -> 0"}),
              AllOf(HasSubstr("-1 EADDRINUSE"), HasSubstr("bind-7")));
  ExpectPermitted(twice + Told{"passive rdma_bind_addr M addr=passive:7471 -> -1 EADDRINUSE"});
  ExpectPermitted(twice + Told{"passive rdma_bind_addr M addr=passive:7472 -> 0"});
}

TEST(TheOracle, RefusesALineThatWasSkippedAlthoughItApplied) {
  EXPECT_THAT(RefusalOfTheLast(kIdle + Told{"active rdma_listen A backlog=8 -> not-applicable"}),
              HasSubstr("the line could have been carried out"));
}

// A host that is held up may make a channel late; what is read of it then is not refused as well.
TEST(TheOracle, KnowsAChannelThatWasMadeTooLate) {
  const Told late = {"@10s..40s", "active rdma_create_event_channel C nonblocking -> 0"};
  RefusalOfTheLast(late);
  const History history = Tell(late + Told{"active rdma_get_cm_event C as=e1 -> -1 EAGAIN"});
  EXPECT_EQ(JudgeHistory(history, ReferenceProfile()).refusals.size(), 1u);
}

TEST(TheOracle, RefusesFieldsThatTheLibraryCannotKnow) {
  const std::string show = "active show A -> 0  device=";
  ExpectPermitted(kAddrResolved + Told{show + "rxe0 port_num=1 src=active:40000 dst=passive:7471 "
                                              "num_paths=0 qp=none"});
  EXPECT_THAT(RefusalOfTheLast(kAddrResolved +
                               Told{show + "rxe0 port_num=1 src=active:40000 dst=passive:7471 "
                                           "num_paths=1 qp=none"}),
              HasSubstr("num_paths=0"));
  RefusalOfTheLast(kAddrResolved + Told{show + "rxe0 port_num=1 src=active:7471 "
                                               "dst=passive:7471 num_paths=0 qp=none"});
}

// Connections that all wait under duplication may have more states than the oracle follows: what
// has an explanation is permitted then, and what has none is not refused.
TEST(TheOracle, SaysWhenThereAreTooManyWays) {
  Told crowd = {"fault duplicate any from=active -> done", "fault reorder any from=active -> done",
                "fault delay any from=passive by=1s -> done"};
  crowd = crowd + kListening + Told{"active rdma_create_event_channel C -> 0"};
  for (int n = 0; n < 7; ++n) {
    const std::string id = "A" + std::to_string(n);
    const std::string fetch = "active rdma_get_cm_event C as=" + id;
    crowd = crowd + Told{"active rdma_create_id " + id + " on=C -> 0",
                         "active rdma_resolve_addr " + id +
                             " src=active:0 dst=passive:7471 timeout_ms=2000 -> 0",
                         fetch + "a -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=" + id,
                         "active rdma_resolve_route " + id + " timeout_ms=2000 -> 0",
                         fetch + "r -> 0  event RDMA_CM_EVENT_ROUTE_RESOLVED id=" + id,
                         "active rdma_create_qp " + id + " -> 0",
                         "active rdma_connect " + id + " -> 0"};
  }
  const auto judged = [&](const Told& last) {
    return Judge(crowd + Told{"@20s"} + last, *FindProfile("6.1-rxe")).verdict;
  };
  const Told readable = {"passive wait S within=1s -> readable"};
  EXPECT_EQ(judged(readable), VerdictKind::kPermitted);
  EXPECT_EQ(judged(readable + Told{"active wait C within=1s -> quiet"}), VerdictKind::kPermitted);
  const Told another = {"active rdma_create_event_channel E -> 0",
                        "active rdma_create_id Z on=E -> 0",
                        "active rdma_bind_addr Z addr=active:700 -> -1 EADDRINUSE"};
  EXPECT_EQ(judged(readable + another), VerdictKind::kRefused);
  EXPECT_EQ(judged({"passive wait S within=1s -> quiet"}), VerdictKind::kRefused);
  EXPECT_EQ(judged(readable + Told{"passive rdma_get_cm_event S as=e -> 0  event "
                                   "RDMA_CM_EVENT_DISCONNECTED id=L"}),
            VerdictKind::kInconclusive);
}

const Told kSecondChannel = {"active rdma_create_event_channel D nonblocking -> 0"};

TEST(TheOracle, RefusesAnEventOnTheChannelThatItsIdHasLeft) {
  const Told moved =
      kResolving + kSecondChannel + Told{"settle -> done", "active rdma_migrate_id A to=D -> 0"};
  const std::string event = " -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=A";
  ExpectPermitted(moved + Told{"active rdma_get_cm_event D as=e1" + event});
  EXPECT_THAT(RefusalOfTheLast(moved + Told{"active rdma_get_cm_event C as=e1" + event}),
              HasSubstr("an event of this channel's ids"));
  EXPECT_THAT(RefusalOfTheLast(moved + Told{"active rdma_get_cm_event D as=e1 -> -1 EAGAIN"}),
              HasSubstr("RDMA_CM_EVENT_ADDR_RESOLVED"));
}

TEST(TheOracle, RefusesAMigrationThatDoesNotWaitForAcknowledgements) {
  const Told unacked =
      kResolving + kSecondChannel +
      Told{"active rdma_get_cm_event C as=e1 -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=A"};
  EXPECT_THAT(RefusalOfTheLast(unacked + Told{"active rdma_migrate_id A to=D -> 0"}),
              AllOf(HasSubstr("blocked"), HasSubstr("migrate-id-3")));
  const Told waits = unacked + Told{"active/2 rdma_migrate_id A to=D -> blocked"};
  EXPECT_THAT(RefusalOfTheLast(waits + Told{"returned active/2 rdma_migrate_id A to=D -> 0"}),
              HasSubstr("an event is not acknowledged"));
  ExpectPermitted(waits + Told{"active rdma_ack_cm_event e1 -> 0",
                               "returned active/2 rdma_migrate_id A to=D -> 0"});
}

TEST(TheOracle, RefusesARequestThatItsListenerHasLeftBehind) {
  const Told left = kConnecting + Told{"passive rdma_create_event_channel T nonblocking -> 0",
                                       "settle -> done", "passive rdma_migrate_id L to=T -> 0"};
  ExpectPermitted(left + Told{"passive rdma_get_cm_event T as=r -> -1 EAGAIN"});
  RefusalOfTheLast(left + Told{"passive rdma_get_cm_event T as=r id=P -> 0  event "
                               "RDMA_CM_EVENT_CONNECT_REQUEST id=P listen=L" +
                               kRequestFields + " private=\"hello\"+51"});
}

TEST(TheOracle, RefusesAListenerOnASharedPort) {
  Told shared = {"passive rdma_create_event_channel S -> 0"};
  for (const std::string id : {"L", "M"}) {
    shared = shared + Told{"passive rdma_create_id " + id + " on=S -> 0",
                           "passive rdma_set_option " + id + " option=REUSEADDR value=1 -> 0",
                           "passive rdma_bind_addr " + id + " addr=passive:7471 -> 0"};
  }
  EXPECT_THAT(RefusalOfTheLast(shared + Told{"passive rdma_listen M backlog=8 -> 0"}),
              AllOf(HasSubstr("EADDRINUSE"), HasSubstr("listen-5")));
  ExpectPermitted(shared + Told{"passive rdma_listen M backlog=8 -> -1 EADDRINUSE",
                                "passive rdma_destroy_id L -> 0",
                                "passive rdma_listen M backlog=8 -> 0"});
}

const Profile& kInfiniband = *FindProfile("6.1-ib");

// The SA is silent from 10 ms on.
const Told kAsking = kAddrResolved + Told{"@10ms", "fault silence-sm side=active -> done", "@20ms",
                                          "active rdma_resolve_route A timeout_ms=2000 -> 0"};

std::string RouteError(int status) {
  return "active rdma_get_cm_event C as=e2 -> 0  event RDMA_CM_EVENT_ROUTE_ERROR id=A status=" +
         std::to_string(status);
}

TEST(TheOracle, KnowsHowLongASubnetIsAsked) {
  ExpectPermitted(kAsking + Told{"@2220ms", RouteError(-110)}, kInfiniband);
  EXPECT_THAT(RefusalOfTheLast(kAsking + Told{"@2219ms", RouteError(-110)}, kInfiniband),
              HasSubstr("no event of this id now"));
  EXPECT_THAT(RefusalOfTheLast(kAsking + Told{"@2220ms", RouteError(-22)}, kInfiniband),
              HasSubstr("status=-110"));
  EXPECT_THAT(RefusalOfTheLast(kAsking + Told{"@9s", "active rdma_get_cm_event C as=e2 -> blocked"},
                               kInfiniband),
              HasSubstr("RDMA_CM_EVENT_ROUTE_ERROR"));
  RefusalOfTheLast(kAddrResolved + Told{"active rdma_resolve_route A timeout_ms=2000 -> 0", "@4s",
                                        RouteError(-110)},
                   kInfiniband);
}

TEST(TheOracle, KnowsThatASilentSubnetHasNoRoutes) {
  const std::string resolved =
      "active rdma_get_cm_event C as=e2 -> 0  event RDMA_CM_EVENT_ROUTE_RESOLVED id=A";
  RefusalOfTheLast(kAsking + Told{resolved}, kInfiniband);
  ExpectPermitted(kAsking + Told{"heal -> done", "@300ms", resolved}, kInfiniband);
}

TEST(TheOracle, KnowsThatASilentSubnetHasNoGroups) {
  const Told joining = {"active rdma_create_event_channel C -> 0",
                        "active rdma_create_id A on=C ps=RDMA_PS_UDP -> 0",
                        "active rdma_bind_addr A addr=active:0 -> 0",
                        "@10ms",
                        "fault silence-sm side=active -> done",
                        "@20ms",
                        "active rdma_join_multicast A addr=group1.v6:0 context=2 -> 0"};
  const std::string joined =
      "active rdma_get_cm_event C as=e1 -> 0  event RDMA_CM_EVENT_MULTICAST_JOIN id=A "
      "qp_num=16777215 qkey=0x01234567 group=group1.v6:0 context=2";
  const std::string failed =
      "active rdma_get_cm_event C as=e1 -> 0  event RDMA_CM_EVENT_MULTICAST_ERROR id=A "
      "status=-110 context=2";
  RefusalOfTheLast(joining + Told{joined}, kInfiniband);
  RefusalOfTheLast(joining + Told{"@3319ms", failed}, kInfiniband);
  ExpectPermitted(joining + Told{"@3320ms", failed}, kInfiniband);
  ExpectPermitted(joining + Told{"heal -> done", joined}, kInfiniband);
}

TEST(TheOracle, KnowsThePortSpaceOfIpoib) {
  const Told made = {"active rdma_create_event_channel C -> 0",
                     "active rdma_create_id A on=C ps=RDMA_PS_IPOIB -> 0"};
  ExpectPermitted(made + Told{"active rdma_bind_addr A addr=active:0 -> 0"}, kInfiniband);
  RefusalOfTheLast(made + Told{"active rdma_bind_addr A addr=active:0 -> -1 EINVAL"}, kInfiniband);
  ExpectPermitted(made + Told{"active rdma_bind_addr A addr=active:0 -> -1 EINVAL"});
}

// A message of 16 bytes for a receive of 8.
const Told kTooLong =
    kAccepted + Told{kEstablished,
                     "active rdma_ack_cm_event e3 -> 0",
                     "passive rdma_get_cm_event S as=e4 -> 0  event RDMA_CM_EVENT_ESTABLISHED id=P",
                     "active rdma_reg_msgs a id=A length=64 -> 0",
                     "passive rdma_reg_msgs p id=P length=64 -> 0",
                     "passive rdma_post_recv P context=1 sge=p:0+8 -> 0",
                     "active rdma_post_send A context=11 sge=a:0+16 -> 0"};

TEST(TheOracle, RefusesSuccessWithoutACompletion) {
  const Told none = {"active rdma_get_send_comp A -> 0"};
  EXPECT_THAT(RefusalOfTheLast(kTooLong + none), HasSubstr("IBV_WC_REM_OP_ERR context=11"));
  EXPECT_THAT(RefusalOfTheLast(kTooLong + Told{"passive rdma_get_recv_comp P -> 0"}),
              HasSubstr("IBV_WC_LOC_QP_OP_ERR context=1"));
  ExpectPermitted(kTooLong +
                  Told{"active rdma_get_send_comp A -> 0  status=IBV_WC_REM_OP_ERR context=11"});
}

TEST(TheOracle, TakesLongMessagesAsTheDialectHasThem) {
  const Told manual = {"active rdma_get_send_comp A -> 0  status=IBV_WC_REM_INV_REQ_ERR context=11",
                       "passive rdma_get_recv_comp P -> 0  status=IBV_WC_LOC_LEN_ERR context=1"};
  const Told soft_roce = {
      "active rdma_get_send_comp A -> 0  status=IBV_WC_REM_OP_ERR context=11",
      "passive rdma_get_recv_comp P -> 0  status=IBV_WC_LOC_QP_OP_ERR context=1"};
  Profile as_manual = *FindProfile("6.1-rxe");
  as_manual.dialect.long_messages_as_manual = true;
  ExpectPermitted(kTooLong + manual, as_manual);
  ExpectPermitted(kTooLong + soft_roce);
  for (size_t end : {0, 1}) {
    RefusalOfTheLast(kTooLong + Told{manual[end]});
    RefusalOfTheLast(kTooLong + Told{soft_roce[end]}, as_manual);
  }
}

// The sender of a refused message is in error when the answer has arrived, which takes a moment.
TEST(TheOracle, GivesTheAnswerToARefusedMessageItsTime) {
  const Told refused =
      kTooLong + Told{"passive rdma_get_recv_comp P -> 0  status=IBV_WC_LOC_QP_OP_ERR context=1"};
  const auto shown = [](const std::string& state) {
    return "active show A -> 0  device=rxe0 port_num=1 src=active:32768 dst=passive:7471 "
           "num_paths=1 qp=" +
           state;
  };
  ExpectPermitted(refused + Told{shown("RTS")});
  ExpectPermitted(refused + Told{shown("ERR")});
  ExpectPermitted(refused + Told{"@1s", shown("ERR")});
  EXPECT_THAT(RefusalOfTheLast(refused + Told{"@1s", shown("RTS")}), HasSubstr("qp=ERR"));
}

// A device that is added while its bond is down answers what that receives, and goes deaf; one that
// is added while it is up does not.
TEST(TheOracle, KnowsThatADeviceMayGoDeafThatIsAddedWhileItsBondIsDown) {
  const Told added = {"fault remove-device side=passive -> done", "@10s..11s", "settle -> done",
                      "fault add-device side=passive -> done"};
  const Told down = {"fault link-down side=passive -> done"};
  const Told resolved = Told{"topology bond"} + kRouteResolved;
  const Told unanswered = {"active rdma_connect A -> 0",
                           "@30s",
                           "heal -> done",
                           "@50s..51s",
                           "settle -> done",
                           "@60s..61s",
                           "active wait C within=1s -> quiet"};
  ExpectPermitted(resolved + down + added + unanswered);
  RefusalOfTheLast(resolved + added + unanswered);
}

// A call on a synchronous listener that ends with a request as its event: the new id is lost.
TEST(TheOracle, PermitsARequestAsTheEventOfAnotherCall) {
  const Told listening = {"passive rdma_create_id L on=null -> 0",
                          "passive rdma_bind_addr L addr=passive:7471 -> 0",
                          "passive rdma_listen L backlog=8 -> 0"};
  ExpectPermitted(
      listening + kRouteResolved +
      Told{"active rdma_connect A -> 0", "settle -> done", "passive rdma_disconnect L -> 0"});
}

TEST(TheOracle, RefusesACallOnAnIdThatIsNotReturnedYet) {
  EXPECT_THAT(RefusalOfTheLast({"active rdma_create_ep A dst=passive:7471 -> blocked",
                                "active/2 rdma_listen A backlog=8 -> 0"}),
              HasSubstr("rdma_create_ep has not returned the id"));
}

// TCP retransmits for a quarter of an hour, and not for ever.
TEST(TheOracle, RefusesSilenceOverTcpLongAfterAFault) {
  const Profile& iwarp = *FindProfile("6.1-siw");
  const Told connects = kListening + kRouteResolved + Told{"active rdma_connect A -> 0"};
  const Told silent = {"settle -> done", "passive wait S within=1s -> quiet"};
  for (const std::string fault : {"link-down side=active", "neighbour-change side=active",
                                  "drop any from=active", "delay any from=active by=1s"}) {
    const Told trouble = {"fault " + fault + " -> done", "heal -> done"};
    ExpectPermitted(trouble + connects + silent, iwarp);
    RefusalOfTheLast(trouble + Told{"@1000s"} + connects + silent, iwarp);
  }
}

// Over iWARP, with a reply awaited or in flight.
const Told kAwaitingReply =
    kListening + kRouteResolved +
    Told{"active rdma_connect A -> 0", kFetchRequest + " responder_resources=1 initiator_depth=1",
         "passive rdma_ack_cm_event r -> 0", "passive rdma_create_qp P -> 0",
         "passive rdma_accept P -> 0"};

TEST(TheOracle, RefusesADisconnectThatFailsWhileItWaitsForTheReply) {
  const Profile& iwarp = *FindProfile("6.1-siw");
  const std::string disconnect = "active rdma_disconnect A -> ";
  for (const std::string reply : {"0", "blocked"})
    ExpectPermitted(kAwaitingReply + Told{disconnect + reply}, iwarp);
  for (const std::string reply : {"-1 EINVAL", "crashed"})
    EXPECT_THAT(RefusalOfTheLast(kAwaitingReply + Told{disconnect + reply}, iwarp),
                AllOf(HasSubstr("iw-disconnect-call-2"), HasSubstr("iw-disconnect-call-3")));
  const Told waits = kAwaitingReply + Told{"active/2 rdma_disconnect A -> blocked"};
  ExpectPermitted(waits + Told{"returned active/2 rdma_disconnect A -> 0"}, iwarp);
  EXPECT_THAT(
      RefusalOfTheLast(waits + Told{"returned active/2 rdma_disconnect A -> -1 EINVAL"}, iwarp),
      HasSubstr("iw-disconnect-call-2"));
}

// Soft-iWARP has only queue pairs of connections.
TEST(TheOracle, RefusesAQueuePairOfDatagramsOverIwarp) {
  const Profile& iwarp = *FindProfile("6.1-siw");
  for (const std::string call : {"rdma_create_qp", "rdma_create_qp_ex"}) {
    const std::string create = "active " + call + " A type=UD -> ";
    ExpectPermitted(kAddrResolved + Told{create + "-1 ENOTSUP"}, iwarp);
    EXPECT_THAT(RefusalOfTheLast(kAddrResolved + Told{create + "0"}, iwarp),
                HasSubstr("-1 ENOTSUP"));
    ExpectPermitted(kAddrResolved + Told{"active " + call + " A -> 0"}, iwarp);
  }
}

}  // namespace
}  // namespace cm::model
