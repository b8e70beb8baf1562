// The state of a node's interface, as far as faults change it: what it was, what differs, and the
// commands that make it as it was.
#ifndef HW_TESTS_NODE_NETWORK_STATE_H_
#define HW_TESTS_NODE_NETWORK_STATE_H_

#include <string>
#include <variant>
#include <vector>

#include "hw_tests/node/tools.h"

namespace node {

// A line each, in the order in which they can be restored:
//
//   link up                             the interface is up
//   device rxe0 rxe                     an RDMA device on it; `rxe`: Soft-RoCE, which can be made
//   address 10.0.0.1/24                 for ever
//   addresses6 fd00::1/64 fd00::2/64    not link-local; in their order, by which sources are chosen
//   route4 10.1.0.0/16 via 10.0.0.7     as `ip route` prints it, but those of the kernel
//   neighbour 10.0.0.7 02:…:07          permanent
//   table cmcheck_veth0_1               of packet filters that stand for faults
using Facts = std::vector<std::string>;

struct Interface {
  std::string name;
  std::string devices = "/sys/class/infiniband";  // where the kernel shows RDMA devices
};

std::variant<Facts, std::string> ReadFacts(const Interface& interface, Tools& tools);

// A table of packet filters of this project's, by the number of its fault.
std::string TableName(const std::string& interface, int number);

// Which of them.
enum class Mends { kAllButDevices, kAll };

// Commands that make `now` what was `before`.
std::vector<Words> Mend(const Facts& before, const Facts& now, const std::string& interface,
                        Mends which);

// The first few facts that are not as before, as text; empty when all are.
std::string Difference(const Facts& before, const Facts& now);

}  // namespace node

#endif  // HW_TESTS_NODE_NETWORK_STATE_H_
