// Commands of librdmacm to the kernel, as values with the fields of <rdma/rdma_user_cm.h>.
//
// The simulated library uses the simulated kernel through these alone, so that the real library can
// take its place. source: linux 6.1 ucma.c ucma_write
#ifndef SIM_RDMA_CM_COMMANDS_H_
#define SIM_RDMA_CM_COMMANDS_H_

#include <cstdint>

#include "model/base/errno.h"
#include "model/base/result.h"
#include "model/vocabulary/address.h"
#include "model/vocabulary/ece.h"
#include "model/vocabulary/private_data.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/reply.h"
#include "sim/core/index.h"
#include "sim/fabric/fabric.h"

namespace cm::sim {

using FileIndex = Index<struct File>;

}  // namespace cm::sim

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

// The queue pairs of an id: those of its port space, or one of XRC, which the port space IB
// permits. source: linux 6.1 ucma.c ucma_get_qp_type
enum class IdType : uint8_t { kUsual, kXrcSend, kXrcReceive };

struct CreateId {  // rdma_ucm_create_id
  uint64_t uid = 0;
  PortSpace space = PortSpace::kTcp;
  IdType type = IdType::kUsual;
};
struct DestroyId {
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
struct QueryAddr {
  uint32_t id = 0;
};
struct QueryPath {
  uint32_t id = 0;
};
struct QueryService {
  uint32_t id = 0;
};
struct GetEvent {};
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
struct MigrateId {  // written to the new file
  uint32_t id = 0;
  FileIndex from;  // the id's present file
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
struct JoinMulticast {  // rdma_ucm_join_mcast
  uint32_t id = 0;
  uint64_t uid = 0;
  Address address;
  bool send_only = false;
};
struct LeaveMulticast {
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

struct DestroyId {  // finished, or a ticket for PendingDestroys
  bool finished = false;
  uint32_t ticket = 0;
  uint32_t events_reported = 0;
};

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

namespace cm::sim {

struct KernelContext;

// Executes a command that the application writes to the open file, as the kernel does, which checks
// in this order: handle, device removal, device, state. Times are in milliseconds, backlogs in
// requests, private data in bytes. Errors of each command with an id: ENOENT for an unknown or
// destroyed id, EINVAL for an id of another file, ENXIO after the id's device was removed; then
// EINVAL in a state that does not permit the command. Further errors are given below. Results are
// the kernel's handles, or numbers of events reported. source: linux 6.1 ucma.c, cma.c

// The handle of the new id. EINVAL for an unknown port space. source: ucma_create_id
Result<uint32_t> Execute(const KernelContext& k, FileIndex file, const command::CreateId& cmd);
// Drops the id's unfetched events and destroys its unfetched requests; counts the id's fetched
// events. Permitted after a device removal. source: ucma_destroy_id
Result<response::DestroyId> Execute(const KernelContext& k, FileIndex file,
                                    const command::DestroyId& cmd);
// EADDRINUSE for a port that another id owns with this address; EADDRNOTAVAIL if one of the two
// is a wildcard, and without such an interface or a free port; ENODEV without a registered
// device. source: rdma_bind_addr_dst
Errno Execute(const KernelContext& k, FileIndex file, const command::Bind& cmd);
// As Bind for an unbound id; then, and for a shared port of a bound id, the errors of its port. A
// backlog that is not positive or too large is the greatest. source: rdma_listen
Errno Execute(const KernelContext& k, FileIndex file, const command::Listen& cmd);
// Starts a resolution, which ADDR_RESOLVED or ADDR_ERROR ends after at most timeout_ms; 0 tries
// once, a negative one for ever. As Bind for an unbound id; ENETUNREACH without a route, ENODEV
// without a device. source: rdma_resolve_addr
Errno Execute(const KernelContext& k, FileIndex file, const command::ResolveAddr& cmd);
// Starts a resolution, which ROUTE_RESOLVED or ROUTE_ERROR ends. EINVAL for timeout 0; over RoCE
// ENODEV without an interface. source: rdma_resolve_route
Errno Execute(const KernelContext& k, FileIndex file, const command::ResolveRoute& cmd);
// EINVAL for private data that does not fit. Over iWARP ECONNREFUSED without a listener, ETIMEDOUT
// without a host, EINVAL without a queue pair. source: rdma_connect_locked
Errno Execute(const KernelContext& k, FileIndex file, const command::Connect& cmd);
// Without parameters it completes the active side. A failed accept rejects the request. EINVAL as
// Connect; over iWARP ECONNRESET when the peer has closed. source: rdma_accept
Errno Execute(const KernelContext& k, FileIndex file, const command::Accept& cmd);
// EINVAL as Connect, and without a request. source: rdma_reject
Errno Execute(const KernelContext& k, FileIndex file, const command::Reject& cmd);
// EINVAL without a connection. Over iWARP EAGAIN while a request of the id is unanswered: the
// caller waits and repeats it. source: rdma_disconnect
Errno Execute(const KernelContext& k, FileIndex file, const command::Disconnect& cmd);
// EINVAL without a connection, and over the IB CM for an unknown event. source: rdma_notify
Errno Execute(const KernelContext& k, FileIndex file, const command::Notify& cmd);
// EINVAL for kernels without the command. source: linux 7.2 ucma.c ucma_write_cm_event
Errno Execute(const KernelContext& k, FileIndex file, const command::WriteCmEvent& cmd);
// The id's unread events move with it, those of the requests that stay do not. Counts the id's
// fetched events. source: ucma_migrate_id
Result<uint32_t> Execute(const KernelContext& k, FileIndex file, const command::MigrateId& cmd);
// ENOSYS for an unknown level or option, EINVAL for a wrong length. source: ucma_set_option
Errno Execute(const KernelContext& k, FileIndex file, const command::SetOption& cmd);
// The handle of the membership; MULTICAST_JOIN or MULTICAST_ERROR ends the join. Without an
// interface ENODEV over RoCE, EADDRNOTAVAIL over InfiniBand; ENOTSUPP for an IPv6 group over RoCE;
// over iWARP ENOSYS. source: rdma_join_multicast
Result<uint32_t> Execute(const KernelContext& k, FileIndex file, const command::JoinMulticast& cmd);
// Counts the fetched events of the membership. ENOENT for an unknown one. source:
// ucma_leave_multicast
Result<uint32_t> Execute(const KernelContext& k, FileIndex file,
                         const command::LeaveMulticast& cmd);
// EINVAL for a state that the connection does not permit now. source: rdma_init_qp_attr
Result<response::QpAttr> Execute(const KernelContext& k, FileIndex file,
                                 const command::InitQpAttr& cmd);
Result<response::QueryAddr> Execute(const KernelContext& k, FileIndex file,
                                    const command::QueryAddr& cmd);
Result<response::QueryPath> Execute(const KernelContext& k, FileIndex file,
                                    const command::QueryPath& cmd);
// ENODATA: no SA has service records. source: linux 7.2 ucma.c ucma_query_ib_service
Errno Execute(const KernelContext& k, FileIndex file, const command::QueryService& cmd);
// Takes the oldest event; EAGAIN when there is none. source: ucma_get_event
Result<response::Event> Execute(const KernelContext& k, FileIndex file, const command::GetEvent&);

}  // namespace cm::sim

#endif  // SIM_RDMA_CM_COMMANDS_H_
