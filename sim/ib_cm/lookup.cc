// Lookup of the id of a message.
#include "sim/ib_cm/ib_cm.h"

namespace cm::sim {

uint32_t IbCm::HashOf(uint8_t kernel, uint8_t ca, uint32_t number) {
  return HashOfKey((uint64_t{kernel} << 40) | (uint64_t{ca} << 32) | number);
}

uint32_t IbCm::Create(uint8_t kernel, uint8_t device, uint32_t user, uint32_t source_since) {
  IbId id;
  id.kernel = kernel;
  id.device = device;
  id.user = user;
  id.source_since = source_since;
  id.local_cid = id.tid = NewCid();
  const uint32_t ib = ids_.Add(id);
  by_cid_.Add(id.local_cid, ib);
  if (ib == more_.size()) more_.emplace_back();
  more_[ib] = {};
  return ib;
}

void IbCm::Free(uint32_t ib) {
  IbId& id = ids_[ib];
  ForgetRemotely(&id);
  Cancel(&id);
  by_cid_.Remove(id.local_cid);
  ids_.Free(ib);
}

void IbCm::KnowRemotely(IbId* id) {
  ForgetRemotely(id);
  id->known_remotely = true;
  const uint32_t ib = ids_.PlaceOf(*id);
  by_cid_.AddKnower(id->remote_cid, ib);
  by_remote_qpn_.Add(HashOf(id->kernel, id->peer_ca, id->remote_qpn), ib);
}

void IbCm::KnowAsked(IbId* id) {
  id->asked = true;
  by_cid_.AddKnower(id->remote_cid, ids_.PlaceOf(*id));
}

void IbCm::ForgetRemotely(IbId* id) {
  const uint32_t ib = ids_.PlaceOf(*id);
  if (id->known_remotely || id->asked) by_cid_.RemoveKnower(id->remote_cid, ib);
  if (id->known_remotely)
    by_remote_qpn_.Remove(HashOf(id->kernel, id->peer_ca, id->remote_qpn), ib);
  id->known_remotely = id->asked = false;
}

// The id that a message belongs to, by both communication ids, through any device of its kernel; an
// idle id still matches. source: linux 6.1 cm.c cm_acquire_id
uint32_t IbCm::Match(const Context& c, uint8_t device, uint32_t local_cid,
                     uint32_t remote_cid) const {
  const uint32_t ib = by_cid_.Owner(local_cid);
  if (ib == kNobody) return kNobody;
  const IbId& id = ids_[ib];
  const bool here = id.kernel == c.fabric->KernelOf(device);
  return !id.dying && here && id.remote_cid == remote_cid ? ib : kNobody;
}

// The oldest of several ids.
uint32_t IbCm::FindRemoteId(uint8_t kernel, uint8_t ca, uint32_t cid) const {
  uint32_t found = kNobody;
  by_cid_.VisitKnowers(cid, [&](uint32_t ib) {
    const IbId& id = ids_[ib];
    if (id.known_remotely && id.kernel == kernel && id.peer_ca == ca && id.remote_cid == cid &&
        (found == kNobody || id.local_cid < ids_[found].local_cid))
      found = ib;
  });
  return found;
}

uint32_t IbCm::FindRemoteQp(uint8_t kernel, uint8_t ca, uint32_t qpn) const {
  uint32_t found = kNobody;
  by_remote_qpn_.Visit(HashOf(kernel, ca, qpn), [&](uint32_t ib) {
    const IbId& id = ids_[ib];
    if (id.kernel == kernel && id.peer_ca == ca && id.remote_qpn == qpn &&
        (found == kNobody || id.local_cid < ids_[found].local_cid))
      found = ib;
  });
  return found;
}

// A SIDR_REQ is identified by its number and its source LID, which over RoCE is always 0. source:
// linux 6.1 cm.c cm_insert_remote_sidr
uint32_t IbCm::FindAsked(const Context& c, uint8_t kernel, uint8_t sender, uint32_t cid) const {
  const bool has_lid = c.profile->transport == Transport::kInfiniband;
  uint32_t found = kNobody;
  by_cid_.VisitKnowers(cid, [&](uint32_t ib) {
    const IbId& id = ids_[ib];
    if (id.asked && id.kernel == kernel && (!has_lid || id.peer_device == sender) &&
        id.remote_cid == cid)
      found = ib;
  });
  return found;
}

}  // namespace cm::sim
