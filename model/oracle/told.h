// Small histories, told line by line, and what the oracle says of them: for tests.
#ifndef MODEL_ORACLE_TOLD_H_
#define MODEL_ORACLE_TOLD_H_

#include <string>
#include <vector>

#include "model/conversation/history.h"
#include "model/oracle/judge.h"
#include "model/vocabulary/profile.h"

namespace cm::model {

// "LINE -> ANSWER", in order, each 1 ms after the one before; "@70s" sets the clock, "@70s..75s"
// also the end of the next line, after which the clock goes on. "topology bond" instead of
// two-kernels.
using Told = std::vector<std::string>;
Told operator+(Told a, const Told& b);

// The test fails where it is no history.
History Tell(const Told& told);

const Profile& ReferenceProfile();  // 6.1-rxe

struct Said {
  VerdictKind verdict;
  size_t record;
  std::string text;
};
Said Judge(const Told& told, const Profile& profile);

void ExpectPermitted(const Told& told, const Profile& profile = ReferenceProfile());
// The last of the records is refused, and none before it. Returns the explanation.
std::string RefusalOfTheLast(const Told& told, const Profile& profile = ReferenceProfile());

// A connection as far as each says: by A on C and the requests of the listener L on S.
inline const Told kListening = {
    "passive rdma_create_event_channel S -> 0", "passive rdma_create_id L on=S -> 0",
    "passive rdma_bind_addr L addr=passive:7471 -> 0", "passive rdma_listen L backlog=8 -> 0"};
inline const Told kIdle = {"active rdma_create_event_channel C -> 0",
                           "active rdma_create_id A on=C -> 0"};
inline const std::string kResolve =
    "active rdma_resolve_addr A src=active:0 dst=passive:7471 timeout_ms=2000 -> 0";
inline const Told kResolving = kIdle + Told{kResolve};
inline const Told kAddrResolved =
    kResolving +
    Told{"active rdma_get_cm_event C as=e1 -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=A",
         "active rdma_ack_cm_event e1 -> 0"};
inline const Told kRouteResolved =
    kAddrResolved +
    Told{"active rdma_resolve_route A timeout_ms=2000 -> 0",
         "active rdma_get_cm_event C as=e2 -> 0  event RDMA_CM_EVENT_ROUTE_RESOLVED id=A",
         "active rdma_ack_cm_event e2 -> 0", "active rdma_create_qp A -> 0"};
inline const Told kConnecting =
    kListening + kRouteResolved + Told{"active rdma_connect A private=\"hello\" -> 0"};
inline const std::string kRequestFields =
    " responder_resources=1 initiator_depth=1 flow_control=1 retry_count=7 rnr_retry_count=7 "
    "qp_num=17";
inline const std::string kFetchRequest =
    "passive rdma_get_cm_event S as=r id=P -> 0  event RDMA_CM_EVENT_CONNECT_REQUEST id=P "
    "listen=L";
inline const Told kRequested =
    kConnecting + Told{kFetchRequest + kRequestFields + " private=\"hello\"+51",
                       "passive rdma_ack_cm_event r -> 0", "passive rdma_create_qp P -> 0"};
inline const Told kAccepted = kRequested + Told{"passive rdma_accept P -> 0"};
inline const std::string kEstablished =
    "active rdma_get_cm_event C as=e3 -> 0  event RDMA_CM_EVENT_ESTABLISHED id=A "
    "responder_resources=1 initiator_depth=1 flow_control=1 rnr_retry_count=7 qp_num=18 "
    "private=\"\"+196";
// Both have disconnected, the active side at 1 s.
inline const Told kTimewaiting =
    kAccepted + Told{kEstablished,
                     "active rdma_ack_cm_event e3 -> 0",
                     "passive rdma_get_cm_event S as=e4 -> 0  event RDMA_CM_EVENT_ESTABLISHED id=P",
                     "passive rdma_ack_cm_event e4 -> 0",
                     "passive rdma_disconnect P -> 0",
                     "active rdma_get_cm_event C as=e5 -> 0  event RDMA_CM_EVENT_DISCONNECTED id=A",
                     "active rdma_ack_cm_event e5 -> 0",
                     "@1s",
                     "active rdma_disconnect A -> 0"};

}  // namespace cm::model

#endif  // MODEL_ORACLE_TOLD_H_
