// Look-up of a datagram service (SIDR): one request, one answer, and no state after that. source:
// linux 6.1 cm.c ib_send_cm_sidr_req, ib_send_cm_sidr_rep, cm_sidr_req_handler, cm_sidr_rep_handler
#ifndef SIM_IB_CM_SERVICE_RESOLUTION_H_
#define SIM_IB_CM_SERVICE_RESOLUTION_H_

#include <cstdint>

#include "model/base/errno.h"
#include "sim/fabric/mad.h"
#include "sim/ib_cm/context.h"
#include "sim/ib_cm/transmitter.h"

namespace cm::sim {

// Asks `to_device`, with the retransmissions of the profile. EINVAL: the id is not idle.
Errno SendSidrReq(const IbContext& c, Transmitter* tx, IbIndex ib, uint8_t to_device,
                  const Mad& req);
// Answers the request that the id stands for. EINVAL: it stands for none, it cannot send, or the
// data of `rep` are too long.
Errno SendSidrRep(const IbContext& c, Transmitter* tx, IbIndex ib, Mad rep);
// The SIDR_REP of a device that refuses the request.
Mad SidrRefusal(const IbContext& c, Mad answer, SidrStatus status);

void ReceiveSidrReq(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& req);
void ReceiveSidrRep(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& rep);

}  // namespace cm::sim

#endif  // SIM_IB_CM_SERVICE_RESOLUTION_H_
