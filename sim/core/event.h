// Events of a world, as data.
#ifndef SIM_CORE_EVENT_H_
#define SIM_CORE_EVENT_H_

#include <cstdint>
#include <string_view>

#include "model/base/duration.h"

namespace cm::sim {

enum class EventKind : uint8_t {
  kPacketArrives,   // on: a packet of the fabric
  kMadTimer,        // on: an ib_cm id whose message was not answered
  kTimewaitOver,    // on: an ib_cm id
  kSendFailed,      // on: an ib_cm id whose message could not be sent
  kAddressWork,     // on: an rdma_cm id whose address resolution ends
  kRouteWork,       // on: an rdma_cm id whose route resolution ends
  kNeighbourWork,   // on: an rdma_cm id whose neighbour has changed
  kAddrChangeWork,  // on: an rdma_cm id whose bond has failed over
  kCloseWork,       // on: an rdma_cm id whose device is gone
  kAgentGone,       // on: a device on which no message is received any more
  kMembershipWork,  // on: a membership that is to be reported
  kWorkDue,         // on: a queue pair of whose requests something is due
  kFrameArrives,    // on: an MPA frame, or the end of a TCP connection
  kReplyTimer,      // on: an iw_cm id whose request was not answered
  kIwWork,          // on: an iw_cm id with something to report
  kLinkTurn,        // on: an interface that goes down and up in turns
  kWorkGoesOn,      // on: a kernel whose CM has been busy
  kNeighbourFails,  // on: a device and, in the lowest 8 bits, one that its host has asked for
};
inline constexpr int kEventKindCount = static_cast<int>(EventKind::kNeighbourFails) + 1;

// "packet-arrives".
std::string_view ToString(EventKind kind);

// 16 bytes: time, kind and object. An event is data, never a closure.
//
// It has no insertion number: the order of events of one instant is the order in which a queue
// holds them. So no number wraps, and two queues with the same content are equal.
struct Event {
  Instant at;
  uint64_t what = 0;  // the kind above the object

  static constexpr Event Of(Instant at, EventKind kind, uint32_t on) {
    return {at, (static_cast<uint64_t>(kind) << 32) | on};
  }
  constexpr EventKind kind() const { return static_cast<EventKind>(what >> 32); }
  constexpr uint32_t on() const { return static_cast<uint32_t>(what); }
  friend constexpr bool operator==(const Event&, const Event&) = default;
};
static_assert(sizeof(Event) == 16);

}  // namespace cm::sim

#endif  // SIM_CORE_EVENT_H_
