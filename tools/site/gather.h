// The facts of the host that this process runs on.
#ifndef TOOLS_SITE_GATHER_H_
#define TOOLS_SITE_GATHER_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tools/site/facts.h"

namespace cm::site {

// Ports of the RDMA devices below a folder like /sys/class/infiniband; none without it.
std::vector<Port> PortsBelow(const std::filesystem::path& folder);

// The interfaces with their addresses, by name, without the loopback.
std::vector<Interface> InterfacesOfHost();

// The interface that has the address at which sshd was reached. source: man ssh(1) SSH_CONNECTION
std::string ControlInterface(const std::vector<Interface>& interfaces,
                             std::string_view ssh_connection);

// Everything but `reached`.
HostFacts GatherFacts();

struct Pair {
  std::string from;
  std::string to;
};
// Tries to connect over TCP to the port of discard, from an address of this host: a refusal is an
// answer as well. All at once; what has not come after some seconds does not reach.
std::vector<Reached> TryToReach(const std::vector<Pair>& pairs);

}  // namespace cm::site

#endif  // TOOLS_SITE_GATHER_H_
