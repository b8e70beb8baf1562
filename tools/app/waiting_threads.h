// What threads wait for, as text.
#ifndef TOOLS_APP_WAITING_THREADS_H_
#define TOOLS_APP_WAITING_THREADS_H_

#include <string>
#include <vector>

#include "sim/uapi/machine.h"
#include "tools/app/process_table.h"

namespace cm::app {

// A line for each waiting thread: its name, and what it waits for. `one_runs_on`: a thread runs and
// sends no request.
std::vector<std::string> WaitingThreads(const ProcessTable& processes,
                                        const sim::uapi::Machine& machine, bool one_runs_on);

}  // namespace cm::app

#endif  // TOOLS_APP_WAITING_THREADS_H_
