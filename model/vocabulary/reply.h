// Observations of an application: replies, events, fields of an id.
#ifndef MODEL_VOCABULARY_REPLY_H_
#define MODEL_VOCABULARY_REPLY_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "model/base/errno.h"
#include "model/vocabulary/address.h"
#include "model/vocabulary/ece.h"
#include "model/vocabulary/names.h"
#include "model/vocabulary/private_data.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/topology.h"
#include "model/vocabulary/work.h"

namespace cm {

enum class ReplyKind : uint8_t {
  kReturned,       // with value and errno
  kBlocked,        // nothing can answer it now; it stays pending on its lane
  kCrashed,        // the process has ended, or would
  kUnseen,         // it was made, and its result was not recorded
  kNotApplicable,  // it was not made; see not_made.h
};

struct Reply {
  ReplyKind kind = ReplyKind::kReturned;
  int32_t value = 0;
  Errno error = Errno::kNone;  // kNone unless value is negative
  friend constexpr bool operator==(const Reply&, const Reply&) = default;

  static constexpr Reply Returned() { return {}; }
  static constexpr Reply Refused(Errno error) {
    return {.kind = ReplyKind::kReturned, .value = -1, .error = error};
  }
  static constexpr Reply Blocked() { return {.kind = ReplyKind::kBlocked}; }
  static constexpr Reply Crashed() { return {.kind = ReplyKind::kCrashed}; }
  static constexpr Reply Unseen() { return {.kind = ReplyKind::kUnseen}; }
  static constexpr Reply NotApplicable() { return {.kind = ReplyKind::kNotApplicable}; }

  constexpr bool succeeded() const { return kind == ReplyKind::kReturned && value == 0; }
};

// Connection parameters in an event.
struct ConnFields {
  uint8_t responder_resources = 0;
  uint8_t initiator_depth = 0;
  uint8_t flow_control = 0;
  uint8_t retry_count = 0;
  uint8_t rnr_retry_count = 0;
  uint8_t srq = 0;
  friend constexpr bool operator==(const ConnFields&, const ConnFields&) = default;
};

// struct rdma_cm_event. Of a datagram id `conn` is empty.
struct CmEvent {
  EventType type = EventType::kAddrResolved;
  int32_t status = 0;  // 0, a negative errno, -1, or a positive REJ reason
  IdRef id;
  IdRef listen_id;
  ConnFields conn;
  uint32_t qp_num = 0;    // volatile: drawn by the provider
  uint32_t qkey = 0;      // of a datagram service, or of a group
  Address group;          // of a joined group, without a port; else kNone
  uint16_t context = 0;   // of a membership
  uint64_t argument = 0;  // of USER
  PrivateData private_data;
  friend bool operator==(const CmEvent&, const CmEvent&) = default;
};

// The public fields of an id, and the state of its queue pair.
struct Shown {
  bool device_known = false;  // id->verbs is not null
  uint8_t device = 0;         // index of its first port in the topology's devices
  uint8_t port_num = 0;
  Address source;       // kNone: family 0
  Address destination;  // ports of kFirstEphemeralPort and above are volatile
  uint8_t num_paths = 0;
  std::optional<QpState> qp;
  friend constexpr bool operator==(const Shown&, const Shown&) = default;
};

// Outputs of a call besides its value.
struct QpAttrs {  // of rdma_init_qp_attr
  uint32_t mask = 0;
  uint8_t state = 0;  // attr.qp_state, as returned
  friend constexpr bool operator==(const QpAttrs&, const QpAttrs&) = default;
};
struct PortOutput {  // of rdma_get_src_port and rdma_get_dst_port, in host order
  uint16_t port = 0;
  friend constexpr bool operator==(const PortOutput&, const PortOutput&) = default;
};
struct TextOutput {  // of rdma_event_str
  std::array<char, 48> text{};
  std::string_view words() const { return text.data(); }
  static TextOutput Of(std::string_view words) {
    TextOutput output;
    words.copy(output.text.data(), output.text.size() - 1);
    return output;
  }
  friend bool operator==(const TextOutput&, const TextOutput&) = default;
};
struct AddrInfoOutput {  // of rdma_getaddrinfo: the first, and only, rdma_addrinfo
  uint32_t flags = 0;
  uint8_t family = 0;          // AF_*
  std::optional<QpType> type;  // empty: 0
  std::optional<PortSpace> space;
  Address source;  // kNone: a null pointer
  Address destination;
  uint8_t source_length = 0;
  uint8_t destination_length = 0;
  uint32_t route_length = 0;
  uint32_t connect_length = 0;
  friend constexpr bool operator==(const AddrInfoOutput&, const AddrInfoOutput&) = default;
};
struct DevicesOutput {  // of rdma_get_devices; their order is not recorded
  DeviceBits known = 0;
  uint32_t unknown = 0;  // number of others, which the topology lacks
  friend constexpr bool operator==(const DevicesOutput&, const DevicesOutput&) = default;
};
struct BytesOutput {  // of rdma_dereg_mr: content of the region's buffer, see BytesDigest
  uint32_t digest = 0;
  friend constexpr bool operator==(const BytesOutput&, const BytesOutput&) = default;
};
using Output = std::variant<QpAttrs, EceOptions, PortOutput, TextOutput, AddrInfoOutput,
                            DevicesOutput, BytesOutput, Completion>;

}  // namespace cm

#endif  // MODEL_VOCABULARY_REPLY_H_
