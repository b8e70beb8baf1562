#include "tools/app/device_files.h"

#include <endian.h>
#include <fmt/format.h>

#include <cstddef>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/fabric/names.h"

namespace cm::app {
namespace {

namespace fs = std::filesystem;

using Files = std::vector<std::pair<std::string, std::string>>;

// Four digits each, with colons between.
std::string GuidText(uint64_t in_network_order) {
  const uint64_t guid = be64toh(in_network_order);
  return fmt::format("{:04x}:{:04x}:{:04x}:{:04x}", guid >> 48U, guid >> 32U & 0xffffU,
                     guid >> 16U & 0xffffU, guid & 0xffffU);
}

std::string GidText(const sim::Gid& gid) {
  std::string text;
  for (size_t i = 0; i < gid.size(); ++i)
    text += fmt::format("{}{:02x}", i > 0 && i % 2 == 0 ? ":" : "", gid[i]);
  return text;
}

// source: linux 6.1 sysfs.c show_port_gid_attr, show_port_gid
void AddGids(const Topology& topology, uint8_t port, Transport over, Files* files) {
  const std::vector<sim::Gid> gids = sim::ShownGids(topology, port, over);
  for (size_t i = 0; i < gids.size(); ++i) {
    files->emplace_back(fmt::format("gids/{}", i), GidText(gids[i]));
    files->emplace_back(fmt::format("gid_attrs/types/{}", i),
                        over == Transport::kRoce ? "RoCE v2" : "IB/RoCE v1");
    files->emplace_back(fmt::format("gid_attrs/ndevs/{}", i), topology.devices[port].netdev);
  }
}

// The numbers of devices.cc of //sim/fake_libibverbs. source: linux 6.1 sysfs.c state_show,
// phys_state_show, rate_show, cap_mask_show, link_layer_show
Files FilesOfPort(const Topology& topology, uint8_t port, Transport over) {
  const bool infiniband = over == Transport::kInfiniband;
  Files files = {{"state", "4: ACTIVE"},
                 {"phys_state", "5: LinkUp"},
                 {"rate", infiniband ? "2.5 Gb/sec (1X SDR)" : "10 Gb/sec (1X FDR10)"},
                 {"link_layer", infiniband ? "InfiniBand" : "Ethernet"},
                 {"lid", fmt::format("0x{:x}", infiniband ? port + 1 : 0)},
                 {"lid_mask_count", "0"},
                 {"sm_lid", infiniband ? "0x1" : "0x0"},
                 {"sm_sl", "0"},
                 {"cap_mask", over == Transport::kIwarp ? "0x00000000" : "0x00010000"},
                 {"pkeys/0", "0xffff"}};
  AddGids(topology, port, over, &files);
  return files;
}

// source: linux 6.1 sysfs.c node_type_show, node_guid_show; rxe_verbs.c rxe_register_device;
// siw_main.c
Files FilesOfDevice(const Topology& topology, uint8_t device, Transport over) {
  const bool iwarp = over == Transport::kIwarp;
  const std::string guid = GuidText(sim::GuidOf(topology, device));
  return {{"node_type", iwarp ? "4: RNIC" : "1: CA"},
          {"node_guid", guid},
          {"sys_image_guid", guid},
          {"node_desc", iwarp ? "Software iWARP stack" : "rxe"},
          {"fw_ver", ""}};
}

bool WriteAll(const fs::path& folder, const Files& files) {
  std::error_code error;
  bool written = true;
  for (const auto& [name, text] : files) {
    fs::create_directories((folder / name).parent_path(), error);
    std::ofstream out(folder / name);
    out << text << '\n' << std::flush;
    written = written && out.good();
  }
  return written && !error;
}

}  // namespace

bool DescribeDevice(const fs::path& folder, const Topology& topology, uint8_t device,
                    Transport over) {
  std::error_code error;
  bool written = WriteAll(folder, FilesOfDevice(topology, device, over));
  for (uint8_t nth = 0; nth < topology.PortsOf(device); ++nth) {
    const auto port = static_cast<uint8_t>(device + nth);
    fs::create_directories(folder / "device/net" / topology.devices[port].netdev, error);
    written = written && WriteAll(folder / fmt::format("ports/{}", nth + 1),
                                  FilesOfPort(topology, port, over));
  }
  return written && !error;
}

}  // namespace cm::app
