// The simulated kernels of all hosts, as programs reach them: by requests, by their clock, and by
// sockets.
#ifndef TOOLS_APP_KERNELS_H_
#define TOOLS_APP_KERNELS_H_

#include <utility>

#include "model/base/duration.h"
#include "sim/uapi/foresight.h"
#include "sim/uapi/machine.h"
#include "sim/uapi/shared_time.h"
#include "sim/world/world.h"
#include "tools/app/process_table.h"
#include "tools/app/program_memory.h"
#include "tools/app/socket_ends.h"
#include "tools/app/socket_links.h"
#include "tools/app/socket_notes.h"

namespace cm::app {

struct Kernels {
  // All must outlive this object.
  Kernels(sim::World* simulated, sim::uapi::SharedTime* shared, const ProcessTable* processes,
          SocketNotes::Sink on_socket)
      : world(simulated),
        shared_time(shared),
        memory(processes),
        machine(simulated, &memory),
        foresight(&machine),
        sockets(simulated, std::move(on_socket)),
        socket_ends(&sockets, processes, &simulated->topology()) {}

  Instant Now() const { return world->Now(); }

  sim::World* world;
  sim::uapi::SharedTime* shared_time;
  ProgramMemory memory;
  sim::uapi::Machine machine;
  sim::uapi::Foresight foresight;
  SocketLinks sockets;
  SocketEnds socket_ends;
};

}  // namespace cm::app

#endif  // TOOLS_APP_KERNELS_H_
