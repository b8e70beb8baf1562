// The ends of TCP connections of a process that ends without closing its sockets: they take their
// way over the links, as those of close(2).
//
// 1. Before a process ends by itself, and before a signal that would end it, its sockets are
//    duplicated. So the system does not close them with the process.
// 2. When it has ended, they are closed, but for those that another process has as well.
// 3. A process that asks for anything after a signal has survived it: its duplicates are closed.
// 4. Before a process executes another program, its sockets that close at exec are duplicated, too.
//    They are closed when its connections to the broker have been, as these close at exec as well.
//    A process that fails to execute says so.
#ifndef TOOLS_APP_SOCKET_ENDS_H_
#define TOOLS_APP_SOCKET_ENDS_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "conformance/process/descriptor.h"
#include "model/base/duration.h"
#include "model/vocabulary/topology.h"
#include "sim/uapi/request.h"
#include "tools/app/process_table.h"
#include "tools/app/socket_links.h"

namespace cm::app {

class SocketEnds {
 public:
  // All must outlive this object.
  SocketEnds(SocketLinks* links, const ProcessTable* processes, const Topology* topology)
      : links_(links), processes_(processes), topology_(topology) {}

  // The process has asked for kMayEnd: duplicates of its sockets are kept.
  void MayEnd(const Process& asking, const sim::uapi::CarryRecord& record);
  // The process has asked for kExecutes.
  void Executes(const Process& asking, const sim::uapi::CarryRecord& record);
  // It has no connection left: if it was about to execute another program, it has.
  void HasDisconnected(const Process& process);
  // The process has asked for something else: it lives, and its duplicates are closed.
  void Asks(const Process& process);
  // The process has ended. If its host has crashed, nothing takes its way.
  void HasEnded(const Process& process);

 private:
  struct Kept {
    std::vector<Descriptor> sockets;
    bool surely = false;  // it ends by itself
    Instant at;
  };

  void Keep(const Process& process, bool surely, Instant at);
  Descriptor Duplicate(const Process& process, int pidfd, int fd) const;
  std::set<uint64_t> OfOthers(const Process& process) const;
  void Close(std::vector<Descriptor> sockets, const Process& process, Instant at);

  SocketLinks* links_;
  const ProcessTable* processes_;
  const Topology* topology_;
  // By the number of the process.
  std::map<uint32_t, Kept> kept_;
  std::map<uint32_t, Kept> executing_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_SOCKET_ENDS_H_
