// Destroys that wait until a message of their id is given up.
#ifndef SIM_RDMA_CM_PENDING_DESTROYS_H_
#define SIM_RDMA_CM_PENDING_DESTROYS_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/rdma_cm/cm_id.h"

namespace cm::sim {

class PendingDestroys {
 public:
  // Returns the ticket for Take.
  uint32_t Add(CmIdIndex id) {
    pending_.push_back({.ticket = ++last_ticket_, .id = id});
    return last_ticket_;
  }
  // The destroy of the id is over.
  void Finish(CmIdIndex id, uint32_t events_reported) {
    for (One& one : pending_)
      if (one.id == id && !one.events_reported) one.events_reported = events_reported;
  }
  // The number of events reported, once the destroy of this ticket is over; empty before. The
  // ticket is invalid then.
  std::optional<uint32_t> Take(uint32_t ticket) {
    const auto one = std::ranges::find(pending_, ticket, &One::ticket);
    if (one == pending_.end() || !one->events_reported) return std::nullopt;
    const std::optional<uint32_t> reported = one->events_reported;
    pending_.erase(one);
    return reported;
  }
  // Drops the destroys of the ids for which `goes` holds.
  template <typename Predicate>
  void Drop(Predicate goes) {
    std::erase_if(pending_, [&](const One& one) { return goes(one.id); });
  }

  friend bool operator==(const PendingDestroys& a, const PendingDestroys& b) {
    return a.pending_ == b.pending_;
  }

 private:
  struct One {
    uint32_t ticket = 0;
    CmIdIndex id;
    std::optional<uint32_t> events_reported;  // empty while it waits
    friend bool operator==(const One&, const One&) = default;
  };

  std::vector<One> pending_;
  uint32_t last_ticket_ = 0;
};

}  // namespace cm::sim

#endif  // SIM_RDMA_CM_PENDING_DESTROYS_H_
