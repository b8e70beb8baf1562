// What a history has of calls, events, quiet channels and faults, each with its record.
#ifndef CONFORMANCE_PROPERTIES_OBSERVATIONS_H_
#define CONFORMANCE_PROPERTIES_OBSERVATIONS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/conversation/history.h"
#include "model/vocabulary/tester.h"

namespace cm {

// A call that was made. Positions are indices into the history's records.
struct MadeCall {
  size_t at = 0;
  Instant begin;
  Instant end;
  Lane lane;
  const Call* call = nullptr;
  Reply reply;                     // of a call on a synchronous id: the result of the start
  std::optional<size_t> released;  // the record of its return, if it was blocked first

  CallKind kind() const { return KindOf(*call); }
  IdRef id() const { return IdOf(*call); }
  bool Refused(Errno error) const { return reply == Reply::Refused(error); }
};

// An event that was fetched.
struct HeardEvent {
  size_t at = 0;
  Instant time;
  ChannelRef channel;
  EventRef name;
  CmEvent event;
  std::optional<size_t> acked;

  // The id that the library counts it for: of a request, the listener.
  IdRef owner() const {
    return event.type == EventType::kConnectRequest ? event.listen_id : event.id;
  }
};

// A channel was empty: EAGAIN, a call that waits for an event, or a wait without an event.
struct Silence {
  size_t at = 0;
  Instant time;
  ChannelRef channel;
};

// A message of a tester: no application has caused it, nor its effects.
struct HandMade {
  size_t at = 0;
  const TesterMad* mad = nullptr;
};

// A connection with both ends known.
struct Pair {
  IdRef active;
  IdRef passive;
};

// An id that the conversation names.
struct IndexedId {
  bool exists = false;  // a record created it
  bool tcp = true;      // in RDMA_PS_TCP
  uint8_t side = 0;
  ChannelRef channel;                               // the last one
  std::vector<std::pair<size_t, ChannelRef>> left;  // records where it left channels
  IdRef listener;                                   // of a request
  // The record where rdma_destroy_id succeeded, or the id's channel or side was destroyed; else
  // past the end.
  size_t end = 0;
  std::vector<const MadeCall*> calls;

  bool IsRequest() const { return listener.valid(); }
  ChannelRef ChannelAt(size_t record) const;
  // The id has no channel of the application, or had none at some time: its calls fetch events,
  // which the history may lack.
  bool WasSynchronous() const;
};

struct InjectedFault {
  size_t at = 0;
  Fault fault;
};

// The faults of a history.
class FaultLog {
 public:
  explicit FaultLog(const History& history);

  const std::vector<InjectedFault>& all() const { return all_; }
  // A fault of the kind precedes the record; on the side, if one is given.
  bool Before(size_t record, FaultKind kind, std::optional<uint8_t> side = {}) const;
  int CountBefore(size_t record, FaultKind kind) const;
  bool Injected(FaultKind kind) const;
  // A process may have ended by itself.
  bool EndedAProcess() const { return Injected(FaultKind::kExit) || Injected(FaultKind::kCrash); }
  // Some fault is one that a sender detects immediately, without waiting for its timers.
  bool DetectedImmediately() const;

 private:
  std::vector<InjectedFault> all_;
};

}  // namespace cm

#endif  // CONFORMANCE_PROPERTIES_OBSERVATIONS_H_
