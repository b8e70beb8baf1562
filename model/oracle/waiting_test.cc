// Calls that wait: each waits until what it waits for has happened, and returns then.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "model/oracle/told.h"
#include "model/vocabulary/profile.h"

namespace cm::model {
namespace {

struct Waits {
  std::string name;
  std::string profile;
  Told until;            // the call waits
  Told ends;             // what it waits for
  std::string returned;  // and what it returns then
};

void PrintTo(const Waits& waits, std::ostream* out) { *out << waits.name; }

const std::string kResolved = " -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=A";
const Told kUnacked =
    kListening + kResolving + Told{"active rdma_get_cm_event C as=e1" + kResolved};
const Told kMember =
    kListening +
    Told{"active rdma_create_event_channel C -> 0",
         "active rdma_create_id A on=C ps=RDMA_PS_UDP -> 0",
         "active rdma_bind_addr A addr=active:0 -> 0",
         "active rdma_join_multicast A addr=group1:0 context=1 -> 0",
         "active rdma_get_cm_event C as=m -> 0  event RDMA_CM_EVENT_MULTICAST_JOIN id=A "
         "qp_num=16777215 qkey=0x01234567 group=group1:0 context=1"};
const Told kServing = {
    "passive rdma_create_event_channel S -> 0", "passive rdma_create_id L on=null -> 0",
    "passive rdma_bind_addr L addr=passive:7471 -> 0", "passive rdma_listen L backlog=8 -> 0"};
const Told kWithReceive =
    kAccepted + Told{kEstablished,
                     "active rdma_ack_cm_event e3 -> 0",
                     "passive rdma_get_cm_event S as=e4 -> 0  event RDMA_CM_EVENT_ESTABLISHED id=P",
                     "passive rdma_ack_cm_event e4 -> 0",
                     "passive rdma_reg_msgs p id=P length=64 -> 0",
                     "passive rdma_post_recv P context=1 sge=p:0+16 -> 0",
                     "active rdma_reg_msgs a id=A length=64 -> 0"};
// What a thread of the passive side does meanwhile, with nothing that waits.
const std::string kLine = "passive rdma_create_id X on=S -> 0";

std::vector<Waits> All() {
  return {
      {.name = "AFetch",
       .profile = "6.1-rxe",
       .until = kListening + kIdle + Told{"active/2 rdma_get_cm_event C as=e1 -> blocked"},
       .ends = {kResolve},
       .returned = "active/2 rdma_get_cm_event C as=e1" + kResolved},
      {.name = "ADestruction",
       .profile = "6.1-rxe",
       .until = kUnacked + Told{"active/2 rdma_destroy_id A -> blocked"},
       .ends = {"active rdma_ack_cm_event e1 -> 0"},
       .returned = "active/2 rdma_destroy_id A -> 0"},
      {.name = "AMigration",
       .profile = "6.1-rxe",
       .until = kUnacked + Told{"active rdma_create_event_channel D nonblocking -> 0",
                                "active/2 rdma_migrate_id A to=D -> blocked"},
       .ends = {"active rdma_ack_cm_event e1 -> 0"},
       .returned = "active/2 rdma_migrate_id A to=D -> 0"},
      {.name = "ALeaving",
       .profile = "6.1-rxe",
       .until = kMember + Told{"active/2 rdma_leave_multicast A addr=group1:0 -> blocked"},
       .ends = {"active rdma_ack_cm_event m -> 0"},
       .returned = "active/2 rdma_leave_multicast A addr=group1:0 -> 0"},
      {.name = "ASynchronousCall",
       .profile = "6.1-rxe",
       .until = kServing + kRouteResolved + Told{"passive/2 rdma_get_request L id=P -> blocked"},
       .ends = {"active rdma_connect A private=\"hello\" -> 0"},
       .returned = "passive/2 rdma_get_request L id=P -> 0"},
      {.name = "ADisconnectionOverIwarp",
       .profile = "6.1-siw",
       .until = kListening + kRouteResolved +
                Told{"active rdma_connect A -> 0",
                     kFetchRequest + " responder_resources=1 initiator_depth=1",
                     "passive rdma_ack_cm_event r -> 0", "passive rdma_create_qp P -> 0",
                     "active/2 rdma_disconnect A -> blocked"},
       .ends = {"passive rdma_accept P -> 0"},
       .returned = "active/2 rdma_disconnect A -> 0"},
  };
}

class ACall : public testing::TestWithParam<Waits> {
 protected:
  void IsPermitted(const Told& told) { ExpectPermitted(told, *FindProfile(GetParam().profile)); }
  void IsRefusedAtTheLast(const Told& told) {
    RefusalOfTheLast(told, *FindProfile(GetParam().profile));
  }
};

const Told kSettles = {"settle -> done", kLine};
const Told kPasses = {"@1s..3s", "pass 2s -> done", kLine};

TEST_P(ACall, WaitsForIt) {
  const Waits& waits = GetParam();
  IsPermitted(waits.until + kSettles);
  IsPermitted(waits.until + kPasses);
  IsRefusedAtTheLast(waits.until + Told{"returned " + waits.returned});
}

TEST_P(ACall, ReturnsThen) {
  const Waits& waits = GetParam();
  const Told returned = {"returned " + waits.returned};
  IsPermitted(waits.until + waits.ends + returned + kPasses);
  IsPermitted(waits.until + waits.ends + Told{"settle -> done"} + returned);
  IsPermitted(waits.until + waits.ends + Told{"@1s..3s", "pass 2s -> done"} + returned);
}

TEST_P(ACall, IsRefusedWhereItStillWaits) {
  const Waits& waits = GetParam();
  IsRefusedAtTheLast(waits.until + waits.ends + kSettles);
  IsRefusedAtTheLast(waits.until + waits.ends + kPasses);
}

INSTANTIATE_TEST_SUITE_P(Waiting, ACall, testing::ValuesIn(All()),
                         [](const testing::TestParamInfo<Waits>& info) { return info.param.name; });

// A message may be on its way for as long as its sender finds no receive.
TEST(ACompletion, IsWaitedForUntilTheMessageIsThere) {
  const Told waits = kWithReceive + Told{"passive/2 rdma_get_recv_comp P -> blocked",
                                         "active rdma_post_send A context=3 sge=a:0+16 -> 0"};
  const std::string returned =
      "returned passive/2 rdma_get_recv_comp P -> 0  status=IBV_WC_SUCCESS opcode=IBV_WC_RECV "
      "context=1 length=16 bytes=9145b845";
  const Told passes = {"@2s..5s", "pass 3s -> done"};
  ExpectPermitted(waits + passes + Told{returned});
  RefusalOfTheLast(waits + passes + Told{kLine});
  ExpectPermitted(waits + kSettles);
  // Another reader may have taken the event.
  ExpectPermitted(waits +
                  Told{"active rdma_get_send_comp A -> 0  status=IBV_WC_SUCCESS "
                       "opcode=IBV_WC_SEND context=3",
                       "passive ibv_get_cq_event P recv -> 0"} +
                  passes + Told{kLine});
}

// Its own record lasts, though what it waits for was there.
TEST(ACompletion, IsNotWaitedForWhereItIsThere) {
  const Told done = kWithReceive + Told{"active rdma_post_send A context=3 sge=a:0+16 -> 0"};
  const std::string gets =
      "active rdma_get_send_comp A -> 0  status=IBV_WC_SUCCESS opcode=IBV_WC_SEND context=3";
  ExpectPermitted(done + Told{gets});
  RefusalOfTheLast(done + Told{"@10s..40s", gets});
}

TEST(AnEndpoint, IsMadePromptly) {
  const std::string active = "active rdma_create_ep E dst=passive:7471 -> 0";
  const std::string passive = "passive rdma_create_ep F src=passive:7472 passive -> 0";
  ExpectPermitted(kListening + Told{active, passive});
  for (const std::string& one : {active, passive}) {
    SCOPED_TRACE(one);
    RefusalOfTheLast(kListening + Told{"@10s..40s", one});
  }
}

// Acknowledgements that another thread owes cannot come while the call is made alone.
TEST(ACallThatIsHeldUp, IsPromptWhereNothingHoldsItUp) {
  const Told two = kUnacked + Told{"active rdma_ack_cm_event e1 -> 0",
                                   "active rdma_create_event_channel D nonblocking -> 0"};
  const std::string moves = "active rdma_migrate_id A to=D -> 0";
  ExpectPermitted(two + Told{moves});
  RefusalOfTheLast(two + Told{"@10s..40s", moves});
  const Told acked = kMember + Told{"active rdma_ack_cm_event m -> 0"};
  const std::string leaves = "active rdma_leave_multicast A addr=group1:0 -> 0";
  ExpectPermitted(acked + Told{leaves});
  RefusalOfTheLast(acked + Told{"@10s..40s", leaves});
}

// A has been shown CONNECT_ERROR, so that the library drops the DISCONNECTED that comes later.
const Told kInError =
    kConnecting +
    Told{"active rdma_disconnect A -> 0",
         kFetchRequest + kRequestFields + " private=\"hello\"+51",
         "passive rdma_ack_cm_event r -> 0",
         "passive rdma_create_qp P -> 0",
         "passive rdma_accept P -> 0",
         "active rdma_get_cm_event C as=e3 -> 0  event RDMA_CM_EVENT_CONNECT_ERROR id=A status=-1 "
         "responder_resources=1 initiator_depth=1 flow_control=1 rnr_retry_count=7 qp_num=18 "
         "private=\"\"+196",
         "active rdma_ack_cm_event e3 -> 0",
         "active rdma_destroy_qp A -> 0",
         "active rdma_establish A -> 0",
         "passive rdma_get_cm_event S as=e4 -> 0  event RDMA_CM_EVENT_ESTABLISHED id=P"};
const Told kPeerDisconnects = {"passive rdma_disconnect P -> 0"};

// A fetch takes what the library drops, and not what comes after the fetch.
TEST(AnEventThatTheLibraryDrops, MakesItsChannelReadable) {
  const Told dropped = kInError + kPeerDisconnects + Told{"settle -> done"};
  ExpectPermitted(dropped + Told{"active wait C within=1s -> readable"});
  RefusalOfTheLast(dropped + Told{"active wait C within=1s -> quiet"});
}

TEST(AnEventThatTheLibraryDrops, DoesNotEndAFetchThatWaits) {
  const Told waits = kInError + Told{"active/2 rdma_get_cm_event C as=e5 -> blocked"};
  ExpectPermitted(waits + kPeerDisconnects + kSettles);
  ExpectPermitted(waits + kPeerDisconnects + kPasses);
}

// The request that A has given up is repeated for 98.3 s.
TEST(TheEndOfAChannel, IsHeldUpAsLongAsAMessageIsRepeated) {
  const Told ends = kConnecting + Told{"active rdma_reject A -> 0"};
  const std::string destroys = "active rdma_destroy_event_channel C -> 0";
  ExpectPermitted(ends + Told{"@1s..98500ms", destroys});
  RefusalOfTheLast(ends + Told{"@1s..98s", destroys});
  RefusalOfTheLast(ends + Told{"@1s..900s", destroys});
}

}  // namespace
}  // namespace cm::model
