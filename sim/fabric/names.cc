#include "sim/fabric/names.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <bit>

namespace cm::sim {
namespace {

constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

// EUI-64 of the interface's hardware address, whose bit of a local address is inverted. source:
// linux 6.1 rxe.c rxe_init_device_param, addrconf.h addrconf_addr_eui48
std::array<uint8_t, 8> Eui64Of(uint8_t device) {
  constexpr uint8_t kLocal = 0x02;
  const Mac mac = MacOf(device);
  const auto first = static_cast<uint8_t>(mac[0] ^ kLocal);
  return {first, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]};
}

// Of the interface's own address. source: linux 6.1 roce_gid_mgmt.c
// rdma_roce_rescan_device; observed 6.1-rxe
Gid LinkLocal(uint8_t device) {
  const std::array<uint8_t, 8> last = Eui64Of(device);
  Gid gid{0xfe, 0x80};
  std::ranges::copy(last, gid.end() - last.size());
  return gid;
}

}  // namespace

Mac MacOf(uint8_t device) { return {0x52, 0x54, 0, 0, 0, static_cast<uint8_t>(device + 1)}; }

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
  return std::bit_cast<uint64_t>(Eui64Of(topology.FirstPortOf(device)));
}

Gid GidOfHost(const std::string& host) {
  Gid gid{};
  if (host.find(':') != std::string::npos) {
    inet_pton(AF_INET6, host.c_str(), gid.data());
  } else if (inet_pton(AF_INET, host.c_str(), gid.data() + kMapped.size()) == 1) {
    std::ranges::copy(kMapped, gid.begin());
  }
  return gid;
}

Gid GidOf(const Address& address, const Topology& topology) {
  return GidOfHost(NumericHost(address, topology));
}

uint32_t GidCount(const Topology& topology, uint8_t device) {
  return static_cast<uint32_t>(1 + 2 * topology.devices[device].AddressCount());
}

std::optional<Gid> GidAt(const Topology& topology, uint8_t device, uint64_t index) {
  if (index >= GidCount(topology, device)) return std::nullopt;
  if (index == 0) return LinkLocal(device);
  const bool v6 = index % 2 == 0;
  return GidOfHost(std::string(topology.devices[device].Host((index - 1) / 2, v6)));
}

// source: linux 6.1 siw_verbs.c siw_query_port, siw_query_gid
std::vector<Gid> ShownGids(const Topology& topology, uint8_t device, Transport over) {
  if (over == Transport::kIwarp) {
    const Mac mac = MacOf(device);
    Gid gid{};
    std::ranges::copy(mac, gid.begin());
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

uint32_t Last32(const Gid& gid) {
  uint32_t value = 0;
  for (size_t i = kMapped.size(); i < gid.size(); ++i) value = value << 8 | gid[i];
  return value;
}

bool IsGroup(const Gid& gid) {
  constexpr uint8_t kClassD = 0xe0;
  return gid[0] == 0xff || (IsMapped(gid) && (gid[kMapped.size()] & 0xf0) == kClassD);
}

}  // namespace cm::sim
