// What the CM does with a received message. source: linux 6.1 cm.c cm_work_handler
#ifndef SIM_IB_CM_RECEIVE_H_
#define SIM_IB_CM_RECEIVE_H_

#include <cstdint>

#include "sim/fabric/mad.h"
#include "sim/ib_cm/context.h"
#include "sim/ib_cm/transmitter.h"

namespace cm::sim {

// A message of the CM's class, form and version, which `device` has received. A message that
// belongs to no id, or that its id does not expect in its state, is ignored unless the protocol has
// an answer for it. Rows N, R and M of docs/sources/cm_protocol.md.
void Receive(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& mad);

}  // namespace cm::sim

#endif  // SIM_IB_CM_RECEIVE_H_
