// What devices and addresses are called where programs and packets name them: by GUID, index and
// GID.
#ifndef SIM_FABRIC_NAMES_H_
#define SIM_FABRIC_NAMES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/vocabulary/address.h"
#include "model/vocabulary/topology.h"

namespace cm::sim {

using Gid = std::array<uint8_t, 16>;

// The devices of a kernel, each by its first port, in the order of its list; a device's index is
// its place there.
std::vector<uint8_t> DevicesOf(const Topology& topology, uint8_t kernel);
uint32_t IndexOf(const Topology& topology, uint8_t device);

// As verbs show it: in the order of the network. Ports of one device have one.
uint64_t GuidOf(const Topology& topology, uint8_t device);

// An IPv4 address is mapped; zeros for an address that has no number.
Gid GidOf(const Address& address, const Topology& topology);

// A port's table: of each address of its interface, that of IPv4 and that of IPv6.
uint32_t GidCount(const Topology& topology, uint8_t device);
std::optional<Gid> GidAt(const Topology& topology, uint8_t device, uint64_t index);
std::optional<uint8_t> DeviceWith(const Topology& topology, const Gid& gid);

bool IsMapped(const Gid& gid);
// Of a group, also of one of IPv4.
bool IsGroup(const Gid& gid);

}  // namespace cm::sim

#endif  // SIM_FABRIC_NAMES_H_
