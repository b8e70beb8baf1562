// Calls on memory regions and queues, on the simulated library.
#ifndef CONFORMANCE_ADAPTERS_SIM_WORK_CALLS_H_
#define CONFORMANCE_ADAPTERS_SIM_WORK_CALLS_H_

#include "conformance/adapters/sim/sim_names.h"
#include "model/vocabulary/call.h"
#include "sim/lib/library.h"

namespace cm::sim {

// One of the calls from rdma_create_qp_ex on.
Progress MakeWorkCall(Library& library, Library::Context c, const SimNames& names,
                      const Call& call);

}  // namespace cm::sim

#endif  // CONFORMANCE_ADAPTERS_SIM_WORK_CALLS_H_
