// The transports that there are, and what most of them have in common.
#ifndef SIM_RDMA_CM_TRANSPORTS_H_
#define SIM_RDMA_CM_TRANSPORTS_H_

#include "model/vocabulary/profile.h"
#include "sim/rdma_cm/transport.h"

namespace cm::sim {

// The transport of the devices of a profile; lives for ever.
const CmTransport& TransportOf(const Profile& profile);

}  // namespace cm::sim

#endif  // SIM_RDMA_CM_TRANSPORTS_H_
