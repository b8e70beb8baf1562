// What one id of a library is tied to: the relations that World::Fingerprint leaves out.
#include "model/base/digest.h"
#include "sim/world/fingerprint_parts.h"

namespace cm::sim::parts {
namespace {

// Whether the message is one between the two ends, or of one that has no peer yet.
bool IsOf(const Packet& packet, const IbId& ib) {
  const bool sent = packet.from == ib.device && packet.mad.local_cid == ib.local_cid;
  const bool answered = packet.to == ib.device && packet.mad.remote_cid == ib.local_cid;
  return ib.local_cid != 0 && (sent || answered);
}

}  // namespace

uint64_t HashOf(const Library& library, uint32_t id, const Below& below, Instant now) {
  if (!library.ids.Live(id)) return 0;
  const UserId& user = library.ids[id];
  Digest d;
  d.U64(HashOf(user));
  d.U32(user.channel);
  if (user.qp != kNobody && below.verbs.qps().Live(user.qp))
    d.U64(HashOf(below.verbs.at(user.qp), below.verbs.srqs(), now));
  for (const uint32_t e : library.events.All())
    if (library.events[e].credits == id) d.U64(HashOf(library.events[e], library));
  const CmIdIndex handle(user.handle);
  if (!below.cma.ids.Live(handle)) return d.Value();
  const CmId& kernel_id = below.cma.ids[handle];
  d.U64(HashOf(kernel_id, below.ib, below.iw, now));
  // Where its events stand among all of their channel.
  for (const FileIndex f : below.cma.files.All()) {
    uint32_t place = 0;
    for (const QueuedEvent& queued : below.cma.files[f].queue) {
      ++place;
      if (queued.on != handle) continue;
      d.U32(place);
      Put(&d, queued.event);
    }
  }
  if (!kernel_id.ib.valid()) return d.Value();
  const IbId& ib = below.ib.at(kernel_id.ib);
  const Slab<Packet>& packets = below.fabric.packets();
  for (const uint32_t p : packets.All())
    if (IsOf(packets[p], ib)) d.U64(HashOf(below.fabric, p, now));
  for (const CmIdIndex other : below.cma.ids.All()) {
    if (other == handle || !below.cma.ids[other].ib.valid()) continue;
    const IbId& peer = below.ib.at(below.cma.ids[other].ib);
    const bool known = ib.remote_cid != 0 && peer.local_cid == ib.remote_cid;
    const bool knows = peer.remote_cid != 0 && peer.remote_cid == ib.local_cid;
    if (peer.device != ib.peer_device || (!known && !knows)) continue;
    d.U64(HashOf(below.cma.ids[other], below.ib, below.iw, now));
  }
  return d.Value();
}

}  // namespace cm::sim::parts
