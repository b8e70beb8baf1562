// The steps of calls that wait: each is made at first by the call, and then by Continue.
#ifndef SIM_LIB_WAITS_H_
#define SIM_LIB_WAITS_H_

#include <cstdint>

#include "model/vocabulary/reply.h"
#include "sim/lib/calls.h"
#include "sim/lib/library.h"
#include "sim/lib/steps.h"

namespace cm::sim {

Progress FinishClose(const Context& c, Library& library, const Ongoing& ongoing);
Progress FinishDestroy(const Context& c, Library& library, Ongoing ongoing);
// Destroying a completion queue waits until as many of its events are acknowledged as were read.
// source: rdma-core 44 cma.c ucma_destroy_cqs, libibverbs/cmd_cq.c ibv_cmd_destroy_cq
Progress FinishDestroyQp(const Context& c, Library& library, const Ongoing& ongoing);
Progress FinishMigration(const Library& library, const Ongoing& ongoing);
Progress Disconnect(const Context& c, Library& library, uint32_t id);
Progress GetCmEvent(const Context& c, Library& library, uint32_t channel);
// The result of a call that started an operation with reply `started`: on a synchronous id it
// waits for the event, and returns its status. source: rdma-core 44 cma.c ucma_complete
Progress Complete(const Context& c, Library& library, uint32_t id, const Reply& started);
Progress TakeCompletion(const Context& c, Library& library, const Ongoing& ongoing);
Progress TakeRequest(const Context& c, Library& library, const Ongoing& ongoing);
Progress GoOnWithEp(const Context& c, Library& library, Ongoing ongoing);
Progress FinishLookup(const Context& c, Library& library, const Ongoing& ongoing);
Progress FinishLeaving(Library& library, const Ongoing& ongoing);
Progress TakeCqEvent(const Context& c, Library& library, const Ongoing& ongoing);

}  // namespace cm::sim

#endif  // SIM_LIB_WAITS_H_
