// Everything an application may say to librdmacm, as data. One struct a function, one variant of
// all: the waist between generator, oracle, driver, shrinker, conversation file and trace.
#ifndef MODEL_VOCABULARY_CALL_H_
#define MODEL_VOCABULARY_CALL_H_

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

// As much as the device has. source: <rdma/rdma_cma.h> RDMA_MAX_RESP_RES, RDMA_MAX_INIT_DEPTH
inline constexpr uint8_t kDeviceMaximum = 255;

// struct rdma_conn_param; the defaults are those of a plain caller.
struct ConnParam {
  uint8_t responder_resources = 1;
  uint8_t initiator_depth = 1;
  uint8_t flow_control = 1;
  uint8_t retry_count = 7;
  uint8_t rnr_retry_count = 7;
  uint8_t srq = 0;
  uint32_t qp_num = 0;  // counts only for an id without a queue pair
  PrivateData private_data;
  friend bool operator==(const ConnParam&, const ConnParam&) = default;
};

// The hints of rdma_getaddrinfo: those of struct rdma_addrinfo that it looks at.
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
  bool nonblocking = false;  // O_NONBLOCK is set on its descriptor right away
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
struct CreateQp {  // no protection domain, both completion queues made by the library
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
  EventRef event;  // the name of what is fetched, for rdma_ack_cm_event
  IdRef request;   // the name of the new id, if it is a connection request
};
struct AckCmEvent {
  EventRef event;
};
// Not a function of the library: reads the public fields of the id and asks for its QP's state.
struct Show {
  IdRef id;
};
// Nor this: reads id->event, which a synchronous call leaves behind.
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
  uint32_t length = 4;  // in bytes, of what `value` is handed over in
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
  uint16_t context = 0;  // given back with the events of this membership
};
// With struct rdma_cm_join_mc_attr_ex; the defaults are those of a plain caller.
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
  Address node;                     // its port counts for nothing; kNone: a null pointer
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
  HeldRef info;  // the name of what is handed out, for rdma_freeaddrinfo
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
// A buffer of its own, filled with a pattern; what remote ends may do with it the function says.
struct RegMsgs {
  MrRef mr;
  IdRef id;
  uint32_t length = 1;
};
struct RegRead {
  MrRef mr;
  IdRef id;
  uint32_t length = 1;
};
struct RegWrite {
  MrRef mr;
  IdRef id;
  uint32_t length = 1;
};
struct DeregMr {  // hands out what the buffer holds in the end
  MrRef mr;
};
// A work request. The functions whose names end in v take a list of pieces.
struct Work {
  IdRef id;
  uint16_t context = 0;
  Sges sges;
  uint8_t flags = kSignaled;   // of what is sent
  MrRef remote;                // of reads and writes
  uint32_t remote_offset = 0;  // within it
};
struct PostRecv : Work {};
struct PostRecvv : Work {};
struct PostSend : Work {};
struct PostSendv : Work {};
struct PostRead : Work {};
struct PostReadv : Work {};
struct PostWrite : Work {};
struct PostWritev : Work {};
struct PostUdSend : Work {};  // to whom the id's ESTABLISHED has named
struct GetSendComp {          // waits for a completion; 1 in C is 0 here
  IdRef id;
};
struct GetRecvComp {
  IdRef id;
};

}  // namespace call

using Call = std::variant<
    call::CreateEventChannel, call::DestroyEventChannel, call::CreateId, call::DestroyId,
    call::BindAddr, call::Listen, call::ResolveAddr, call::ResolveRoute, call::CreateQp,
    call::DestroyQp, call::Connect, call::Accept, call::Reject, call::Establish, call::Disconnect,
    call::GetCmEvent, call::AckCmEvent, call::Show, call::ShowEvent, call::Notify, call::InitQpAttr,
    call::SetLocalEce, call::GetRemoteEce, call::RejectEce, call::GetSrcPort, call::GetDstPort,
    call::EventStr, call::SetOption, call::MigrateId, call::GetRequest, call::CreateEp,
    call::DestroyEp, call::JoinMulticast, call::JoinMulticastEx, call::LeaveMulticast,
    call::GetAddrInfo, call::FreeAddrInfo, call::GetDevices, call::FreeDevices,
    call::ResolveAddrInfo, call::QueryAddrInfo, call::WriteCmEvent, call::CreateQpEx,
    call::CreateSrq, call::CreateSrqEx, call::DestroySrq, call::RegMsgs, call::RegRead,
    call::RegWrite, call::DeregMr, call::PostRecv, call::PostRecvv, call::PostSend, call::PostSendv,
    call::PostRead, call::PostReadv, call::PostWrite, call::PostWritev, call::PostUdSend,
    call::GetSendComp, call::GetRecvComp>;

// The alternatives of Call, in the same order.
enum class CallKind : uint8_t {
  kCreateEventChannel,
  kDestroyEventChannel,
  kCreateId,
  kDestroyId,
  kBindAddr,
  kListen,
  kResolveAddr,
  kResolveRoute,
  kCreateQp,
  kDestroyQp,
  kConnect,
  kAccept,
  kReject,
  kEstablish,
  kDisconnect,
  kGetCmEvent,
  kAckCmEvent,
  kShow,
  kShowEvent,
  kNotify,
  kInitQpAttr,
  kSetLocalEce,
  kGetRemoteEce,
  kRejectEce,
  kGetSrcPort,
  kGetDstPort,
  kEventStr,
  kSetOption,
  kMigrateId,
  kGetRequest,
  kCreateEp,
  kDestroyEp,
  kJoinMulticast,
  kJoinMulticastEx,
  kLeaveMulticast,
  kGetAddrInfo,
  kFreeAddrInfo,
  kGetDevices,
  kFreeDevices,
  kResolveAddrInfo,
  kQueryAddrInfo,
  kWriteCmEvent,
  kCreateQpEx,
  kCreateSrq,
  kCreateSrqEx,
  kDestroySrq,
  kRegMsgs,
  kRegRead,
  kRegWrite,
  kDeregMr,
  kPostRecv,
  kPostRecvv,
  kPostSend,
  kPostSendv,
  kPostRead,
  kPostReadv,
  kPostWrite,
  kPostWritev,
  kPostUdSend,
  kGetSendComp,
  kGetRecvComp,
};
inline constexpr int kCallKindCount = std::variant_size_v<Call>;

constexpr CallKind KindOf(const Call& call) { return static_cast<CallKind>(call.index()); }

// Show and ShowEvent are none.
bool IsFunction(CallKind kind);
// "rdma_create_event_channel"; "show" and "show-event" for what is not a function of the library.
std::string_view FunctionName(CallKind kind);
std::optional<CallKind> ParseFunctionName(std::string_view name);

// The id that the call is made on; none for calls on channels and events.
IdRef IdOf(const Call& call);
// The channel that the call names; none for calls on ids and events.
ChannelRef ChannelOf(const Call& call);
// What the call has handed out, or gives back; none for all others.
HeldRef HeldOf(const Call& call);
// The region that the call registers or gives back; none for all others.
MrRef RegionOf(const Call& call);
// A work request is posted; null for all others.
const call::Work* WorkOf(const Call& call);
// rdma_create_qp, with either structure.
std::optional<call::CreateQp> QpAskedBy(const Call& call);
// On regions and queues, beside the making of queue pairs.
constexpr bool MovesData(CallKind kind) { return kind >= CallKind::kCreateSrq; }
constexpr bool IsWork(CallKind kind) {
  return kind >= CallKind::kPostRecv && kind <= CallKind::kPostUdSend;
}
constexpr bool IsReceive(CallKind kind) {
  return kind == CallKind::kPostRecv || kind == CallKind::kPostRecvv;
}
constexpr bool IsRead(CallKind kind) {
  return kind == CallKind::kPostRead || kind == CallKind::kPostReadv;
}
constexpr bool IsWrite(CallKind kind) {
  return kind == CallKind::kPostWrite || kind == CallKind::kPostWritev;
}
constexpr bool IsCompletion(CallKind kind) {
  return kind == CallKind::kGetSendComp || kind == CallKind::kGetRecvComp;
}
constexpr bool RegistersRegion(CallKind kind) {
  return kind >= CallKind::kRegMsgs && kind <= CallKind::kRegWrite;
}
// On a synchronous id the call returns with the event of what it has started.
// source: rdma-core 44 cma.c ucma_complete
bool CompletesWithEvent(CallKind kind);
// Void in C: succeeds or crashes, never refuses.
bool ReturnsVoid(CallKind kind);

}  // namespace cm

#endif  // MODEL_VOCABULARY_CALL_H_
