// Connections by the iWARP CM, over TCP.
#ifndef SIM_RDMA_CM_IW_TRANSPORT_H_
#define SIM_RDMA_CM_IW_TRANSPORT_H_

#include <cstdint>

#include "sim/iw_cm/iw_cm.h"
#include "sim/rdma_cm/rdma_cm.h"
#include "sim/rdma_cm/transport.h"

namespace cm::sim {

// The context of one call of the iWARP CM, whose events go to this kernel; as IbCall.
class IwCall final : private IwCmUser {
 public:
  explicit IwCall(const KernelContext& k) : k_(k), c_{k.agenda, k.fabric, this, k.profile} {}
  IwCall(const IwCall&) = delete;
  IwCall& operator=(const IwCall&) = delete;

  operator const IwCm::Context&() const { return c_; }  // NOLINT: it stands for one

 private:
  IwVerdict OnMpaRequest(IwIndex iw, const Frame& request) override;
  void OnIwEvent(CmIdIndex id, IwEventKind kind, Depths depths, const Frame* frame) override;
  void OnIwGone(CmIdIndex id) override;

  const KernelContext& k_;
  IwCm::Context c_;
};

class IwTransport final : public CmTransport {
 public:
  Errno Connect(const KernelContext& k, CmIdIndex id, const command::Connect& cmd) const override;
  Errno Accept(const KernelContext& k, CmIdIndex id, const command::Accept& cmd) const override;
  Errno Reject(const KernelContext& k, CmIdIndex id, const command::Reject& cmd) const override;
  Errno Disconnect(const KernelContext& k, CmIdIndex id) const override;
  Errno Notify(const KernelContext& k, CmIdIndex id, uint8_t event) const override;
  Result<response::QpAttr> Attributes(const KernelContext& k, CmIdIndex id,
                                      QpState state) const override;
  bool Destroy(const KernelContext& k, CmIdIndex id) const override;
  void QueuePairBreaks(const KernelContext& k, CmIdIndex id) const override;
  bool has_pkeys() const override { return false; }
  Errno CheckJoin(const CmId& /*own*/, const Address& /*group*/) const override {
    return Errno::kNoSys;
  }
};

}  // namespace cm::sim

#endif  // SIM_RDMA_CM_IW_TRANSPORT_H_
