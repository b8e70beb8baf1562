// Kernels, devices and sides: what a conversation takes place on.
#ifndef MODEL_VOCABULARY_TOPOLOGY_H_
#define MODEL_VOCABULARY_TOPOLOGY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary/address.h"

namespace cm {

// An RDMA device on a network interface, with one IPv4 and one IPv6 address.
struct DeviceInfo {
  std::string_view name;    // of the RDMA device: "rxe0"
  std::string_view netdev;  // of the interface under it: "veth0"
  uint8_t kernel = 0;       // which kernel's; each kernel has ports, ids and devices of its own
  std::string_view v4;
  std::string_view v6;
  bool bonded = false;  // on an active-backup bond: it can fail over
};

// An application on a kernel, bound to the address of a device of it.
struct SideInfo {
  std::string_view name;  // "active", "passive"
  uint8_t device = 0;     // index into devices
};

struct Topology {
  std::string_view name;
  std::string_view sentence;
  std::vector<DeviceInfo> devices;
  std::vector<SideInfo> sides;

  uint8_t KernelOf(uint8_t side) const { return devices[sides[side].device].kernel; }
  std::optional<uint8_t> SideNamed(std::string_view side) const;
};

inline constexpr uint8_t kActiveSide = 0;
inline constexpr uint8_t kPassiveSide = 1;

// two-kernels, one-kernel-two-devices, bond.
std::span<const Topology> Topologies();
const Topology* FindTopology(std::string_view name);

// "passive:7471", "any.v6:0", "null": one text for every topology.
std::string ToString(const Address& address, const Topology& topology);
std::optional<Address> ParseAddress(std::string_view text, const Topology& topology);

// The numeric address, without port, that stands for `address`; empty for kNone and kBadFamily.
std::string NumericHost(const Address& address, const Topology& topology);
// The inverse, for text such as "10.0.1.1:7471", "[fd00::1]:0", "null", "af0", "af99".
std::optional<Address> AddressOfNumeric(std::string_view text, const Topology& topology);

}  // namespace cm

#endif  // MODEL_VOCABULARY_TOPOLOGY_H_
