#include "sim/fabric/names.h"

#include <arpa/inet.h>
#include <endian.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace cm::sim {
namespace {

// Of an interface with the address 02:00:00:00:00:01, as the interfaces of the lab have. source:
// linux 6.1 rxe.c rxe_init_device_param
constexpr uint64_t kFirstGuid = 0x000000fffe000001;
constexpr size_t kHardwareAddress = 6;  // its bytes
constexpr uint64_t kLinkLocal = 0xfe80000000000000;
constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

// Of the interface's own address. source: linux 6.1 roce_gid_mgmt.c
// rdma_roce_rescan_device; observed 6.1-rxe
Gid LinkLocal(uint8_t device) {
  const std::array<uint64_t, 2> words = {htobe64(kLinkLocal), htobe64(kFirstGuid + device)};
  Gid gid{};
  std::memcpy(gid.data(), words.data(), gid.size());
  return gid;
}

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
  return static_cast<uint32_t>(1 + 2 * topology.devices[device].AddressCount());
}

std::optional<Gid> GidAt(const Topology& topology, uint8_t device, uint64_t index) {
  if (index >= GidCount(topology, device)) return std::nullopt;
  if (index == 0) return LinkLocal(device);
  const bool v6 = index % 2 == 0;
  return Numeric(std::string(topology.devices[device].Host((index - 1) / 2, v6)), v6);
}

// source: linux 6.1 siw_verbs.c siw_query_port, siw_query_gid
std::vector<Gid> ShownGids(const Topology& topology, uint8_t device, Transport over) {
  if (over == Transport::kIwarp) {
    Gid gid{0x02};
    gid[kHardwareAddress - 1] = static_cast<uint8_t>(kFirstGuid + device);
    return {gid};
  }
  std::vector<Gid> gids;
  for (uint32_t index = 0; index < GidCount(topology, device); ++index)
    gids.push_back(GidAt(topology, device, index).value_or(Gid{}));
  return gids;
}

uint32_t IndexOfGid(size_t nth, bool v6) {
  return static_cast<uint32_t>(1 + 2 * nth + (v6 ? 1 : 0));
}

Gid SourceGid(const Topology& topology, uint8_t device, const Gid& to) {
  const bool link_local = to[0] == 0xfe && to[1] == 0x80;
  return GidAt(topology, device, link_local ? 0 : IndexOfGid(0, !IsMapped(to))).value_or(Gid{});
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
