// What commands and transports do with ids: lookup, reports, requests and the end of an id.
#ifndef SIM_RDMA_CM_IDS_H_
#define SIM_RDMA_CM_IDS_H_

#include <cstdint>

#include "model/base/errno.h"
#include "model/base/result.h"
#include "sim/rdma_cm/rdma_cm.h"

namespace cm::sim {

// The id of a handle. ENOENT for an unknown or destroyed one, EINVAL for an id of another file,
// ENXIO after its device was removed. source: linux 6.1 ucma.c ucma_get_ctx
Result<CmIdIndex> Lookup(const KernelContext& k, FileIndex file, uint32_t handle);
// Then EINVAL without a device. source: ucma.c ucma_get_ctx_dev
Result<CmIdIndex> LookupWithDevice(const KernelContext& k, FileIndex file, uint32_t handle);

// The id gets the device, and its present GID. source: cma.c cma_attach_to_dev
void Attach(const KernelContext& k, CmIdIndex id, uint8_t device);
// Binds an idle id; `destination` is null for a bind alone. Errors as command::Bind. source: cma.c
// rdma_bind_addr_dst
Errno BindTo(const KernelContext& k, CmIdIndex id, const Address& address,
             const Address* destination);

// Queues the event for the id's owner. Discards it if the owner does not know the id yet.
void Report(const KernelContext& k, CmIdIndex id, response::Event event);
// Queues the request for the listener's owner, and takes room of its backlog. `request` is the new
// id with what the message says of it; returns its index. source: cma.c cma_ib_new_conn_id
CmIdIndex ReportRequest(const KernelContext& k, CmIdIndex listener, uint8_t device, CmId request,
                        response::Event event);

// The route is resolved, or not: then the id may try again.
void RouteResolved(const KernelContext& k, CmIdIndex id);
void RouteFailed(const KernelContext& k, CmIdIndex id, Errno failure);

// The end of a join.
void ReportMembership(const KernelContext& k, MembershipIndex membership, Errno failure);
// The id is in no group any more.
void LeaveAll(const KernelContext& k, CmIdIndex id);

// Takes the id out of ports, device and transport. False while a message of it is outstanding;
// then OnTransportGone does the rest. source: cma.c _destroy_id
bool DestroyKernelId(const KernelContext& k, CmIdIndex id);
void OnTransportGone(const KernelContext& k, CmIdIndex id);

}  // namespace cm::sim

#endif  // SIM_RDMA_CM_IDS_H_
