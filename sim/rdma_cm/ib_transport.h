// Connections by the IB CM, over InfiniBand with its SA and over RoCE with the host's addresses.
#ifndef SIM_RDMA_CM_IB_TRANSPORT_H_
#define SIM_RDMA_CM_IB_TRANSPORT_H_

#include <cstdint>

#include "sim/fabric/mad.h"
#include "sim/ib_cm/ib_cm.h"
#include "sim/rdma_cm/rdma_cm.h"
#include "sim/rdma_cm/transport.h"

namespace cm::sim {

// The context of one call of the IB CM, whose events go to this kernel: `ib->SendRtu(IbCall(k),
// id)`. `k` must outlive it.
class IbCall final : private IbCmUser {
 public:
  explicit IbCall(const KernelContext& k) : k_(k), c_{k.agenda, k.fabric, this, k.profile} {}
  IbCall(const IbCall&) = delete;
  IbCall& operator=(const IbCall&) = delete;

  operator const IbCm::Context&() const { return c_; }  // NOLINT: it stands for one

 private:
  bool Listens(uint8_t device, const Mad& req) override;
  RequestVerdict OnRequest(IbIndex ib, uint8_t device, const Mad& req) override;
  void OnIbEvent(CmIdIndex id, IbEventKind kind, const Mad* mad) override;
  void OnIbGone(CmIdIndex id) override;

  const KernelContext& k_;
  IbCm::Context c_;
};

// What both link layers have in common.
class IbTransport : public CmTransport {
 public:
  Errno Connect(const KernelContext& k, CmIdIndex id, const command::Connect& cmd) const override;
  Errno Accept(const KernelContext& k, CmIdIndex id, const command::Accept& cmd) const override;
  Errno Reject(const KernelContext& k, CmIdIndex id, const command::Reject& cmd) const override;
  Errno Disconnect(const KernelContext& k, CmIdIndex id) const override;
  Errno Notify(const KernelContext& k, CmIdIndex id, uint8_t event) const override;
  Result<response::QpAttr> Attributes(const KernelContext& k, CmIdIndex id,
                                      QpState state) const override;
  bool Destroy(const KernelContext& k, CmIdIndex id) const override;

 private:
  // The id's source GID was removed.
  virtual bool SourceLost(const KernelContext& /*k*/, const CmId& /*own*/) const { return false; }
  // It can make no request.
  bool CannotAsk(const KernelContext& k, const CmId& own) const;
  // Where its request goes; kNoDevice: nowhere.
  uint8_t DeviceAskedBy(const KernelContext& k, const CmId& own) const;
  // The peer's address can be resolved for a queue pair.
  virtual bool ResolvesPeers(const KernelContext& /*k*/, const CmId& /*own*/) const { return true; }

  Errno ConnectDatagram(const KernelContext& k, CmIdIndex id, const command::Connect& cmd) const;
  static Errno AcceptDatagram(const KernelContext& k, CmIdIndex id, const command::Accept& cmd);
  static Errno RejectDatagram(const KernelContext& k, CmIdIndex id, const PrivateData& data);
};

// infiniband.cc
class InfinibandTransport final : public IbTransport {
 public:
  Result<response::QpAttr> Attributes(const KernelContext& k, CmIdIndex id,
                                      QpState state) const override;
  bool Carries(PortSpace /*space*/) const override { return true; }
  bool TakesRequestsTo(const Address& destination) const override {
    return !destination.AnyOrLoopback();
  }
  uint8_t PeerOf(const KernelContext& k, const CmId& own) const override;
  void StartRoute(const KernelContext& k, CmIdIndex id, Duration patience) const override;
  void ContinueRoute(const KernelContext& k, CmIdIndex id) const override;
  Errno CheckJoin(const CmId& own, const Address& group) const override;
  void StartJoin(const KernelContext& k, MembershipIndex membership) const override;
  void ContinueJoin(const KernelContext& k, MembershipIndex membership) const override;
};

// roce.cc
class RoceTransport final : public IbTransport {
 public:
  bool paths_need_interface() const override { return true; }
  void StartRoute(const KernelContext& k, CmIdIndex id, Duration patience) const override;
  Errno CheckJoin(const CmId& own, const Address& group) const override;

 private:
  bool SourceLost(const KernelContext& k, const CmId& own) const override;
  bool ResolvesPeers(const KernelContext& k, const CmId& own) const override;
};

}  // namespace cm::sim

#endif  // SIM_RDMA_CM_IB_TRANSPORT_H_
