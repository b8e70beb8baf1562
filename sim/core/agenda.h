// The only clock and the only queue. Nothing in sim/ happens except as an event here.
#ifndef SIM_CORE_AGENDA_H_
#define SIM_CORE_AGENDA_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

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
  kWorkDue,         // on: a queue pair whose first send request is carried out
  kFrameArrives,    // on: an MPA frame, or the end of a TCP connection
  kReplyTimer,      // on: an iw_cm id whose request was not answered
  kIwWork,          // on: an iw_cm id with something to report
};

// 16 bytes: when, in which order, what, and to which object. An event is data, never a closure.
//
// The insertion number is the upper half of `key`. When it would wrap, the pending events are
// numbered anew from 1 in their present order, so that the order of a run never depends on it.
// Nobody keeps insertion numbers: an object knows its timer by the deadline.
struct Event {
  Instant at;
  uint64_t key = 0;  // insertion number (32 bits), kind (6 bits), object (26 bits)

  constexpr EventKind kind() const { return static_cast<EventKind>((key >> 26) & 0x3f); }
  constexpr uint32_t on() const { return static_cast<uint32_t>(key & 0x3ffffff); }
  constexpr uint32_t order() const { return static_cast<uint32_t>(key >> 32); }
  friend constexpr auto operator<=>(const Event&, const Event&) = default;
};
static_assert(sizeof(Event) == 16);

// Events by (instant, insertion number): what was asked for first happens first.
class Agenda {
 public:
  Instant Now() const { return now_; }

  void At(Instant when, EventKind kind, uint32_t on);
  void In(Duration span, EventKind kind, uint32_t on) { At(now_ + span, kind, on); }

  // When the next event is due; empty when the world is quiet.
  std::optional<Instant> NextAt() const;
  // Takes the next event and moves the clock to it.
  Event Take();
  // Moves the clock without an event; `when` is not after the next event.
  void AdvanceTo(Instant when);

  size_t size() const { return heap_.size(); }
  // Pending events in no particular order; for fingerprints.
  const std::vector<Event>& pending() const { return heap_; }

  // Equal when the clock and the pending events in their order are.
  friend bool operator==(const Agenda&, const Agenda&);

 private:
  friend class AgendaPeer;  // a test brings the insertion number close to its end
  void Renumber();

  Instant now_;
  uint32_t last_order_ = 0;
  std::vector<Event> heap_;  // 4-ary, smallest first
};

}  // namespace cm::sim

#endif  // SIM_CORE_AGENDA_H_
