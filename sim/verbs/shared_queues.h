// Shared receive queues.
#ifndef SIM_VERBS_SHARED_QUEUES_H_
#define SIM_VERBS_SHARED_QUEUES_H_

#include <cstdint>
#include <utility>

#include "sim/core/fifo.h"
#include "sim/core/slab.h"
#include "sim/verbs/work_request.h"

namespace cm::sim {

// What a shared receive queue of XRC has beyond others: completions go to a queue of its own, and
// its protection domain is that of the requests that name it.
struct XrcQueue {
  uint32_t number = 0;      // unique; 0: it is no such queue
  uint32_t xrc_domain = 0;  // whose targets take receives from it
  uint64_t domain = 0;      // protection domain
  uint32_t cq = kNobody;
  friend bool operator==(const XrcQueue&, const XrcQueue&) = default;
};

struct Srq {
  bool live = false;
  bool orphaned = false;  // destroyed with its last queue pair
  uint32_t users = 0;     // queue pairs
  Room room;
  uint32_t limit = 0;  // one event when there are fewer receives; 0: never
  Fifo<WorkRequest> receives;
  XrcQueue xrc;
  friend bool operator==(const Srq&, const Srq&) = default;
};

class SharedQueues {
 public:
  uint32_t Create(const Room& room = {}) { return srqs_.Add({.room = room}); }
  // The number is given here.
  uint32_t CreateForXrc(const Room& room, XrcQueue xrc) {
    xrc.number = ++last_number_;
    return srqs_.Add({.room = room, .xrc = xrc});
  }
  // The queue of XRC with that number in the domain, or kNobody.
  uint32_t Find(uint32_t xrc_domain, uint32_t number) const {
    for (uint32_t srq = 0; number != 0 && srq < srqs_.end(); ++srq) {
      const bool is_it = srqs_.Live(srq) && srqs_[srq].xrc.number == number;
      if (is_it) return srqs_[srq].xrc.xrc_domain == xrc_domain ? srq : kNobody;
    }
    return kNobody;
  }
  void Resize(uint32_t srq, uint32_t work) { srqs_[srq].room.work = work; }
  void Limit(uint32_t srq, uint32_t limit) { srqs_[srq].limit = limit; }
  // EBUSY, which the library ignores, while a queue pair uses it: it goes with the last of them.
  void Destroy(uint32_t srq) {
    srqs_[srq].orphaned = true;
    FreeIfUnused(srq);
  }
  const Slab<Srq>& all() const { return srqs_; }
  const Srq& operator[](uint32_t srq) const { return srqs_[srq]; }

  // A queue pair uses it from now on; or no longer.
  void Join(uint32_t srq) { ++srqs_[srq].users; }
  void Leave(uint32_t srq) {
    --srqs_[srq].users;
    FreeIfUnused(srq);
  }

  // ENOMEM when it is full, EINVAL for too many elements.
  Errno Post(uint32_t srq, WorkRequest work) {
    return sim::Post(&srqs_[srq].receives, srqs_[srq].room, std::move(work));
  }
  Fifo<WorkRequest>* receives(uint32_t srq) { return &srqs_[srq].receives; }
  // True once when it holds fewer receives than its limit, which ends with that.
  // source: linux 6.1 rxe_resp.c get_srq_wqe
  bool ReachesLimit(uint32_t srq) {
    if (srqs_[srq].receives.size() >= srqs_[srq].limit) return false;
    srqs_[srq].limit = 0;
    return true;
  }

  friend bool operator==(const SharedQueues&, const SharedQueues&) = default;

 private:
  void FreeIfUnused(uint32_t srq) {
    if (srqs_[srq].orphaned && srqs_[srq].users == 0) srqs_.Free(srq);
  }

  Slab<Srq> srqs_;
  uint32_t last_number_ = 0;
};

}  // namespace cm::sim

#endif  // SIM_VERBS_SHARED_QUEUES_H_
