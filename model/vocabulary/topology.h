// Topologies: the kernels, devices and sides of a conversation.
#ifndef MODEL_VOCABULARY_TOPOLOGY_H_
#define MODEL_VOCABULARY_TOPOLOGY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/vocabulary/address.h"

namespace cm {

// An address of an interface in both families.
struct HostAddress {
  std::string v4;
  std::string v6;
  friend bool operator==(const HostAddress&, const HostAddress&) = default;
};

inline constexpr size_t kMostDevices = 64;  // number of ports of a topology

// A set of them, by their indices.
using DeviceBits = uint64_t;
constexpr DeviceBits BitOfDevice(uint8_t device) { return DeviceBits{1} << device; }

// A port of an RDMA device, on a network interface. Most devices have one port; the ports of a
// device are consecutive.
struct DeviceInfo {
  std::string name;    // of the RDMA device: "rxe0"
  std::string netdev;  // of the interface under it: "veth0"
  uint8_t kernel = 0;  // index of its kernel, which has ports, ids and devices of its own
  std::string v4;
  std::string v6;
  bool bonded = false;  // on an active-backup bond: it can fail over
  bool tester = false;  // on a kernel without a connection manager: a tester sends messages
  std::vector<HostAddress> more;  // the second address of the interface, the third and so on
  uint8_t port = 1;               // number within its device, from 1 as in verbs
  friend bool operator==(const DeviceInfo&, const DeviceInfo&) = default;

  size_t AddressCount() const { return 1 + more.size(); }
  // Empty without an nth address, counted from 0.
  std::string_view Host(size_t nth, bool v6_wanted) const;
};

// An application on a kernel, with the address of one of its devices.
struct SideInfo {
  std::string name;    // "active", "passive"
  uint8_t device = 0;  // index into devices: a port
  friend bool operator==(const SideInfo&, const SideInfo&) = default;
};

struct Topology {
  std::string name;
  std::string sentence;
  std::vector<std::string> hosts;  // one a kernel
  std::vector<DeviceInfo> devices;
  std::vector<SideInfo> sides;
  // Pairs of devices of different hosts without a link.
  std::vector<std::pair<uint8_t, uint8_t>> unlinked;
  friend bool operator==(const Topology&, const Topology&) = default;

  uint8_t KernelOf(uint8_t side) const { return devices[sides[side].device].kernel; }
  std::optional<uint8_t> SideNamed(std::string_view side) const;
  // The first port of the device with that name.
  std::optional<uint8_t> DeviceNamed(std::string_view device) const;
  // The side has no application: it is a tester's.
  bool IsTester(uint8_t side) const { return devices[sides[side].device].tester; }
  // The first port of the same device: the index of the device as a whole.
  uint8_t FirstPortOf(uint8_t device) const {
    return static_cast<uint8_t>(device + 1 - devices[device].port);
  }
  // Both indices are ports of one device.
  bool SameDevice(uint8_t a, uint8_t b) const { return FirstPortOf(a) == FirstPortOf(b); }
  // The number of the device's ports.
  uint8_t PortsOf(uint8_t device) const;
  // "ib0" for a first port, "ib0/2" for a second one.
  std::string PortName(uint8_t device) const;
  // There is a link between the two devices.
  bool Linked(uint8_t a, uint8_t b) const;
  // One link, without a switch, so that its carrier is that of both: the links of a bond end at
  // one.
  bool ShareLink(uint8_t a, uint8_t b) const { return !devices[a].bonded && !devices[b].bonded; }
  // The device of the kernel over which `there` is reached: the last of those with a link to it;
  // the last of all if `there` is no device.
  uint8_t WayOut(uint8_t kernel, std::optional<uint8_t> there) const;
  // The index of the source address of a message from a device to the nth address of another.
  uint8_t AnsweringNth(uint8_t device, uint8_t nth) const;
};

inline constexpr uint8_t kActiveSide = 0;
inline constexpr uint8_t kPassiveSide = 1;

// The built-in topologies without a tester: two-kernels, one-kernel-two-devices, bond,
// one-device-two-ports.
std::span<const Topology> Topologies();
// Those, and tester, which has a faulty peer as well.
std::span<const Topology> AllTopologies();
const Topology* FindTopology(std::string_view name);

// "passive:7471", "passive/2:7471" for its second address, "any.v6:0", "null": one text for every
// topology.
std::string ToString(const Address& address, const Topology& topology);
std::optional<Address> ParseAddress(std::string_view text, const Topology& topology);

// The numeric text of `address`, without port; empty for kNone and kBadFamily.
std::string NumericHost(const Address& address, const Topology& topology);
// The inverse, for text such as "10.0.1.1:7471", "[fd00::1]:0", "null", "af0", "af99".
std::optional<Address> AddressOfNumeric(std::string_view text, const Topology& topology);

}  // namespace cm

#endif  // MODEL_VOCABULARY_TOPOLOGY_H_
