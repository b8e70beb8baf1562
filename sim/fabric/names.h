// Identity of devices and addresses in APIs and packets: hardware address, GUID, index and GID.
#ifndef SIM_FABRIC_NAMES_H_
#define SIM_FABRIC_NAMES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/vocabulary/address.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace cm::sim {

using Gid = std::array<uint8_t, 16>;
using Mac = std::array<uint8_t, 6>;

// Of the interface under a port: GUIDs and GIDs are made of it.
Mac MacOf(uint8_t device);

// The devices of a kernel, each by its first port, in the order of its list; a device's index is
// its position.
std::vector<uint8_t> DevicesOf(const Topology& topology, uint8_t kernel);
uint32_t IndexOf(const Topology& topology, uint8_t device);

// In network byte order, as verbs shows it. Ports of one device have the same.
uint64_t GuidOf(const Topology& topology, uint8_t device);

// Of a numeric address; one of IPv4 is mapped into IPv6. Zeros for another text.
Gid GidOfHost(const std::string& host);
// The same; zeros for an address without a number.
Gid GidOf(const Address& address, const Topology& topology);

// A port's GID table: the link-local one, and for each address of its interface, IPv4 and IPv6.
uint32_t GidCount(const Topology& topology, uint8_t device);
std::optional<Gid> GidAt(const Topology& topology, uint8_t device, uint64_t index);
// The table as programs see it: over iWARP a port has one GID, its interface's hardware address.
std::vector<Gid> ShownGids(const Topology& topology, uint8_t device, Transport over);
// The place in it of the interface's nth address.
uint32_t IndexOfGid(size_t nth, bool v6);
// From where a datagram to that GID comes.
Gid SourceGid(const Topology& topology, uint8_t device, const Gid& to);
std::optional<uint8_t> DeviceWith(const Topology& topology, const Gid& gid);

bool IsMapped(const Gid& gid);
// The IPv4 address of a mapped one.
uint32_t Last32(const Gid& gid);
// For a group, also an IPv4 one.
bool IsGroup(const Gid& gid);

}  // namespace cm::sim

#endif  // SIM_FABRIC_NAMES_H_
