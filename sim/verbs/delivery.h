// What a request does where it arrives.
#ifndef SIM_VERBS_DELIVERY_H_
#define SIM_VERBS_DELIVERY_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "model/base/duration.h"
#include "sim/verbs/verbs.h"

namespace cm::sim {

// What comes of a request that arrives.
struct Reception {
  enum class What : uint8_t {
    kAnswered,  // by the peer, with the status
    kDone,      // no answer is awaited: a datagram, or something that happens here
    kNotReady,  // the peer has no receive for it
    kUnheard,   // it was lost, or its peer is gone
  };
  What what = What::kAnswered;
  WcStatus status = WcStatus::kSuccess;
};

// The arrival of a request of the queue pair `qp`, which must be live.
class Verbs::Delivery {
 public:
  Delivery(const Context& c, Verbs* verbs, uint32_t qp, WorkRequest work)
      : c_(c), v_(*verbs), qp_(qp), own_(verbs->qps_[qp]), work_(std::move(work)) {}

  // What the flight has done already it does not do again; what it brings back stands in it.
  Reception Execute(Flight* flight);
  // It comes behind one that is missing. Whether the peer finds that out, and `says` so.
  bool ComesTooEarly(Flight* flight, bool says);
  // Tells observers; `answered`: when the answer arrives, or never.
  void Note(const Flight& flight, Instant answered) const;

 private:
  bool Fetch();
  bool FindsPeer();
  Reception Datagram();
  void DatagramTo(uint32_t peer);
  // To the peer of the connection.
  Reception Send();
  Reception Write();
  Reception WriteThere();
  Reception Read(Flight* flight);
  Reception Atomic(Flight* flight);
  // Here.
  Reception OnWindow();

  Finished* FinishReceive(uint32_t peer, const WorkRequest& receive, WcStatus status,
                          uint32_t length = 0) {
    return v_.FinishReceive(peer, receive, status, work_.solicited, length);
  }
  Reception Refuse(WcStatus status);
  Reception NotReady();
  Reception Overrun();

  // The protection domain of a target of XRC is that of the shared queue.
  Protection ProtectionOf(const Qp& qp) const {
    const uint32_t srq = qp.xrc.srq;
    return {c_.fabric->CaOf(qp.device), srq == kNobody ? qp.domain : v_.srqs_[srq].xrc.domain};
  }
  bool IsLost(uint8_t to) const {
    return c_.fabric->OfData(c_.agenda->Now(), own_.device, to).lost;
  }
  bool ReachesRemote(bool Region::*permits, uint32_t access);
  bool MayWrite(const Qp& qp, const std::vector<Piece>& pieces) const {
    return v_.regions_.MayWrite(ProtectionOf(qp), pieces);
  }
  bool Scatter(const std::vector<Piece>& pieces, const std::vector<uint8_t>& bytes,
               uint32_t skip = 0) {
    return v_.regions_.Scatter(c_.memory, pieces, bytes, skip);
  }
  const Region& Remote() const { return v_.regions_[work_.remote.region]; }
  const Qp& Peer() const { return v_.qps_[peer_]; }

  const Context& c_;
  Verbs& v_;
  const uint32_t qp_;
  Qp& own_;
  WorkRequest work_;
  uint32_t peer_ = kNobody;
  DataNote::Answer answer_ = DataNote::Answer::kNone;
};

}  // namespace cm::sim

#endif  // SIM_VERBS_DELIVERY_H_
