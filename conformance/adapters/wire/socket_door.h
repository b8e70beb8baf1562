// Doors of this machine: a network interface, or an end of a virtual Ethernet between two paths.
#ifndef CONFORMANCE_ADAPTERS_WIRE_SOCKET_DOOR_H_
#define CONFORMANCE_ADAPTERS_WIRE_SOCKET_DOOR_H_

#include <memory>
#include <string>
#include <variant>

#include "conformance/adapters/wire/door.h"
#include "model/mad/packet.h"

namespace cm::live {

// A network interface of this machine.
struct Interface {
  std::string name;
  mad::Mac mac{};
  uint32_t v4 = 0;  // its first address; 0 without one
};

// The interface, or the reason why it is of no use, in one line.
std::variant<Interface, std::string> FindInterface(const std::string& name);

// Whole frames of an interface; needs CAP_NET_RAW.
std::variant<std::unique_ptr<Door>, std::string> OpenInterface(const Interface& interface);
// Whole frames as datagrams between two paths, as of QEMU's -netdev dgram. The other end may come
// later. A socket that a process has left at `here` is replaced.
std::variant<std::unique_ptr<Door>, std::string> OpenPaths(const std::string& here,
                                                           const std::string& there);

// The device of this machine's own RoCE that has the address as a GID; empty without one. `folder`
// is /sys/class/infiniband.
std::string OwnRoce(uint32_t v4, const std::string& folder);

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_SOCKET_DOOR_H_
