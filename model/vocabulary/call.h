// Everything an application may say to librdmacm, as data. One struct a function, one variant of
// all: the waist between generator, oracle, driver, shrinker, conversation file and trace.
#ifndef MODEL_VOCABULARY_CALL_H_
#define MODEL_VOCABULARY_CALL_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "model/vocabulary/address.h"
#include "model/vocabulary/names.h"
#include "model/vocabulary/private_data.h"
#include "model/vocabulary/protocol.h"

namespace cm {

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
  ChannelRef channel;
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
struct CreateQp {  // no protection domain, type of the id, both completion queues made by the
                   // library
  IdRef id;
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

}  // namespace call

using Call = std::variant<call::CreateEventChannel, call::DestroyEventChannel, call::CreateId,
                          call::DestroyId, call::BindAddr, call::Listen, call::ResolveAddr,
                          call::ResolveRoute, call::CreateQp, call::DestroyQp, call::Connect,
                          call::Accept, call::Reject, call::Establish, call::Disconnect,
                          call::GetCmEvent, call::AckCmEvent, call::Show>;

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
};
inline constexpr int kCallKindCount = std::variant_size_v<Call>;

constexpr CallKind KindOf(const Call& call) { return static_cast<CallKind>(call.index()); }

// "rdma_create_event_channel"; "show" for what is not a function of the library.
std::string_view FunctionName(CallKind kind);
std::optional<CallKind> ParseFunctionName(std::string_view name);

// The id that the call is made on; none for calls on channels and events.
IdRef IdOf(const Call& call);
// The channel that the call names; none for calls on ids and events.
ChannelRef ChannelOf(const Call& call);
// Void in C: succeeds or crashes, never refuses.
bool ReturnsVoid(CallKind kind);

}  // namespace cm

#endif  // MODEL_VOCABULARY_CALL_H_
