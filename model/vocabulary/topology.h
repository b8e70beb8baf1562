// Kernels, devices and sides: what a conversation takes place on.
#ifndef MODEL_VOCABULARY_TOPOLOGY_H_
#define MODEL_VOCABULARY_TOPOLOGY_H_

#include <cstdint>
#include <memory>
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

// A port of an RDMA device, on a network interface. Most devices have one port; those of a device
// that has more follow one another.
struct DeviceInfo {
  std::string name;    // of the RDMA device: "rxe0"
  std::string netdev;  // of the interface under it: "veth0"
  uint8_t kernel = 0;  // which kernel's; each kernel has ports, ids and devices of its own
  std::string v4;
  std::string v6;
  bool bonded = false;  // on an active-backup bond: it can fail over
  bool tester = false;  // on a kernel without a connection manager: messages are made by hand
  std::vector<HostAddress> more;  // the second address of the interface, the third and so on
  uint8_t port = 1;               // which of its device, counted from 1 as verbs count ports
  friend bool operator==(const DeviceInfo&, const DeviceInfo&) = default;

  size_t AddressCount() const { return 1 + more.size(); }
  // Empty where it has no nth address, counted from 0.
  std::string_view Host(size_t nth, bool v6_wanted) const;
};

// An application on a kernel, bound to the address of a device of it.
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
  // Devices of different hosts that no link leads between.
  std::vector<std::pair<uint8_t, uint8_t>> unlinked;
  friend bool operator==(const Topology&, const Topology&) = default;

  uint8_t KernelOf(uint8_t side) const { return devices[sides[side].device].kernel; }
  std::optional<uint8_t> SideNamed(std::string_view side) const;
  // By its first port.
  std::optional<uint8_t> DeviceNamed(std::string_view device) const;
  // The side is none of an application: it sends what it is told, and listens to nobody.
  bool IsTester(uint8_t side) const { return devices[sides[side].device].tester; }
  // The first port of the same device: the index that the device as a whole is known by.
  uint8_t FirstPortOf(uint8_t device) const {
    return static_cast<uint8_t>(device + 1 - devices[device].port);
  }
  // What the two indices stand for are ports of one device, which comes and goes whole.
  bool SameDevice(uint8_t a, uint8_t b) const { return FirstPortOf(a) == FirstPortOf(b); }
  // How many ports the device has.
  uint8_t PortsOf(uint8_t device) const;
  // "ib0" of a first port, "ib0/2" of a second one.
  std::string PortName(uint8_t device) const;
  // A way leads from one device to the other.
  bool Linked(uint8_t a, uint8_t b) const;
  // The device of the kernel over which `there` is reached: the last of those with a link to it.
  // For `there` that is no device, the last of all.
  uint8_t WayOut(uint8_t kernel, std::optional<uint8_t> there) const;
  // Of the addresses of a device, the one that something sent to the nth of another comes from.
  uint8_t AnsweringNth(uint8_t device, uint8_t nth) const;
};

// A topology that somebody holds: one of the built-in ones, or one of a conversation's own, which
// lives as long as anything refers to it.
class TopologyRef {
 public:
  TopologyRef() = default;
  TopologyRef(const Topology* built_in) : topology_(built_in) {}  // NOLINT: as a pointer is
  explicit TopologyRef(Topology own)
      : owned_(std::make_shared<const Topology>(std::move(own))), topology_(owned_.get()) {}
  const Topology& operator*() const { return *topology_; }
  const Topology* operator->() const { return topology_; }
  operator const Topology*() const { return topology_; }  // NOLINT: as a pointer is
  // Its text says no more than its name.
  bool built_in() const { return owned_ == nullptr; }

 private:
  std::shared_ptr<const Topology> owned_;
  const Topology* topology_ = nullptr;
};

inline constexpr uint8_t kActiveSide = 0;
inline constexpr uint8_t kPassiveSide = 1;

// Where applications alone are: two-kernels, one-kernel-two-devices, bond,
// one-device-two-ports.
std::span<const Topology> Topologies();
// Those, and tester, which has a peer off the rails as well.
std::span<const Topology> AllTopologies();
const Topology* FindTopology(std::string_view name);

// "passive:7471", "passive/2:7471" for its second address, "any.v6:0", "null": one text for every
// topology.
std::string ToString(const Address& address, const Topology& topology);
std::optional<Address> ParseAddress(std::string_view text, const Topology& topology);

// The numeric address, without port, that stands for `address`; empty for kNone and kBadFamily.
std::string NumericHost(const Address& address, const Topology& topology);
// The inverse, for text such as "10.0.1.1:7471", "[fd00::1]:0", "null", "af0", "af99".
std::optional<Address> AddressOfNumeric(std::string_view text, const Topology& topology);

}  // namespace cm

#endif  // MODEL_VOCABULARY_TOPOLOGY_H_
