// A private network namespace for the programs' own sockets, with all addresses of all simulated
// hosts. Where the system does not permit that, programs stay in the namespace of cmcheck.
#ifndef TOOLS_APP_NETWORK_H_
#define TOOLS_APP_NETWORK_H_

#include "model/vocabulary/topology.h"

namespace cm::app {

// The calling thread, and the processes that it starts, are in the namespace until the object is
// destroyed.
class Network {
 public:
  explicit Network(const Topology& topology);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  bool is_apart() const { return before_ >= 0; }

 private:
  int before_ = -1;  // the thread's original namespace
};

}  // namespace cm::app

#endif  // TOOLS_APP_NETWORK_H_
