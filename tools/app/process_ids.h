// Process ids of each simulated host's own: a PID namespace for each host, with its own /proc.
// Where the system does not permit that, programs have the system's ids.
#ifndef TOOLS_APP_PROCESS_IDS_H_
#define TOOLS_APP_PROCESS_IDS_H_

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "conformance/process/pid_namespace.h"
#include "model/vocabulary/topology.h"

namespace cm::app {

// Must outlive all programs: its destructor waits for them.
class ProcessIds {
 public:
  explicit ProcessIds(const Topology& topology);

  bool are_of_hosts() const { return !hosts_.empty(); }
  // For Launch::process_ids.
  int On(uint8_t kernel) const { return are_of_hosts() ? hosts_[kernel].descriptor() : -1; }
  // The processes that adopt others whose parents have ended.
  std::vector<pid_t> Inits() const;

 private:
  std::vector<PidNamespace> hosts_;  // by kernel; all or none
};

}  // namespace cm::app

#endif  // TOOLS_APP_PROCESS_IDS_H_
