// The seam between rdma_cm and what carries its connections: InfiniBand, RoCE or iWARP. source:
// linux 6.1 cma.c, where rdma_cap_ib_cm, rdma_cap_iw_cm, rdma_cap_ib_sa and the like are tested
#ifndef SIM_RDMA_CM_TRANSPORT_H_
#define SIM_RDMA_CM_TRANSPORT_H_

#include <cstdint>

#include "model/base/errno.h"
#include "model/base/result.h"
#include "sim/rdma_cm/cm_id.h"
#include "sim/rdma_cm/commands.h"

namespace cm::sim {

struct KernelContext;

// Objects have no state of their own. Unless a comment says otherwise an id has a device, and the
// errors are those of the command (commands.h).
class CmTransport {
 public:
  virtual ~CmTransport() = default;

  // The connection manager.
  // Sends the request; the route is resolved.
  virtual Errno Connect(const KernelContext& k, CmIdIndex id,
                        const command::Connect& cmd) const = 0;
  // Sends the reply, or without parameters completes the active side; the id is in kConnect.
  virtual Errno Accept(const KernelContext& k, CmIdIndex id, const command::Accept& cmd) const = 0;
  virtual Errno Reject(const KernelContext& k, CmIdIndex id, const command::Reject& cmd) const = 0;
  virtual Errno Disconnect(const KernelContext& k, CmIdIndex id) const = 0;
  virtual Errno Notify(const KernelContext& k, CmIdIndex id, uint8_t event) const = 0;
  virtual Result<response::QpAttr> Attributes(const KernelContext& k, CmIdIndex id,
                                              QpState state) const = 0;
  // Ends the id's connection. False while a message of it is outstanding; OnTransportGone follows.
  virtual bool Destroy(const KernelContext& k, CmIdIndex id) const = 0;
  // The connection's queue pair was destroyed, or is in an error state.
  virtual void QueuePairBreaks(const KernelContext& /*k*/, CmIdIndex /*id*/) const {}

  // The link layer.
  virtual bool Carries(PortSpace space) const { return space != PortSpace::kIpoib; }
  // A loopback address can be resolved by the P_Keys of devices.
  virtual bool has_pkeys() const { return true; }
  // Paths lead from an interface's GID.
  virtual bool paths_need_interface() const { return false; }
  // A request to this address can be for an id. source: validate_ipv4_net_dev
  virtual bool TakesRequestsTo(const Address& /*destination*/) const { return true; }
  // The device that the id's destination is on; kNoDevice for none.
  virtual uint8_t PeerOf(const KernelContext& k, const CmId& own) const;
  // Starts a route resolution, which ends in RouteResolved or RouteFailed (ids.h), and continues it
  // at the id's `work`.
  virtual void StartRoute(const KernelContext& k, CmIdIndex id, Duration patience) const;
  virtual void ContinueRoute(const KernelContext& k, CmIdIndex id) const;
  // Whether the id, of a datagram service, may join.
  virtual Errno CheckJoin(const CmId& own, const Address& group) const = 0;
  // Starts a join, which ends in ReportMembership (ids.h), and continues it at its `work`.
  virtual void StartJoin(const KernelContext& k, MembershipIndex membership) const;
  virtual void ContinueJoin(const KernelContext& k, MembershipIndex membership) const;
};

}  // namespace cm::sim

#endif  // SIM_RDMA_CM_TRANSPORT_H_
