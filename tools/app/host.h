// What programs find of their host in files: its RDMA devices in sysfs, and what ip-address(8) says
// of its interfaces.
#ifndef TOOLS_APP_HOST_H_
#define TOOLS_APP_HOST_H_

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "model/vocabulary/topology.h"

namespace cm::app {

// Lays it out in the folder: sys/class/infiniband/DEVICE/device/net/INTERFACE, and bin/ip, which
// answers `ip -j addr show INTERFACE`. -> whether the folder can be written to.
bool LayOutHost(const std::filesystem::path& folder, const Topology& topology, uint8_t kernel);

// It is among the programs of every such folder.
bool IsOnEveryHost(std::string_view program);

}  // namespace cm::app

#endif  // TOOLS_APP_HOST_H_
