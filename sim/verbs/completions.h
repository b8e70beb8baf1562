// Completions, their queues and their events.
#ifndef SIM_VERBS_COMPLETIONS_H_
#define SIM_VERBS_COMPLETIONS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/vocabulary/work.h"
#include "sim/core/fifo.h"
#include "sim/core/slab.h"
#include "sim/verbs/work_request.h"

namespace cm::sim {

// Its bytes are read when it is polled: the application looks no earlier.
struct Finished {
  Completion completion;
  std::vector<Piece> pieces;
  uint64_t wr_id = 0;
  std::optional<uint32_t> immediate;    // received with it
  std::optional<uint32_t> invalidated;  // the key of a window
  bool by_write = false;                // a receive consumed by a write with immediate data
  uint32_t source_number = 0;           // of a datagram
  friend bool operator==(const Finished&, const Finished&) = default;
};

// The completion events of a queue. source: linux 6.1 rxe_verbs.c rxe_req_notify_cq, rxe_cq.c
// rxe_cq_post
struct CqEvents {
  enum class Armed : uint8_t { kNot, kForSolicited, kForNext };
  Armed armed = Armed::kNot;
  uint32_t unread = 0;  // on the channel

  // The next completion is reported, not one that is there already.
  void Arm(bool solicited_only) {
    if (armed != Armed::kForNext) armed = solicited_only ? Armed::kForSolicited : Armed::kForNext;
  }
  void Completed(bool solicited) {
    if (armed == Armed::kNot || (armed == Armed::kForSolicited && !solicited)) return;
    armed = Armed::kNot;
    ++unread;
  }
  // Reads an event. False when there is none.
  bool Take() {
    if (unread == 0) return false;
    --unread;
    return true;
  }
  friend bool operator==(const CqEvents&, const CqEvents&) = default;
};

// The completion queue of one queue of a queue pair, where the program created none.
struct OwnCq {
  Fifo<Finished> done;
  CqEvents events;
  friend bool operator==(const OwnCq&, const OwnCq&) = default;
};

// A completion queue that a program created, for any number of queue pairs. Completions stay after
// their queue pair was destroyed.
struct Cq {
  struct Entry {
    Finished finished;
    uint32_t qp_number = 0;
    bool datagram = false;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  bool live = false;
  uint32_t holds = 0;
  Fifo<Entry> done;
  CqEvents events;
  friend bool operator==(const Cq&, const Cq&) = default;
};

class CompletionQueues {
 public:
  uint32_t Create(uint32_t holds) { return cqs_.Add({.holds = holds}); }
  void Resize(uint32_t cq, uint32_t holds) { cqs_[cq].holds = holds; }
  // No queue pair may use it.
  void Destroy(uint32_t cq) { cqs_.Free(cq); }
  const Cq& operator[](uint32_t cq) const { return cqs_[cq]; }
  bool Full(uint32_t cq) const { return cqs_[cq].done.size() >= cqs_[cq].holds; }
  // Appends a completion; its queue is not full.
  Finished* Add(uint32_t cq, Cq::Entry entry) {
    cqs_[cq].done.push_back(std::move(entry));
    return &cqs_[cq].done.back().finished;
  }
  // The next completion of a queue that is not empty.
  Cq::Entry Take(uint32_t cq) {
    Cq::Entry first = std::move(cqs_[cq].done.front());
    cqs_[cq].done.pop_front();
    return first;
  }
  // To change them.
  CqEvents& EventsOf(uint32_t cq) {
    ++changes_.count;
    return cqs_[cq].events;
  }
  // How often events may have changed: while this stands, none has.
  uint64_t event_changes() const { return changes_.count; }

  friend bool operator==(const CompletionQueues&, const CompletionQueues&) = default;

 private:
  // No part of the state.
  struct Changes {
    uint64_t count = 0;
    friend bool operator==(const Changes&, const Changes&) { return true; }
  };

  Slab<Cq> cqs_;
  Changes changes_;
};

}  // namespace cm::sim

#endif  // SIM_VERBS_COMPLETIONS_H_
