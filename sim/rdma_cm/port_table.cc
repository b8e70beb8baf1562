#include "sim/rdma_cm/port_table.h"

namespace cm::sim {
namespace {

constexpr uint16_t kLastEphemeralPort = 60999;

uint32_t HashOfPort(uint8_t kernel, PortSpace space, uint16_t port) {
  return HashOfKey((uint64_t{kernel} << 32) | (static_cast<uint64_t>(space) << 16) | port);
}

uint32_t HashOfPort(const CmId& id) { return HashOfPort(id.kernel, id.space, id.source.port); }

bool HasWildcard(const CmId& a, const CmId& b) {
  return a.source.AnyOrLoopback() || b.source.AnyOrLoopback();
}

// Each is of its own address family alone, and these differ.
bool OfTwoFamilies(const CmId& a, const CmId& b) {
  return a.family_only && b.family_only && a.source.v6 != b.source.v6;
}

}  // namespace

template <typename Visitor>
void PortTable::VisitOwners(const CmIds& ids, uint8_t kernel, PortSpace space, uint16_t port,
                            Visitor visitor) const {
  owners_.Visit(HashOfPort(kernel, space, port), [&](CmIdIndex id) {
    const CmId& owner = ids[id];
    if (owner.kernel == kernel && owner.space == space && owner.source.port == port)
      visitor(id, owner);
  });
}

Errno PortTable::Check(const CmIds& ids, CmIdIndex id, bool shares) const {
  const CmId& own = ids[id];
  Errno answer = Errno::kNone;
  uint32_t newest = 0;
  const auto object = [&](const CmId& owner, Errno error) {
    if (owner.took_port < newest) return;
    newest = owner.took_port;
    answer = error;
  };
  VisitOwners(ids, own.kernel, own.space, own.source.port, [&](CmIdIndex other, const CmId& owner) {
    if (other == id) return;
    if (shares && owner.shares_port) return;
    if (OfTwoFamilies(own, owner)) return;
    if (HasWildcard(own, owner)) return object(owner, Errno::kAddrNotAvail);
    if (own.source == owner.source) object(owner, Errno::kAddrInUse);
  });
  return answer;
}

bool PortTable::ListensInAnotherSpace(const CmIds& ids, CmIdIndex id) const {
  const CmId& own = ids[id];
  bool listens = false;
  for (const PortSpace space :
       {PortSpace::kIpoib, PortSpace::kTcp, PortSpace::kUdp, PortSpace::kIb}) {
    if (space == own.space) continue;
    VisitOwners(ids, own.kernel, space, own.source.port, [&](CmIdIndex, const CmId& owner) {
      const bool meets = HasWildcard(own, owner) || own.source == owner.source;
      listens |= owner.state == CmState::kListen && meets && !OfTwoFamilies(own, owner);
    });
  }
  return listens;
}

// Ports of the kernel's range, one after the other; their order has no meaning.
bool PortTable::FindEphemeralPort(CmIds* ids, CmIdIndex id) {
  Address& source = (*ids)[id].source;
  for (int tried = kFirstEphemeralPort; tried <= kLastEphemeralPort; ++tried) {
    last_ephemeral_ = last_ephemeral_ < kFirstEphemeralPort || last_ephemeral_ >= kLastEphemeralPort
                          ? kFirstEphemeralPort
                          : static_cast<uint16_t>(last_ephemeral_ + 1);
    source.port = last_ephemeral_;
    if (Check(*ids, id, false) == Errno::kNone) return true;
  }
  source.port = 0;
  return false;
}

// The programs of a conversation run as root: low ports are permitted.
Errno PortTable::Take(CmIds* ids, CmIdIndex id) {
  CmId& own = (*ids)[id];
  if (own.source.port == 0) {
    if (!FindEphemeralPort(ids, id)) return Errno::kAddrNotAvail;
  } else {
    const Errno error = Check(*ids, id, own.shares_port);
    if (error != Errno::kNone) return error;
  }
  own.owns_port = true;
  own.took_port = ++taken_;
  owners_.Add(HashOfPort(own), id);
  return Errno::kNone;
}

void PortTable::Leave(CmIds* ids, CmIdIndex id) {
  owners_.Remove(HashOfPort((*ids)[id]), id);
  (*ids)[id].owns_port = false;
}

CmIdIndex PortTable::ListenerFor(const CmIds& ids, const Topology& topology, uint8_t device,
                                 PortSpace space, const Address& destination,
                                 bool by_socket) const {
  CmIdIndex found;
  VisitOwners(ids, topology.devices[device].kernel, space, destination.port,
              [&](CmIdIndex id, const CmId& own) {
                const bool any = own.source.AnyOrLoopback();
                const bool address_fits =
                    (any && !own.family_only && !(by_socket && destination.v6 && !own.source.v6)) ||
                    (own.source.v6 == destination.v6 && (any || own.source.SameHost(destination)));
                const bool device_fits = own.device == device ||
                                         (own.device == kNoDevice && own.state == CmState::kListen);
                const bool newest = !found.valid() || ids[found].took_port < own.took_port;
                if (address_fits && device_fits && newest) found = id;
              });
  return found.valid() && ids[found].state == CmState::kListen ? found : CmIdIndex();
}

bool PortTable::Listens(const CmIds& ids, const Topology& topology, uint8_t device, PortSpace space,
                        uint16_t port) const {
  bool listens = false;
  VisitOwners(ids, topology.devices[device].kernel, space, port, [&](CmIdIndex, const CmId& own) {
    listens |= own.state == CmState::kListen &&
               (own.device == kNoDevice || topology.SameDevice(own.device, device));
  });
  return listens;
}

}  // namespace cm::sim
