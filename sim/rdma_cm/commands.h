// Commands of librdmacm to the kernel, as values with the fields of <rdma/rdma_user_cm.h>.
//
// The simulated library uses the simulated kernel through these alone, so that the real library can
// take its place. Each command returns 0 or an errno as the kernel's write handler does, and a
// result where a comment says so. source: linux 6.1 ucma.c ucma_write
#ifndef SIM_RDMA_CM_COMMANDS_H_
#define SIM_RDMA_CM_COMMANDS_H_

#include <cstdint>

#include "model/vocabulary/address.h"
#include "model/vocabulary/ece.h"
#include "model/vocabulary/private_data.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/reply.h"
#include "sim/fabric/fabric.h"

namespace cm::sim::command {

// struct rdma_ucm_conn_param
struct ConnectionParam {
  ConnFields conn;
  EceOptions ece;
  uint32_t qp_num = 0;
  bool qp_known = false;   // the number is that of a queue pair; required by iWARP
  bool qp_broken = false;  // and it is in an error state
  PrivateData private_data;
};

struct CreateId {  // rdma_ucm_create_id; returns the kernel's handle
  uint64_t uid = 0;
  PortSpace space = PortSpace::kTcp;
};
struct DestroyId {  // returns the number of events reported
  uint32_t id = 0;
};
struct Bind {
  uint32_t id = 0;
  Address address;
};
struct ResolveAddr {
  uint32_t id = 0;
  Address source;  // kNone: size 0
  Address destination;
  int32_t timeout_ms = 0;
};
struct ResolveRoute {
  uint32_t id = 0;
  int32_t timeout_ms = 0;
};
struct Query {
  uint32_t id = 0;
};
struct Connect {
  uint32_t id = 0;
  ConnectionParam param;
};
struct Listen {
  uint32_t id = 0;
  int32_t backlog = 0;
};
struct Accept {
  uint32_t id = 0;
  uint64_t uid = 0;
  bool valid = false;  // false: no parameters, only complete the active side
  ConnectionParam param;
};
struct Reject {
  uint32_t id = 0;
  RejReason reason = RejReason::kNone;  // kNone: consumer defined
  PrivateData private_data;
};
struct Disconnect {
  uint32_t id = 0;
};
struct MigrateId {  // written to the new file; returns the number of events reported
  uint32_t id = 0;
  uint32_t from = 0;  // the id's present file
};
struct SetOption {  // the first four bytes of the value; the others are 0
  uint32_t id = 0;
  IdOption option;
  uint32_t value = 0;
  uint32_t length = 0;
};
struct InitQpAttr {
  uint32_t id = 0;
  QpState state = QpState::kInit;  // or too large for one
};
struct JoinMulticast {  // rdma_ucm_join_mcast; returns the kernel's handle of the membership
  uint32_t id = 0;
  uint64_t uid = 0;
  Address address;
  bool send_only = false;
};
struct LeaveMulticast {  // returns the number of reported events of the membership
  uint32_t membership = 0;
};
struct WriteCmEvent {  // rdma_ucm_write_cm_event
  uint32_t id = 0;
  EventType type = EventType::kUser;
  int32_t status = 0;
  uint64_t argument = 0;
};
struct Notify {
  uint32_t id = 0;
  uint8_t event = 0;  // enum ib_event_type
};

}  // namespace cm::sim::command

namespace cm::sim::response {

struct QueryAddr {  // rdma_ucm_query_addr_resp
  Address source;
  Address destination;
  uint8_t device = kNoDevice;
  uint8_t port_num = 0;
};
struct QueryPath {
  uint8_t num_paths = 0;
};

// ib_uverbs_qp_attr
struct QpAttr {
  uint32_t mask = 0;
  bool datagram = false;          // a Q_Key is among the attributes, and no access flags
  bool connects = false;          // address and numbers of a peer are among the attributes
  Errno resolves = Errno::kNone;  // the result of resolving that address
  uint8_t peer_device = kNoDevice;
  uint32_t peer_number = 0;
  uint8_t retry_count = 7;
  uint8_t rnr_retry_count = 7;
  bool remote_read = true;  // among the access flags
  uint8_t responder_resources = 0;
  uint8_t initiator_depth = 0;
};

// rdma_ucm_event_resp
struct Event {
  uint64_t uid = 0;  // of a membership, for its events
  uint32_t id = 0;   // of the request's new id, for a connection request
  EventType type = EventType::kAddrResolved;
  int32_t status = 0;
  ConnFields conn;
  EceOptions ece;
  uint32_t qp_num = 0;
  uint32_t qkey = 0;
  Address group;          // of a membership
  uint64_t argument = 0;  // of an event that an application wrote
  CarriedData private_data;
  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace cm::sim::response

#endif  // SIM_RDMA_CM_COMMANDS_H_
