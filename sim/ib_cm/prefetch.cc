// Prefetching of ids and of the entries of their indices.
#include <utility>

#include "sim/ib_cm/id_table.h"

namespace cm::sim {

void IdTable::Prefetch(IbIndex ib) const {
  ids_.Prefetch(ib);
  if (ib.value() < more_.size()) FetchSoon(&more_[ib.value()]);
}

void IdTable::PrefetchNearing(std::span<const Event> coming, std::span<const Event> near) const {
  for (const Event& event : coming)
    if (event.kind() == EventKind::kMadTimer || event.kind() == EventKind::kTimewaitOver)
      ids_.Prefetch(IbIndex(event.on()));
  for (const Event& event : near) {
    const IbIndex ib(event.on());
    if (event.kind() != EventKind::kTimewaitOver || !ids_.Live(ib)) continue;
    by_cid_.Prefetch(ids_[ib].local_cid);
    ids_.PrefetchFree(ib);
    FetchSoon(&more_[ib.value()]);
  }
}

// REQ/REP: prefetch the hash bucket the new id goes into. DREQ: prefetch both lookup tables; the id
// itself four messages later.
void IdTable::PrefetchEntries(const IbContext& c, const IbId& id, const Mad& mad) {
  const bool begins = mad.kind == MadKind::kReq || mad.kind == MadKind::kRep;
  const bool ends = mad.kind == MadKind::kDreq;
  if ((begins || ends) && id.peer_device < c.fabric->device_count())
    by_remote_qpn_.Prefetch(
        HashOf(c.fabric->KernelOf(id.peer_device), c.fabric->CaOf(id.device), id.local_qpn));
  if (ends) {
    by_remote_qpn_.Prefetch(HashOf(id.kernel, id.peer_ca, id.remote_qpn));
    by_cid_.Prefetch(id.remote_cid);
    by_cid_.Prefetch(id.local_cid);
  }
  uint32_t& place = awaited_[messages_sent_++ % kMessagesAhead];
  const uint32_t cid = std::exchange(place, ends ? id.remote_cid : 0);
  if (cid != 0) ids_.Prefetch(by_cid_.Owner(cid));
}

}  // namespace cm::sim
