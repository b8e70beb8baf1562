// The simulated IB CM: messages, timers and timewait of connection identifiers, as Linux has them.
//
// One object serves all kernels of a world; an id belongs to one of them and reaches the ids of
// others through messages alone. Its state is a value, and everything else comes with a call.
// Rows are those of docs/sources/cm_protocol.md. Ids given to a function must be live.
#ifndef SIM_IB_CM_IB_CM_H_
#define SIM_IB_CM_IB_CM_H_

#include <cstdint>

#include "model/base/errno.h"
#include "model/base/result.h"
#include "model/vocabulary/protocol.h"
#include "sim/fabric/mad.h"
#include "sim/ib_cm/context.h"
#include "sim/ib_cm/ib_id.h"
#include "sim/ib_cm/id_table.h"
#include "sim/ib_cm/transmitter.h"
#include "sim/ib_cm/work_queues.h"

namespace cm::sim {

// State, access flags, P_Key index and port: the attributes for INIT.
inline constexpr uint32_t kInitAttrMask = 0x39;
inline constexpr uint32_t kDatagramAttrMask = 0x71;

class IbCm {
 public:
  using Context = IbContext;

  // An idle id; see IdTable::Create. source: linux 6.1 cm.c ib_create_cm_id
  IbIndex Create(uint8_t kernel, uint8_t device, CmIdIndex user, uint32_t source_since) {
    return tx_.ids().Create(kernel, device, user, source_since);
  }
  const IbId& at(IbIndex ib) const { return ids()[ib]; }
  void SetUser(IbIndex ib, CmIdIndex user) { tx_.ids()[ib].user = user; }

  // Rows L. They return kNone, or EINVAL in a state where the message cannot be sent, or (except
  // SendReq) when the address that the id sends from is gone; then the id is as it was, but after
  // SendRej and SendDreq in the state that the message leads to.
  //
  // `packet_lifetime` of the path: an exponent. source: linux 6.1 cm.c ib_send_cm_req
  Errno SendReq(const Context& c, IbIndex ib, uint8_t to_device, uint8_t packet_lifetime,
                const Mad& req);
  // source: linux 6.1 cm.c ib_send_cm_rep
  Errno SendRep(const Context& c, IbIndex ib, const Mad& rep);
  // source: linux 6.1 cm.c ib_send_cm_rtu
  Errno SendRtu(const Context& c, IbIndex ib);
  // EINVAL for too long data as well. source: linux 6.1 cm.c ib_send_cm_rej
  Errno SendRej(const Context& c, IbIndex ib, RejReason reason, const PrivateData& data);
  // source: linux 6.1 cm.c ib_send_cm_dreq
  Errno SendDreq(const Context& c, IbIndex ib) { return tx_.SendDreq(c, ib); }
  // kNone although it cannot be sent. source: linux 6.1 cm.c ib_send_cm_drep
  Errno SendDrep(const Context& c, IbIndex ib);
  // source: linux 6.1 cm.c ib_send_cm_sidr_req
  Errno SendSidrReq(const Context& c, IbIndex ib, uint8_t to_device, const Mad& req);
  // EINVAL for too long data as well. source: linux 6.1 cm.c ib_send_cm_sidr_rep
  Errno SendSidrRep(const Context& c, IbIndex ib, Mad rep);

  // The application reports `event` (call::Notify) of the queue pair. EISCONN: COMM_EST of an
  // established connection. EINVAL: another event than COMM_EST and PATH_MIG, or in another state.
  // source: linux 6.1 cm.c ib_cm_notify
  Errno Notify(const Context& c, IbIndex ib, uint8_t event);
  // The mask of attributes that a queue pair needs for INIT, RTR or RTS. EINVAL: the id is not in a
  // state for that. source: linux 6.1 cm.c ib_cm_init_qp_attr
  Result<uint32_t> InitQpAttr(IbIndex ib, QpState state) const;
  // The address that the id sends from is gone.
  bool SourceLost(const Context& c, IbIndex ib) const { return tx_.SourceLost(c, at(ib)); }
  // Rows D. False when it waits until the outstanding message is given up; then OnIbGone is called.
  // source: linux 6.1 cm.c cm_destroy_id
  bool Destroy(const Context& c, IbIndex ib);
  // Drops everything of the kernel, without notifications. Communication ids continue from their
  // last value: after a restart none is one that a peer may still know.
  void Crash(const Context& c, uint8_t kernel);

  // Rows N, R and M: a message that `device` has received.
  void Receive(const Context& c, uint8_t device, const Mad& mad);
  // The same, for a device whose kernel is busy.
  void Postpone(const Context& c, uint8_t device, const Mad& mad);
  // Events of the agenda; those that are out of date are ignored.
  void OnWorkGoesOn(const Context& c, uint8_t kernel);
  void OnMadTimer(const Context& c, IbIndex ib) { tx_.OnMadTimer(c, ib); }
  void OnTimewaitOver(const Context& c, IbIndex ib);
  void OnSendFailed(const Context& c, IbIndex ib) { tx_.OnSendFailed(c, ib); }

  const IdTable& ids() const { return tx_.ids(); }
  const Transmitter& transmitter() const { return tx_; }
  const WorkQueues& work() const { return work_; }
  friend bool operator==(const IbCm&, const IbCm&) = default;

 private:
  void Process(const Context& c, uint8_t device, const Mad& mad);

  Transmitter tx_;
  WorkQueues work_;
};

}  // namespace cm::sim

#endif  // SIM_IB_CM_IB_CM_H_
