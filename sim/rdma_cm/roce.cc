// Routes and groups over RoCE: everything is local, without queries. source: linux 6.1 cma.c
// cma_resolve_iboe_route, cma_iboe_join_multicast
#include "sim/rdma_cm/ib_transport.h"
#include "sim/rdma_cm/ids.h"

namespace cm::sim {

void RoceTransport::StartRoute(const KernelContext& k, CmIdIndex id, Duration patience) const {
  CmId& own = k.cma->ids[id];
  own.num_paths = 1;
  own.packet_lifetime = static_cast<uint8_t>(k.profile->timing.packet_lifetime);
  if (own.ack_timeout != 0) own.packet_lifetime = static_cast<uint8_t>(own.ack_timeout - 1);
  own.neighbour_tracked = k.profile->dialect.neighbour_changes_are_told;
  const uint8_t there = PeerOf(k, own);
  if (k.profile->dialect.refused_resolve_clears_destination) own.path_to = there;
  if (there != kNoDevice) own.peer_fail_overs = k.fabric->device(there).fail_overs;
  own.resolved_wrong_neighbour = k.fabric->NeighbourWrong(own.interface, there);
  IbTransport::StartRoute(k, id, patience);
}

Errno RoceTransport::CheckJoin(const CmId& own, const Address& group) const {
  if (group.kind == AddressKind::kAny) return Errno::kInval;
  if (own.interface == kNoDevice) return Errno::kNoDev;
  return group.v6 ? Errno::kNotSupp : Errno::kNone;
}

// The GID was removed when the bond failed over. source: linux 6.1 sa_query.c
// roce_resolve_route_from_path
bool RoceTransport::SourceLost(const KernelContext& k, const CmId& own) const {
  return own.interface != kNoDevice && own.source_since != k.fabric->device(own.device).fail_overs;
}

bool RoceTransport::ResolvesPeers(const KernelContext& k, const CmId& own) const {
  return k.fabric->device(own.device).up;
}

}  // namespace cm::sim
