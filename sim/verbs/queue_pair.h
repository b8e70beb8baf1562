// The state of a queue pair.
#ifndef SIM_VERBS_QUEUE_PAIR_H_
#define SIM_VERBS_QUEUE_PAIR_H_

#include <cstdint>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/work.h"
#include "sim/core/fifo.h"
#include "sim/core/slab.h"
#include "sim/verbs/completions.h"
#include "sim/verbs/work_request.h"

namespace cm::sim {

// The capacity of a queue pair's queues.
struct QpRoom {
  Room sends;
  Room receives;
  uint32_t inlined = QueueLimits::kInline;  // bytes
  friend bool operator==(const QpRoom&, const QpRoom&) = default;
};

// Attributes of the connection, from RTR and RTS.
struct Connection {
  QpAddress peer;
  uint8_t retry_count = 7;
  uint8_t rnr_retry_count = 7;
  // The peer's permissions here: the access flags of the queue pair.
  bool remote_write = true;
  bool remote_read = true;
  bool remote_atomic = true;
  // Limits of outstanding reads and atomic operations. 0 as initiator: never starts; 0 as
  // responder: refused.
  uint8_t initiator_depth = 1;
  uint8_t responder_resources = 1;
  friend bool operator==(const Connection&, const Connection&) = default;
};

// A request that has been sent, on its way or executed.
struct Flight {
  Instant left;                         // its device
  Instant arrives = Instant::Never();   // at the peer; never: it did not get through
  Instant answered = Instant::Never();  // when it may complete
  bool executed = false;
  bool sent = false;  // a message has left, for observers
  WcStatus status = WcStatus::kSuccess;
  std::vector<uint8_t> result;  // of a read, or of an atomic operation
  uint32_t message = 0;         // its number in the connection, from 0
  uint32_t first_packet = 0;    // and that of its first packet
  friend bool operator==(const Flight&, const Flight&) = default;
};

// Of an extended reliable connection, which goes one way: each request names a shared receive queue
// in the XRC domain of the target. source: man ibv_open_xrcd(3), ibv_create_srq_ex(3)
enum class XrcRole : uint8_t { kNone, kInitiator, kTarget };

struct XrcPart {
  XrcRole role = XrcRole::kNone;
  uint32_t domain = 0;     // XRC domain of a target
  uint32_t srq = kNobody;  // that the last request for a target has named
  // Whether a queue pair with that role is the other end of one with this role.
  bool Joins(XrcRole peer) const {
    return role == XrcRole::kInitiator ? peer == XrcRole::kTarget
                                       : role == XrcRole::kNone && peer == XrcRole::kNone;
  }
  friend bool operator==(const XrcPart&, const XrcPart&) = default;
};

struct Qp {
  bool live = false;
  bool datagram = false;
  uint8_t device = 0;  // the port
  QpState state = QpState::kReset;
  uint32_t number = 0;
  uint32_t srq = kNobody;
  uint64_t domain = 0;  // protection domain: that of its regions
  QpRoom room;
  Connection connection;
  Fifo<WorkRequest> sends;
  Fifo<WorkRequest> receives;
  uint32_t send_cq = kNobody;        // of a program; else the queue pair has its own
  uint32_t receive_cq = kNobody;     // the same
  OwnCq sent;                        // of sends
  OwnCq received;                    // and of receives
  Fifo<Flight> flights;              // of the first of `sends`
  uint32_t arrived = 0;              // so many of the first of them have been carried out
  uint32_t asking = 0;               // number of them that are reads or atomic operations
  uint32_t messages = 0;             // sent in the connection
  uint32_t packets = 0;              // of these
  Instant again = Instant::Never();  // when what has no answer is sent again
  bool not_ready = false;            // because the peer had no receive
  bool refused = false;              // nothing is sent until the answer is here
  bool told = false;                 // the peer has said that one is missing
  uint32_t draining = 0;             // number of `sends` that are still executed in SQD
  uint8_t retries_left = 0;
  uint8_t rnr_retries_left = 0;
  std::vector<Group> groups;  // attached multicast groups
  XrcPart xrc;
  // The shared queue that the next receive is taken from, or kNobody.
  uint32_t TakesFrom() const { return xrc.role == XrcRole::kTarget ? xrc.srq : srq; }
  // source: linux 6.1 rxe_recv.c check_type_state
  bool Receives() const {
    return state == QpState::kRtr || state == QpState::kRts || state == QpState::kSqd;
  }
  bool Sends() const { return state == QpState::kRts || (state == QpState::kSqd && draining != 0); }
  // What is on its way has no effect any more.
  void ForgetFlights() {
    flights.clear();
    arrived = asking = 0;
    again = Instant::Never();
    not_ready = refused = told = false;
  }
  friend bool operator==(const Qp&, const Qp&) = default;
};

}  // namespace cm::sim

#endif  // SIM_VERBS_QUEUE_PAIR_H_
