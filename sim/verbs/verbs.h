// Queue pairs, as far as connecting goes: numbers and states.
#ifndef SIM_VERBS_VERBS_H_
#define SIM_VERBS_VERBS_H_

#include <cstdint>
#include <vector>

#include "model/base/errno.h"
#include "model/vocabulary/protocol.h"
#include "sim/core/slab.h"

namespace cm::sim {

struct Qp {
  bool live = false;
  bool datagram = false;
  uint8_t device = 0;
  QpState state = QpState::kReset;
  uint32_t number = 0;
  friend bool operator==(const Qp&, const Qp&) = default;
};

class Verbs {
 public:
  explicit Verbs(size_t devices) : next_number_(devices, kFirstNumber) {}

  uint32_t Create(uint8_t device, bool datagram);
  void Destroy(uint32_t qp) { qps_.Free(qp); }
  // EINVAL unless the transition is one that a queue pair may make; `connects` says whether the
  // attributes that RTR and RTS need are given.
  // `connects`: the address of a peer is given; `resolves`: what looking for the way there says.
  Errno Modify(uint32_t qp, QpState state, bool connects = false, Errno resolves = Errno::kNone);
  // RESET to INIT; `datagram`: the attributes are those of a queue pair for datagrams.
  Errno Initialize(uint32_t qp, bool datagram);
  const Qp& at(uint32_t qp) const { return qps_[qp]; }
  uint32_t live_count() const { return qps_.live_count(); }

  friend bool operator==(const Verbs&, const Verbs&) = default;

 private:
  static constexpr uint32_t kFirstNumber = 17;  // the first that a user of Soft-RoCE gets

  Slab<Qp> qps_;
  std::vector<uint32_t> next_number_;  // by device
};

}  // namespace cm::sim

#endif  // SIM_VERBS_VERBS_H_
