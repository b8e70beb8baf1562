// Sends the messages of ids, again until they are answered, and runs the timers of ids.
//
// One message of an id waits for an answer at a time: it is retransmitted until Cancel, or given up
// when its retries are used up or it cannot be sent, which is reported to the layer above.
#ifndef SIM_IB_CM_TRANSMITTER_H_
#define SIM_IB_CM_TRANSMITTER_H_

#include <cstdint>

#include "model/base/errno.h"
#include "sim/core/slab.h"
#include "sim/fabric/mad.h"
#include "sim/ib_cm/context.h"
#include "sim/ib_cm/ib_id.h"
#include "sim/ib_cm/id_table.h"
#include "sim/ib_cm/messages.h"
#include "sim/ib_cm/port_queues.h"

namespace cm::sim {

// A message until it is answered.
struct StoredMessage {
  bool live = false;
  Mad mad;
  friend bool operator==(const StoredMessage&, const StoredMessage&) = default;
};

class Transmitter {
 public:
  IdTable& ids() { return ids_; }
  const IdTable& ids() const { return ids_; }
  // Cancels the id's message, and frees the id.
  void Free(IbIndex ib);

  // The source GID was removed when its device's bond failed over: the id can create no further
  // message. source: linux 6.1 cm.c cm_alloc_msg, observed 6.1-rxe in the lab
  static bool SourceLost(const IbContext& c, const IbId& id);
  // Each address handle of the device is in use: one for each message that waits for its answer.
  // source: linux 5.10 rxe_param.h RXE_MAX_AH
  bool HandlesTaken(const IbContext& c, uint8_t device) const {
    const uint32_t handles = c.profile->limits.max_address_handles;
    return handles != 0 && MessagesOf(device) >= handles;
  }
  // It can make no message.
  bool CannotSend(const IbContext& c, const IbId& id) const {
    return SourceLost(c, id) || HandlesTaken(c, id.device);
  }
  // Sends one message of an id; false when the send fails immediately.
  bool Send(const IbContext& c, const IbId& id, const Mad& mad) {
    ids_.PrefetchReceiver(c, id, mad);
    return c.fabric->Send(c.agenda, id.device, id.peer_device, mad);
  }

  // Sends an answer of the kernel's own, if there is a handle for it.
  void Answer(const IbContext& c, const IbId& id, const Mad& mad) {
    if (!HandlesTaken(c, id.device)) Send(c, id, mad);
  }
  // The same without an id.
  void Answer(const IbContext& c, uint8_t device, uint8_t to, const Mad& mad) const {
    if (!HandlesTaken(c, device)) c.fabric->Send(c.agenda, device, to, mad);
  }

  // Stores the message that the next call of Begin sends, in place of an earlier one. Begin without
  // it sends a DREQ, which carries nothing that the id does not know.
  Mad& Store(IbId* id, const Mad& message);
  // Sends the message of this kind until it is answered.
  void Begin(const IbContext& c, IbIndex ib, MadKind kind);
  // It is answered, or its answer is of no interest any more.
  void Cancel(IbId* id);
  // The message that waits for an answer.
  Mad MessageOf(const IbId& id) const;
  // Sends queued messages. To be called after everything that may have made room on a port.
  void SendQueued(const IbContext& c);

  // Begins to disconnect. EINVAL: it is not established; or it cannot send, and is in timewait now.
  Errno SendDreq(const IbContext& c, IbIndex ib);
  void EnterTimewait(const IbContext& c, IbIndex ib);
  void EndTimewait(const IbContext& c, IbId* id);
  void ResetToIdle(IbId* id);

  // Events of the agenda; those that are out of date are ignored.
  void OnMadTimer(const IbContext& c, IbIndex ib);
  void OnSendFailed(const IbContext& c, IbIndex ib);

  const PortQueues& ports() const { return ports_; }
  friend bool operator==(const Transmitter&, const Transmitter&) = default;

 private:
  // Those that wait for their answers.
  uint32_t MessagesOf(uint8_t device) const;
  bool IsDue(const IbContext& c, IbIndex ib) const;
  void Transmit(const IbContext& c, IbIndex ib);
  void TransmitInTurn(const IbContext& c, IbIndex ib);
  void GiveUp(const IbContext& c, IbIndex ib);
  void Exhausted(const IbContext& c, IbIndex ib);

  IdTable ids_;
  Slab<StoredMessage, MessageIndex> messages_;
  PortQueues ports_;
};

}  // namespace cm::sim

#endif  // SIM_IB_CM_TRANSMITTER_H_
