// The ids of all kernels: found by their own numbers and by their peers'.
//
// Look-ups return an invalid index where there is none. The indices can be rebuilt from the ids;
// equality ignores them.
#ifndef SIM_IB_CM_ID_TABLE_H_
#define SIM_IB_CM_ID_TABLE_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/agenda.h"
#include "sim/core/slab.h"
#include "sim/core/slot_table.h"
#include "sim/fabric/mad.h"
#include "sim/ib_cm/cid_table.h"
#include "sim/ib_cm/context.h"
#include "sim/ib_cm/ib_id.h"

namespace cm::sim {

class IdTable {
 public:
  // An idle id with the next communication id. `source_since`: the number of fail-overs of the
  // device's bond when the id got its GID.
  IbIndex Create(uint8_t kernel, uint8_t device, CmIdIndex user, uint32_t source_since);
  void Free(IbIndex ib);

  // The id must be live.
  IbId& operator[](IbIndex ib) { return ids_[ib]; }
  const IbId& operator[](IbIndex ib) const { return ids_[ib]; }
  IbMore& more(IbIndex ib) { return more_[ib.value()]; }
  const IbMore& more(IbIndex ib) const { return more_[ib.value()]; }
  IbIndex PlaceOf(const IbId& id) const { return ids_.PlaceOf(id); }
  bool Live(IbIndex ib) const { return ids_.Live(ib); }
  uint32_t live_count() const { return ids_.live_count(); }
  auto All() const { return ids_.All(); }

  // The id that a message belongs to, by both communication ids, through any device of its kernel;
  // an idle id still matches. source: linux 6.1 cm.c cm_acquire_id
  IbIndex Match(const IbContext& c, uint8_t device, uint32_t local_cid, uint32_t remote_cid) const;
  // The oldest id whose peer, at the channel adapter `ca`, has this communication id or queue pair.
  // source: linux 6.1 cm.c cm_find_remote_id, cm_insert_remote_qpn
  IbIndex FindRemoteId(uint8_t kernel, uint8_t ca, uint32_t cid) const;
  IbIndex FindRemoteQp(uint8_t kernel, uint8_t ca, uint32_t qpn) const;
  // The id of an unanswered SIDR_REQ, by its number and its source LID, which over RoCE is always
  // 0. source: linux 6.1 cm.c cm_insert_remote_sidr
  IbIndex FindSidrRequest(const IbContext& c, uint8_t kernel, uint8_t sender, uint32_t cid) const;

  static void SetPeer(const IbContext& c, IbId* id, uint8_t peer_device) {
    id->peer_device = peer_device;
    id->peer_ca = c.fabric->CaOf(peer_device);
  }
  // Puts the id into the indices by its peer's numbers; takes it out again.
  void IndexByPeer(IbId* id);
  void IndexSidrRequest(IbId* id);
  void Unindex(IbId* id);

  // Prefetching changes neither a state nor an order. It pays when there are so many ids that they
  // are hardly in the cache.
  //
  // What the timers of near events will read; those that are `near` were `coming` before.
  void PrefetchNearing(std::span<const Event> coming, std::span<const Event> near) const;
  void Prefetch(IbIndex ib) const;
  // What the receiver of a message will read.
  void PrefetchReceiver(const IbContext& c, const IbId& id, const Mad& mad) {
    if (ids_.end() >= kVast) PrefetchEntries(c, id, mad);
  }

  friend bool operator==(const IdTable& a, const IdTable& b) {
    return a.ids_ == b.ids_ && a.more_ == b.more_ && a.last_cid_ == b.last_cid_;
  }

 private:
  static constexpr uint32_t kVast = 1 << 15;
  // Distance, in messages, between prefetching the index entry and prefetching the receiver.
  static constexpr uint32_t kMessagesAhead = 4;

  // Key of a number that a peer has chosen, for a kernel.
  static uint32_t HashOf(uint8_t kernel, uint8_t ca, uint32_t number) {
    return HashOfKey((uint64_t{kernel} << 40) | (uint64_t{ca} << 32) | number);
  }
  IbIndex Older(IbIndex a, IbIndex b) const;
  void PrefetchEntries(const IbContext& c, const IbId& id, const Mad& mad);

  Slab<IbId, IbIndex> ids_;
  std::vector<IbMore, LargeMemory<IbMore>> more_;  // by id
  CidTable by_cid_;
  SlotTable<IbIndex> by_remote_qpn_;
  uint32_t last_cid_ = 0;
  // The communication ids of the last messages that end connections; else 0.
  std::array<uint32_t, kMessagesAhead> awaited_{};
  uint32_t messages_sent_ = 0;
};

}  // namespace cm::sim

#endif  // SIM_IB_CM_ID_TABLE_H_
