#include "sim/fabric/names.h"

#include <arpa/inet.h>
#include <endian.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace cm::sim {
namespace {

constexpr uint64_t kFirstGuid = 0x020000fffe000001;  // locally administered
constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

Gid Numeric(const std::string& host, bool v6) {
  Gid gid{};
  if (v6) {
    if (inet_pton(AF_INET6, host.c_str(), gid.data()) != 1) return {};
    return gid;
  }
  std::ranges::copy(kMapped, gid.begin());
  if (inet_pton(AF_INET, host.c_str(), gid.data() + kMapped.size()) != 1) return {};
  return gid;
}

}  // namespace

std::vector<uint8_t> DevicesOf(const Topology& topology, uint8_t kernel) {
  std::vector<uint8_t> devices;
  for (uint8_t device = 0; device < topology.devices.size(); ++device)
    if (topology.devices[device].kernel == kernel && topology.devices[device].port == 1)
      devices.push_back(device);
  return devices;
}

uint32_t IndexOf(const Topology& topology, uint8_t device) {
  const std::vector<uint8_t> devices = DevicesOf(topology, topology.devices[device].kernel);
  const auto own = std::ranges::find(devices, topology.FirstPortOf(device));
  return static_cast<uint32_t>(own - devices.begin());
}

uint64_t GuidOf(const Topology& topology, uint8_t device) {
  return htobe64(kFirstGuid + topology.FirstPortOf(device));
}

Gid GidOf(const Address& address, const Topology& topology) {
  return Numeric(NumericHost(address, topology), address.v6);
}

uint32_t GidCount(const Topology& topology, uint8_t device) {
  return static_cast<uint32_t>(2 * topology.devices[device].AddressCount());
}

std::optional<Gid> GidAt(const Topology& topology, uint8_t device, uint64_t index) {
  if (index >= GidCount(topology, device)) return std::nullopt;
  const bool v6 = index % 2 == 1;
  return Numeric(std::string(topology.devices[device].Host(index / 2, v6)), v6);
}

std::optional<uint8_t> DeviceWith(const Topology& topology, const Gid& gid) {
  if (gid == Gid{}) return std::nullopt;
  for (uint8_t device = 0; device < topology.devices.size(); ++device)
    for (uint32_t index = 0; index < GidCount(topology, device); ++index)
      if (GidAt(topology, device, index) == gid) return device;
  return std::nullopt;
}

bool IsMapped(const Gid& gid) { return std::equal(kMapped.begin(), kMapped.end(), gid.begin()); }

bool IsGroup(const Gid& gid) {
  constexpr uint8_t kClassD = 0xe0;
  return gid[0] == 0xff || (IsMapped(gid) && (gid[kMapped.size()] & 0xf0) == kClassD);
}

}  // namespace cm::sim
