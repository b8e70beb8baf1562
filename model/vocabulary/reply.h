// What an implementation lets an application see: replies, events, fields of an id.
#ifndef MODEL_VOCABULARY_REPLY_H_
#define MODEL_VOCABULARY_REPLY_H_

#include <cstdint>
#include <optional>

#include "model/base/errno.h"
#include "model/vocabulary/address.h"
#include "model/vocabulary/names.h"
#include "model/vocabulary/private_data.h"
#include "model/vocabulary/protocol.h"

namespace cm {

enum class ReplyKind : uint8_t {
  kReturned,       // value and errno say how
  kBlocked,        // nothing can answer it now; it stays pending on its lane
  kCrashed,        // the process is gone, or would be
  kUnseen,         // it was made, and nobody wrote down what came of it
  kNotApplicable,  // it names what never came to be, or its lane still waits: it was not made
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

// Connection parameters as an event carries them.
struct ConnFields {
  uint8_t responder_resources = 0;
  uint8_t initiator_depth = 0;
  uint8_t flow_control = 0;
  uint8_t retry_count = 0;
  uint8_t rnr_retry_count = 0;
  uint8_t srq = 0;
  friend constexpr bool operator==(const ConnFields&, const ConnFields&) = default;
};

// struct rdma_cm_event of a connection-oriented id.
struct CmEvent {
  EventType type = EventType::kAddrResolved;
  int32_t status = 0;  // 0, a negative errno, -1, or a positive REJ reason
  IdRef id;
  IdRef listen_id;
  ConnFields conn;
  uint32_t qp_num = 0;  // volatile: drawn by the provider
  PrivateData private_data;
  friend bool operator==(const CmEvent&, const CmEvent&) = default;
};

// The public fields of an id, and the state of its queue pair.
struct Shown {
  bool device_known = false;  // id->verbs is not null
  uint8_t device = 0;         // index into the topology's devices
  uint8_t port_num = 0;
  Address source;       // kNone: family 0
  Address destination;  // ports of kFirstEphemeralPort and above are volatile
  uint8_t num_paths = 0;
  std::optional<QpState> qp;
  friend constexpr bool operator==(const Shown&, const Shown&) = default;
};

}  // namespace cm

#endif  // MODEL_VOCABULARY_REPLY_H_
