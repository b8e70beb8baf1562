#include "sim/ib_cm/id_table.h"

namespace cm::sim {

IbIndex IdTable::Create(uint8_t kernel, uint8_t device, CmIdIndex user, uint32_t source_since) {
  IbId id;
  id.kernel = kernel;
  id.device = device;
  id.user = user;
  id.source_since = source_since;
  id.local_cid = id.tid = ++last_cid_;
  const IbIndex ib = ids_.Add(id);
  by_cid_.Add(id.local_cid, ib);
  if (ib.value() == more_.size()) more_.emplace_back();
  more_[ib.value()] = {};
  return ib;
}

void IdTable::Free(IbIndex ib) {
  IbId& id = ids_[ib];
  Unindex(&id);
  by_cid_.Remove(id.local_cid);
  ids_.Free(ib);
}

void IdTable::IndexByPeer(IbId* id) {
  Unindex(id);
  id->known_remotely = true;
  const IbIndex ib = ids_.PlaceOf(*id);
  by_cid_.AddRemote(id->remote_cid, ib);
  by_remote_qpn_.Add(HashOf(id->kernel, id->peer_ca, id->remote_qpn), ib);
}

void IdTable::IndexSidrRequest(IbId* id) {
  id->asked = true;
  by_cid_.AddRemote(id->remote_cid, ids_.PlaceOf(*id));
}

void IdTable::Unindex(IbId* id) {
  const IbIndex ib = ids_.PlaceOf(*id);
  if (id->known_remotely || id->asked) by_cid_.RemoveRemote(id->remote_cid, ib);
  if (id->known_remotely)
    by_remote_qpn_.Remove(HashOf(id->kernel, id->peer_ca, id->remote_qpn), ib);
  id->known_remotely = id->asked = false;
}

IbIndex IdTable::Match(const IbContext& c, uint8_t device, uint32_t local_cid,
                       uint32_t remote_cid) const {
  const IbIndex ib = by_cid_.Owner(local_cid);
  if (!ib.valid()) return {};
  const IbId& id = ids_[ib];
  const bool here = id.kernel == c.fabric->KernelOf(device);
  return !id.dying && here && id.remote_cid == remote_cid ? ib : IbIndex();
}

IbIndex IdTable::Older(IbIndex a, IbIndex b) const {
  return !a.valid() || ids_[b].local_cid < ids_[a].local_cid ? b : a;
}

IbIndex IdTable::FindRemoteId(uint8_t kernel, uint8_t ca, uint32_t cid) const {
  IbIndex found;
  by_cid_.VisitRemotes(cid, [&](IbIndex ib) {
    const IbId& id = ids_[ib];
    if (id.known_remotely && id.kernel == kernel && id.peer_ca == ca && id.remote_cid == cid)
      found = Older(found, ib);
  });
  return found;
}

IbIndex IdTable::FindRemoteQp(uint8_t kernel, uint8_t ca, uint32_t qpn) const {
  IbIndex found;
  by_remote_qpn_.Visit(HashOf(kernel, ca, qpn), [&](IbIndex ib) {
    const IbId& id = ids_[ib];
    if (id.kernel == kernel && id.peer_ca == ca && id.remote_qpn == qpn) found = Older(found, ib);
  });
  return found;
}

IbIndex IdTable::FindSidrRequest(const IbContext& c, uint8_t kernel, uint8_t sender,
                                 uint32_t cid) const {
  const bool has_lid = c.profile->transport == Transport::kInfiniband;
  IbIndex found;
  by_cid_.VisitRemotes(cid, [&](IbIndex ib) {
    const IbId& id = ids_[ib];
    if (id.asked && id.kernel == kernel && (!has_lid || id.peer_device == sender) &&
        id.remote_cid == cid)
      found = ib;
  });
  return found;
}

}  // namespace cm::sim
