// All calls of librdmacm as data: one struct per function, one variant of all. Generators, oracle,
// drivers, shrinker, conversation files and traces use it.
#ifndef MODEL_VOCABULARY_CALL_H_
#define MODEL_VOCABULARY_CALL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "model/vocabulary/address.h"
#include "model/vocabulary/ece.h"
#include "model/vocabulary/names.h"
#include "model/vocabulary/private_data.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/work.h"

namespace cm {

// The device's maximum. source: <rdma/rdma_cma.h> RDMA_MAX_RESP_RES, RDMA_MAX_INIT_DEPTH
inline constexpr uint8_t kDeviceMaximum = 255;

// struct rdma_conn_param; the defaults are those of a typical caller.
struct ConnParam {
  uint8_t responder_resources = 1;
  uint8_t initiator_depth = 1;
  uint8_t flow_control = 1;
  uint8_t retry_count = 7;
  uint8_t rnr_retry_count = 7;
  uint8_t srq = 0;
  uint32_t qp_num = 0;  // used only for an id without a queue pair
  PrivateData private_data;
  friend bool operator==(const ConnParam&, const ConnParam&) = default;
};

// The hints of rdma_getaddrinfo: the fields of struct rdma_addrinfo that it reads.
struct AddrHints {
  uint32_t flags = 0;          // RAI_*
  uint8_t family = 0;          // AF_*; 0 leaves it open
  std::optional<QpType> type;  // empty: 0, which leaves it open
  std::optional<PortSpace> space;
  Address source;  // kNone: a null pointer
  Address destination;
  friend bool operator==(const AddrHints&, const AddrHints&) = default;
};

namespace call {

struct CreateEventChannel {
  ChannelRef channel;
  bool nonblocking = false;  // O_NONBLOCK is set on its descriptor immediately
};
struct DestroyEventChannel {
  ChannelRef channel;
};
struct CreateId {
  IdRef id;
  ChannelRef channel;  // none: a null pointer, which makes the id a synchronous one
  PortSpace space = PortSpace::kTcp;
};
struct DestroyId {
  IdRef id;
};
struct BindAddr {
  IdRef id;
  Address address;
};
struct Listen {
  IdRef id;
  int32_t backlog = 8;
};
struct ResolveAddr {
  IdRef id;
  Address source;  // kNone: a null pointer
  Address destination;
  int32_t timeout_ms = 2000;
};
struct ResolveRoute {
  IdRef id;
  int32_t timeout_ms = 2000;
};
struct CreateQp {  // no protection domain, both completion queues created by the library
  IdRef id;
  std::optional<QpType> type;  // empty: that of the id
};
struct DestroyQp {
  IdRef id;
};
struct Connect {
  IdRef id;
  std::optional<ConnParam> param;  // empty: a null pointer
};
struct Accept {
  IdRef id;
  std::optional<ConnParam> param;
};
struct Reject {
  IdRef id;
  PrivateData private_data;
};
struct Establish {
  IdRef id;
};
struct Disconnect {
  IdRef id;
};
struct GetCmEvent {
  ChannelRef channel;
  EventRef event;  // the name of the fetched event, for rdma_ack_cm_event
  IdRef request;   // the name of the new id, if it is a connection request
};
struct AckCmEvent {
  EventRef event;
};
// Not a function of the library: reads the public fields of the id and queries its QP's state.
struct Show {
  IdRef id;
};
// Not one either: reads id->event, which a synchronous call leaves.
struct ShowEvent {
  IdRef id;
};
struct Notify {
  IdRef id;
  uint8_t what = kCommEst;  // <infiniband/verbs.h> enum ibv_event_type
  static constexpr uint8_t kCommEst = 4;
  static constexpr uint8_t kPathMig = 6;
};
struct InitQpAttr {
  IdRef id;
  uint8_t state = 1;  // attr.qp_state: a QpState, or too large for one
};
struct SetLocalEce {
  IdRef id;
  EceOptions ece;
};
struct GetRemoteEce {
  IdRef id;
};
struct RejectEce {
  IdRef id;
  PrivateData private_data;
};
struct GetSrcPort {
  IdRef id;
};
struct GetDstPort {
  IdRef id;
};
struct EventStr {
  uint8_t type = 0;  // an EventType, or another number
};
struct SetOption {
  IdRef id;
  IdOption option;
  uint32_t value = 0;
  uint32_t length = 4;  // optlen, in bytes
};
struct MigrateId {
  IdRef id;
  ChannelRef channel;  // none: a null pointer, which makes the id a synchronous one
};
struct GetRequest {
  IdRef id;       // the listener
  IdRef request;  // the name of the new id
};
// rdma_create_ep with an rdma_addrinfo of these addresses: passive ones are bound to `source`.
struct CreateEp {
  IdRef id;
  Address source;
  Address destination;
  bool passive = false;
  bool with_qp = false;  // attributes of a queue pair are given
  PortSpace space = PortSpace::kTcp;
  std::optional<QpType> type;  // empty: that of the port space
};
struct DestroyEp {
  IdRef id;
};
struct JoinMulticast {
  IdRef id;
  Address address;
  uint16_t context = 0;  // returned with the events of this membership
};
// With struct rdma_cm_join_mc_attr_ex; the defaults are those of a typical caller.
struct JoinMulticastEx {
  IdRef id;
  Address address;
  uint16_t context = 0;
  uint32_t flags = kFullMember;
  uint32_t comp_mask = kHasAddress | kHasFlags;
  // source: <rdma/rdma_cma.h> enum rdma_cm_mc_join_flags, enum rdma_cm_join_mc_attr_mask
  static constexpr uint32_t kFullMember = 0;
  static constexpr uint32_t kSendOnly = 1;
  static constexpr uint32_t kHasAddress = 1;
  static constexpr uint32_t kHasFlags = 2;
};
struct LeaveMulticast {
  IdRef id;
  Address address;
};
// Node and service in numeric form.
struct GetAddrInfo {
  HeldRef info;
  Address node;                     // its port is ignored; kNone: a null pointer
  std::optional<uint16_t> service;  // empty: a null pointer
  std::optional<AddrHints> hints;   // empty: a null pointer
};
struct FreeAddrInfo {
  HeldRef info;
};
struct GetDevices {
  HeldRef devices;
};
struct FreeDevices {
  HeldRef devices;
};
// The calls of the library's map 1.4. Node and service as in GetAddrInfo.
struct ResolveAddrInfo {
  IdRef id;
  Address node;
  std::optional<uint16_t> service;
  std::optional<AddrHints> hints;
};
struct QueryAddrInfo {
  IdRef id;
  HeldRef info;  // the name of the result, for rdma_freeaddrinfo
};
struct WriteCmEvent {
  IdRef id;
  uint8_t type = 18;  // an EventType, or another number
  int32_t status = 0;
  uint64_t argument = 0;
};
struct CreateQpEx {  // as CreateQp, with struct ibv_qp_init_attr_ex
  IdRef id;
  std::optional<QpType> type;
};
struct CreateSrq {
  IdRef id;
};
struct CreateSrqEx {
  IdRef id;
  bool typed = true;  // IBV_SRQ_INIT_ATTR_TYPE is in the mask
};
struct DestroySrq {
  IdRef id;
};
// A buffer of its own, filled with a pattern; the function determines the remote access.
struct RegMsgs {
  MrRef mr;
  IdRef id;
  uint32_t length = 64;
};
struct RegRead {
  MrRef mr;
  IdRef id;
  uint32_t length = 64;
};
struct RegWrite {
  MrRef mr;
  IdRef id;
  uint32_t length = 64;
};
struct DeregMr {  // returns the final content of the buffer
  MrRef mr;
};
// A work request. Functions whose names end in v take a list of elements.
struct Work {
  IdRef id;
  uint16_t context = 0;
  Sges sges;
  uint8_t flags = kSignaled;  // of a send request
  RemotePlace remote;         // of a read or a write
};
struct PostRecv : Work {};
struct PostRecvv : Work {};
struct PostSend : Work {};
struct PostSendv : Work {};
struct PostRead : Work {};
struct PostReadv : Work {};
struct PostWrite : Work {};
struct PostWritev : Work {};
struct PostUdSend : Work {};  // to the service that the id's ESTABLISHED has reported
struct GetSendComp {          // waits for a completion; 1 in C is 0 here
  IdRef id;
};
struct GetRecvComp {
  IdRef id;
};
struct ReqNotifyCq {  // on id->send_cq, or on id->recv_cq
  IdRef id;
  bool receives = false;
  bool solicited_only = false;
};
struct GetCqEvent {  // from id->send_cq_channel, or from id->recv_cq_channel
  IdRef id;
  bool receives = false;
};
struct AckCqEvents {  // of id->send_cq, or of id->recv_cq
  IdRef id;
  bool receives = false;
  uint32_t events = 1;
};

}  // namespace call

// Every call: its number in digests, which is permanent; the struct; the C function; and its
// linkage. Required and Optional functions are symbols of the library, which cannot or can do
// without them; Inline ones are in <rdma/rdma_verbs.h> or libibverbs, Own calls are no functions of
// the library. All other properties of a call are its row in call_table.h.
#define CM_CALLS(X)                                               \
  X(0, CreateEventChannel, rdma_create_event_channel, Required)   \
  X(1, DestroyEventChannel, rdma_destroy_event_channel, Required) \
  X(2, CreateId, rdma_create_id, Required)                        \
  X(3, DestroyId, rdma_destroy_id, Required)                      \
  X(4, BindAddr, rdma_bind_addr, Required)                        \
  X(5, Listen, rdma_listen, Required)                             \
  X(6, ResolveAddr, rdma_resolve_addr, Required)                  \
  X(7, ResolveRoute, rdma_resolve_route, Required)                \
  X(8, CreateQp, rdma_create_qp, Required)                        \
  X(9, DestroyQp, rdma_destroy_qp, Required)                      \
  X(10, Connect, rdma_connect, Required)                          \
  X(11, Accept, rdma_accept, Required)                            \
  X(12, Reject, rdma_reject, Required)                            \
  X(13, Establish, rdma_establish, Optional)                      \
  X(14, Disconnect, rdma_disconnect, Required)                    \
  X(15, GetCmEvent, rdma_get_cm_event, Required)                  \
  X(16, AckCmEvent, rdma_ack_cm_event, Required)                  \
  X(17, Show, show, Own)                                          \
  X(18, ShowEvent, show_event, Own)                               \
  X(19, Notify, rdma_notify, Optional)                            \
  X(20, InitQpAttr, rdma_init_qp_attr, Optional)                  \
  X(21, SetLocalEce, rdma_set_local_ece, Optional)                \
  X(22, GetRemoteEce, rdma_get_remote_ece, Optional)              \
  X(23, RejectEce, rdma_reject_ece, Optional)                     \
  X(24, GetSrcPort, rdma_get_src_port, Required)                  \
  X(25, GetDstPort, rdma_get_dst_port, Required)                  \
  X(26, EventStr, rdma_event_str, Required)                       \
  X(27, SetOption, rdma_set_option, Optional)                     \
  X(28, MigrateId, rdma_migrate_id, Optional)                     \
  X(29, GetRequest, rdma_get_request, Optional)                   \
  X(30, CreateEp, rdma_create_ep, Optional)                       \
  X(31, DestroyEp, rdma_destroy_ep, Optional)                     \
  X(32, JoinMulticast, rdma_join_multicast, Optional)             \
  X(33, JoinMulticastEx, rdma_join_multicast_ex, Optional)        \
  X(34, LeaveMulticast, rdma_leave_multicast, Optional)           \
  X(35, GetAddrInfo, rdma_getaddrinfo, Optional)                  \
  X(36, FreeAddrInfo, rdma_freeaddrinfo, Optional)                \
  X(37, GetDevices, rdma_get_devices, Optional)                   \
  X(38, FreeDevices, rdma_free_devices, Optional)                 \
  X(39, ResolveAddrInfo, rdma_resolve_addrinfo, Optional)         \
  X(40, QueryAddrInfo, rdma_query_addrinfo, Optional)             \
  X(41, WriteCmEvent, rdma_write_cm_event, Optional)              \
  X(42, CreateQpEx, rdma_create_qp_ex, Optional)                  \
  X(43, CreateSrq, rdma_create_srq, Optional)                     \
  X(44, CreateSrqEx, rdma_create_srq_ex, Optional)                \
  X(45, DestroySrq, rdma_destroy_srq, Optional)                   \
  X(46, RegMsgs, rdma_reg_msgs, Inline)                           \
  X(47, RegRead, rdma_reg_read, Inline)                           \
  X(48, RegWrite, rdma_reg_write, Inline)                         \
  X(49, DeregMr, rdma_dereg_mr, Inline)                           \
  X(50, PostRecv, rdma_post_recv, Inline)                         \
  X(51, PostRecvv, rdma_post_recvv, Inline)                       \
  X(52, PostSend, rdma_post_send, Inline)                         \
  X(53, PostSendv, rdma_post_sendv, Inline)                       \
  X(54, PostRead, rdma_post_read, Inline)                         \
  X(55, PostReadv, rdma_post_readv, Inline)                       \
  X(56, PostWrite, rdma_post_write, Inline)                       \
  X(57, PostWritev, rdma_post_writev, Inline)                     \
  X(58, PostUdSend, rdma_post_ud_send, Inline)                    \
  X(59, GetSendComp, rdma_get_send_comp, Inline)                  \
  X(60, GetRecvComp, rdma_get_recv_comp, Inline)                  \
  X(61, ReqNotifyCq, ibv_req_notify_cq, Inline)                   \
  X(62, GetCqEvent, ibv_get_cq_event, Inline)                     \
  X(63, AckCqEvents, ibv_ack_cq_events, Inline)

// A call's kind, named as its struct.
enum class CallKind : uint8_t {
#define CM_KIND(number, type, function, linkage) k##type,
  CM_CALLS(CM_KIND)
#undef CM_KIND
};

namespace internal {
template <typename None, typename... Calls>
using VariantOf = std::variant<Calls...>;
}  // namespace internal

// Any call; its alternatives are in the order of CallKind.
#define CM_ALTERNATIVE(number, type, function, linkage) , call::type
using Call = internal::VariantOf<void CM_CALLS(CM_ALTERNATIVE)>;
#undef CM_ALTERNATIVE
inline constexpr int kCallKindCount = std::variant_size_v<Call>;

constexpr CallKind KindOf(const Call& call) { return static_cast<CallKind>(call.index()); }

// A work request that is posted to a queue.
enum class Posting : uint8_t { kNothing, kReceive, kSend, kRead, kWrite };
// Properties of a call besides its arguments: its row in call_table.h, without the fields.
struct CallTraits {
  std::string_view manual;       // "man rdma_listen(3)"
  std::string_view map = "1.0";  // version of the function's symbol
  bool returns_void = false;     // in C: succeeds or crashes, is never refused
  bool completes = false;        // on a synchronous id it returns with the event of its operation
  bool only_asks = false;        // a query: changes nothing
  bool may_block = false;        // for longer than the kernel takes to reply
  bool in_kernel = false;        // changes only the kernel's state of the id
  bool moves_data = false;       // on regions and queues, except creating queue pairs
  bool completion = false;       // waits for a completion
  bool on_cq = false;            // on a completion queue, which comes with the queue pair
  Posting posts = Posting::kNothing;
  // From the list of calls.
  std::string_view name;
  uint8_t number = 0;
  bool function = true;  // of the library
};
namespace internal {
extern const std::array<CallTraits, kCallKindCount> kCallTraits;
}  // namespace internal
inline const CallTraits& TraitsOf(CallKind kind) {
  return internal::kCallTraits[static_cast<size_t>(kind)];
}

// Show and ShowEvent are none.
inline bool IsFunction(CallKind kind) { return TraitsOf(kind).function; }
// "rdma_create_event_channel"; "show" and "show-event" for calls that are no function of the
// library.
inline std::string_view FunctionName(CallKind kind) { return TraitsOf(kind).name; }
std::optional<CallKind> ParseFunctionName(std::string_view name);

// The id that the call is made on; none for calls on channels and events.
IdRef IdOf(const Call& call);
// The channel of the call; none for calls on ids and events.
ChannelRef ChannelOf(const Call& call);
// The list or address info that the call returns or releases; none for all others.
HeldRef HeldOf(const Call& call);
// The region that the call registers or deregisters; none for all others.
MrRef RegionOf(const Call& call);
// The posted work request; null for all others.
const call::Work* WorkOf(const Call& call);
// rdma_create_qp, with either structure.
std::optional<call::CreateQp> QpAskedBy(const Call& call);
// The call is of the library's map 1.4. source: rdma-core 65 librdmacm.map
inline bool IsLater(CallKind kind) { return TraitsOf(kind).map == "1.4"; }
// On regions and queues, except creating queue pairs.
inline bool MovesData(CallKind kind) { return TraitsOf(kind).moves_data; }
inline bool IsWork(CallKind kind) { return TraitsOf(kind).posts != Posting::kNothing; }
inline bool IsReceive(CallKind kind) { return TraitsOf(kind).posts == Posting::kReceive; }
inline bool IsRead(CallKind kind) { return TraitsOf(kind).posts == Posting::kRead; }
inline bool IsWrite(CallKind kind) { return TraitsOf(kind).posts == Posting::kWrite; }
inline bool IsCompletion(CallKind kind) { return TraitsOf(kind).completion; }
// The call creates its id.
constexpr bool MakesItsId(CallKind kind) {
  return kind == CallKind::kCreateId || kind == CallKind::kCreateEp;
}
// Registers a memory region.
bool RegistersRegion(CallKind kind);
// source: rdma-core 44 cma.c ucma_complete
inline bool CompletesWithEvent(CallKind kind) { return TraitsOf(kind).completes; }
inline bool ReturnsVoid(CallKind kind) { return TraitsOf(kind).returns_void; }

}  // namespace cm

#endif  // MODEL_VOCABULARY_CALL_H_
