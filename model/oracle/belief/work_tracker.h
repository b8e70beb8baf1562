// What is certain about regions and queues: what was registered and posted, and what has completed.
//
// None of it differs between the possibilities of an id. What a request may come to follows from
// this and from the states that the two queue pairs may be in.
#ifndef MODEL_ORACLE_BELIEF_WORK_TRACKER_H_
#define MODEL_ORACLE_BELIEF_WORK_TRACKER_H_

#include <array>
#include <cstdint>
#include <vector>

#include "model/oracle/belief/certainty.h"
#include "model/oracle/belief/completion_events.h"
#include "model/oracle/belief/state.h"
#include "model/vocabulary/call.h"
#include "model/work_completion/rules.h"

namespace cm::model {

struct RegionInfo {
  bool live = false;
  CallKind by = CallKind::kRegMsgs;
  uint8_t device = kNoDevice;  // kNoDevice: one of several
  uint32_t length = 0;
};

struct PostedWork {
  CallKind kind = CallKind::kPostRecv;
  call::Work work;
  bool peer_ready = false;                // the queue pair at the other end could take it at once
  Certainty into_error = Certainty::kNo;  // its own was in error already
  bool receive_there = false;             // of a message: so was the receive that it would meet
  uint32_t message = 0;                   // of a message: its number among them
};

// A queue pair, with what was posted to it so far.
struct QueuesInfo {
  std::vector<PostedWork> sends;
  std::vector<PostedWork> receives;
  size_t sends_done = 0;  // so many have completed, or the application has no more to hear of them
  size_t receives_done = 0;
  uint32_t messages = 0;
  bool had = false;           // it is there, or was
  bool srq = false;           // the id has a shared receive queue
  bool shares = false;        // and its queue pair takes receives from it
  bool sends_failed = false;  // one of them has: those behind it are flushed
  bool receives_failed = false;
  bool unknown = false;      // nothing can be said about what completes
  bool keeps_sends = false;  // that, and only since it may keep sends that it has refused
  bool service = false;      // a datagram service was named
  uint8_t rnr_retries = 7;   // that the application of this end has asked the other one for
  bool reads_none = false;   // this end has named a depth of 0 for its reads
  bool serves_none = false;  // and for those of the other end
  uint8_t device = kNoDevice;
  IdRef peer;
  std::array<CompletionEvents, 2> events;  // of sends, of receives
  bool CqEventsUnacked() const { return events[0].Unacknowledged() || events[1].Unacknowledged(); }
};

// Which states the two ends may be in.
struct Ends {
  QpPhases own;
  QpPhases peers;
};

inline bool Only(QpPhases phases, QpPhase one) { return phases == QpPhases(one); }

// Either has failed.
inline bool Failed(const QueuesInfo& queues) {
  return queues.sends_failed || queues.receives_failed;
}

class WorkTracker {
 public:
  WorkTracker() = default;
  WorkTracker(size_t ids, size_t regions) : queues_(ids), regions_(regions) {}

  QueuesInfo& of(IdRef id) { return queues_[id.index]; }
  const QueuesInfo& of(IdRef id) const { return queues_[id.index]; }
  RegionInfo& region(MrRef mr) { return regions_[mr.index]; }
  // Nothing can be said about what completes at it.
  bool Unknown(IdRef id) const {
    const IdRef peer = of(id).peer;
    return of(id).unknown || (peer.valid() && of(peer).unknown);
  }
  // One more id, of which nothing can be said.
  void AddUnknown() { queues_.emplace_back().unknown = true; }
  void Disturb() { disturbed_ = true; }

  // The queue that the call posts to has no room.
  Certainty QueueFull(const IdState& id, const Call& call) const;

  // What may become of a request that has not completed.
  WorkEnds EndsOfSend(IdRef id, size_t at, const Ends& ends) const;
  WorkEnds EndsOfReceive(IdRef id, size_t at, const Ends& ends) const;
  // The queue pair may be in ERR because of a posted request, without an observation of that.
  bool MayHaveFailed(IdRef id, const Ends& ends) const;
  // The message that a receive meets; null when none is on its way.
  const PostedWork* MessageFor(IdRef id, size_t receive) const;

  void Post(const Call& call, const Ends& ends);
  // A queue pair is made.
  void NewQueuePair(IdRef id, bool connected);

 private:
  Certainty Unreachable(const call::Work& work, uint8_t device) const;
  Certainty Forbidden(const PostedWork& posted, uint8_t device) const;
  WorkEnds EndsByItself(IdRef id, size_t at, const Ends& ends) const;
  WorkEnds EndsOfMessage(const QueuesInfo& own, const PostedWork& posted) const;
  bool AnyMayFail(IdRef id, const Ends& ends) const;

  std::vector<QueuesInfo> queues_;   // by id
  std::vector<RegionInfo> regions_;  // by name
  bool disturbed_ = false;           // the environment has done something to devices or links
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_WORK_TRACKER_H_
