// Serves the processes of a world: all its parts, of which each uses only those before it.
//
// Programs begin on their hosts (launcher.h). What they send is received (receiver.h), and carried
// out and answered (responder.h). When all sleep (sleep_detector.h), one of those that could go on
// is answered (turns.h), as far in virtual time as the others (time_limits.h). At last they end
// (process_ends.h).
#ifndef TOOLS_APP_SERVING_H_
#define TOOLS_APP_SERVING_H_

#include <cstdint>

#include "sim/uapi/shared_lines.h"
#include "sim/uapi/shared_time.h"
#include "sim/world/world.h"
#include "tools/app/complaints.h"
#include "tools/app/endless_runs.h"
#include "tools/app/folder.h"
#include "tools/app/kernels.h"
#include "tools/app/launcher.h"
#include "tools/app/network.h"
#include "tools/app/one_processor.h"
#include "tools/app/order.h"
#include "tools/app/orphans.h"
#include "tools/app/output.h"
#include "tools/app/pipes.h"
#include "tools/app/process_ends.h"
#include "tools/app/process_ids.h"
#include "tools/app/process_table.h"
#include "tools/app/receiver.h"
#include "tools/app/responder.h"
#include "tools/app/sleep_detector.h"
#include "tools/app/socket_notes.h"
#include "tools/app/time_limits.h"
#include "tools/app/trace.h"
#include "tools/app/turns.h"

namespace cm::app {

// The broker calls launcher, receiver, detector, ends, turns, limits and responder, and reads
// processes, kernels and complaints. The rest is wiring.
struct Serving {
  // All must outlive this object.
  Serving(sim::World* world, sim::uapi::SharedTime* time, sim::uapi::SharedLines* lines,
          Trace* trace, Order* order, const ProcessIds* ids, const Network* network,
          const Orphans* orphans, Folder own_folder, uint64_t seed, Output::Hears hears,
          SocketNotes::Sink on_socket);
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  Folder folder;
  Complaints complaints;
  OneProcessor processor;
  ProcessTable processes;
  Kernels kernels;
  EndlessRuns endless;
  SleepDetector detector;
  TimeLimits limits;
  Output output;
  Pipes pipes;
  ProcessEnds ends;
  Responder responder;
  Turns turns;
  Receiver receiver;
  Launcher launcher;
};

}  // namespace cm::app

#endif  // TOOLS_APP_SERVING_H_
