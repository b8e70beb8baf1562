// The messages that follow from an id, or from the message that they answer.
#ifndef SIM_IB_CM_MESSAGES_H_
#define SIM_IB_CM_MESSAGES_H_

#include <cstdint>

#include "model/vocabulary/protocol.h"
#include "sim/fabric/mad.h"
#include "sim/ib_cm/ib_id.h"

namespace cm::sim {

// A message of the id to its peer, in the transaction that the peer began.
Mad MessageFrom(const IbId& id, MadKind kind);
// A DREQ, which begins a transaction of its own.
Mad DreqFrom(const IbId& id);
Mad RejFrom(const IbId& id, About about, RejReason reason);
// The MRA that answers a repeated message; `service_timeout` is an exponent.
Mad MraFrom(const IbId& id, About about, int service_timeout);

// An answer of a device without an id to a message.
Mad AnswerTo(const Mad& mad, uint8_t device, MadKind kind);

}  // namespace cm::sim

#endif  // SIM_IB_CM_MESSAGES_H_
