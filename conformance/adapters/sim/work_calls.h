// Calls on memory regions and queues, on the simulated library.
#ifndef CONFORMANCE_ADAPTERS_SIM_WORK_CALLS_H_
#define CONFORMANCE_ADAPTERS_SIM_WORK_CALLS_H_

#include "conformance/adapters/sim/sim_names.h"
#include "model/vocabulary/call.h"
#include "sim/lib/library.h"

namespace cm {

// One of the calls from rdma_create_qp_ex on.
sim::Progress MakeWorkCall(sim::Library& library, sim::Library::Context c, const SimNames& names,
                           const Call& call);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_SIM_WORK_CALLS_H_
