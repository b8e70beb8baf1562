// An identifier of the IB CM: its state, its numbers and its peer's, its timers.
#ifndef SIM_IB_CM_IB_ID_H_
#define SIM_IB_CM_IB_ID_H_

#include <cstdint>

#include "model/base/duration.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/reply.h"
#include "sim/core/index.h"
#include "sim/ib_cm/timer.h"

namespace cm::sim {

using CmIdIndex = Index<struct CmId>;  // of the layer above
using IbIndex = Index<struct IbId>;
using MessageIndex = Index<struct StoredMessage>;

// An id whose REP has arrived is in MRA_REP_SENT and never in REP_RCVD: the layer above has
// repetitions answered by an MRA at once. source: linux 6.1 ib_cm.h enum ib_cm_state, cma.c
// cma_ib_handler
enum class IbState : uint8_t {
  kIdle,
  kReqSent,
  kReqRcvd,
  kMraReqSent,
  kMraReqRcvd,
  kRepSent,
  kMraRepSent,
  kMraRepRcvd,
  kEstablished,
  kDreqSent,
  kDreqRcvd,
  kTimewait,
  kSidrReqSent,
  kSidrReqRcvd,
};

// Whether the peer requests another path for the connection (LAP). No side here sends a LAP, or an
// MRA for one, so that the states after these are left out. source: linux 6.1 ib_cm.h enum
// ib_cm_lap_state
enum class LapState : uint8_t { kUninit, kIdle, kLapRcvd };

// The part of an id that every event reads, in one cache line; rarely used parts, and the message
// to retransmit, are stored elsewhere.
struct alignas(64) IbId {
  bool live : 1 = false;
  bool dying : 1 = false;           // destroyed; waits for an unanswered message of its own
  bool outstanding : 1 = false;     // its message waits for an answer
  bool pathless : 1 = false;        // the alternate path took over, and there was none
  bool known_remotely : 1 = false;  // found by its peer's communication id and QP number
  bool asked : 1 = false;           // a SIDR_REQ, found by its peer's id
  bool counted : 1 = false;         // its message counts as outstanding on the port
  bool queued : 1 = false;          // its message is queued on the port
  LapState lap : 2 = LapState::kUninit;
  IbState state = IbState::kIdle;
  IbState message_state = IbState::kIdle;  // state when the message was sent
  MadKind message_kind = MadKind::kReq;
  uint8_t kernel = 0;
  uint8_t device = 0;
  uint8_t peer_device = 0;
  uint8_t peer_ca = 0;     // the first port of that device: identifies the peer's CA
  uint8_t av_timeout = 0;  // exponent: timewait, and the waits after an MRA
  uint8_t max_retries = 0;
  uint8_t retries_left = 0;
  uint32_t source_since = 0;  // fail-overs of the device's bond when the id got its GID
  Instant mad_timer = Instant::Never();
  Instant timewait_timer = Instant::Never();
  uint32_t local_cid = 0;
  uint32_t remote_cid = 0;
  uint32_t tid = 0;  // for its answers: of the REQ, or of the first DREQ received
  uint32_t local_qpn = 0;
  uint32_t remote_qpn = 0;
  CmIdIndex user;        // the rdma_cm id above
  MessageIndex message;  // the stored message, unless it is rebuilt each time
  Interval interval;     // between two transmissions; an MRA changes it

  template <typename... States>
  constexpr bool IsIn(States... any) const {
    return ((state == any) || ...);
  }
  friend bool operator==(const IbId&, const IbId&) = default;
};
static_assert(sizeof(IbId) == 64);

// Rarely used parts of an id.
struct IbMore {
  ConnFields peer;          // the peer's parameters, for the queue pair
  uint8_t retry_count = 0;  // of the queue pair, from the REQ
  Interval base_interval;   // between the transmissions of every new message
  friend bool operator==(const IbMore&, const IbMore&) = default;
};

}  // namespace cm::sim

#endif  // SIM_IB_CM_IB_ID_H_
