// The network of the programs' own sockets: nobody else is in it, and all addresses of all
// simulated hosts are its own. Where the system does not permit that, programs stay in the network
// of whoever starts them.
#ifndef TOOLS_APP_NETWORK_H_
#define TOOLS_APP_NETWORK_H_

#include "model/vocabulary/topology.h"

namespace cm::app {

// The calling thread, and what it starts, is in it until the object goes.
class Network {
 public:
  explicit Network(const Topology& topology);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  bool is_apart() const { return before_ >= 0; }

 private:
  int before_ = -1;  // the network that the thread came from
};

}  // namespace cm::app

#endif  // TOOLS_APP_NETWORK_H_
