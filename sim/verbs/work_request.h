// Work requests as they stand in a queue. source: <infiniband/verbs.h> struct ibv_send_wr
#ifndef SIM_VERBS_WORK_REQUEST_H_
#define SIM_VERBS_WORK_REQUEST_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/errno.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/work.h"
#include "sim/core/fifo.h"
#include "sim/fabric/fabric.h"
#include "sim/verbs/regions.h"
#include "sim/verbs/windows.h"

namespace cm::sim {

inline constexpr uint32_t kDatagramHeader = 40;  // room for a GRH in front of every datagram

// The global route header in front of a datagram. source: IBA 8.3
std::vector<uint8_t> RouteHeader(const std::array<uint8_t, 16>& from,
                                 const std::array<uint8_t, 16>& to, uint32_t length);

// The address of a queue pair for senders.
struct QpAddress {
  uint8_t device = kNoDevice;
  uint32_t number = 0;
  friend bool operator==(const QpAddress&, const QpAddress&) = default;
};

using Group = std::array<uint8_t, 16>;  // the group's GID

// Atomic operations, which conversations do not have. source: <infiniband/verbs.h> ibv_wc_opcode
inline constexpr WcOpcode kCompareAndSwap{3};
inline constexpr WcOpcode kFetchAndAdd{4};
// The same of memory windows, with the status of one that could not be bound.
inline constexpr WcOpcode kBindWindow{5};
inline constexpr WcOpcode kInvalidateLocally{6};
inline constexpr WcStatus kWindowBindError{6};
// Executed without a message to the peer.
constexpr bool IsLocal(WcOpcode opcode) {
  return opcode == kBindWindow || opcode == kInvalidateLocally;
}
constexpr bool IsAtomic(WcOpcode opcode) {
  return opcode == kCompareAndSwap || opcode == kFetchAndAdd;
}
// Answered with what stood in memory.
constexpr bool Asks(WcOpcode opcode) { return opcode == WcOpcode::kRead || IsAtomic(opcode); }
struct AtomicOperands {
  uint64_t compare_or_add = 0;
  uint64_t swap = 0;
};

struct WorkRequest {
  WcOpcode opcode = WcOpcode::kSend;
  uint16_t context = 0;
  bool signaled = true;
  bool is_inline = false;
  bool solicited = false;
  bool fenced = false;  // not before all reads and atomic operations in front of it
  std::vector<Piece> pieces;
  uint32_t empty_pieces = 0;          // elements of length 0; not stored in the list
  std::vector<uint8_t> data;          // inline data; or AtomicOperands; or the data to send
  Piece remote;                       // its length is that of the elements
  QpAddress to;                       // of datagrams
  Group group{};                      // zeros: unicast; else to all queue pairs attached to it
  std::vector<uint8_t> header;        // the GRH of a datagram, if there is one
  uint64_t wr_id = 0;                 // set by a program
  std::optional<uint32_t> immediate;  // sent with it
  std::optional<WindowUse> window;    // a send invalidates it at the peer
  uint32_t srq_number = 0;            // of a request of XRC: that of XrcQueue
  uint32_t length() const {
    uint32_t sum = pieces.empty() ? static_cast<uint32_t>(data.size()) : 0;
    for (const Piece& piece : pieces) sum += piece.length;
    return sum;
  }
  friend bool operator==(const WorkRequest&, const WorkRequest&) = default;
};

// The depth of a queue, and the elements of a request.
struct Room {
  uint32_t work = QueueLimits::kWork;
  uint32_t pieces = QueueLimits::kSges;
  friend bool operator==(const Room&, const Room&) = default;
};

// Appends a receive. ENOMEM when the queue is full, EINVAL for too many elements.
// source: rdma-core 44 providers/rxe/rxe.c rxe_post_one_recv
Errno Post(Fifo<WorkRequest>* queue, const Room& room, WorkRequest work);

}  // namespace cm::sim

#endif  // SIM_VERBS_WORK_REQUEST_H_
