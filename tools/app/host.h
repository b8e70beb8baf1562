// Files that describe a program's host: its RDMA devices in sysfs, and the output of ip-address(8)
// for its interfaces.
#ifndef TOOLS_APP_HOST_H_
#define TOOLS_APP_HOST_H_

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "model/vocabulary/topology.h"

namespace cm::app {

// Writes them to the folder: sys/class/infiniband/DEVICE with device/net/INTERFACE and
// ports/1/gid_attrs, dev/infiniband, and bin/ip, which implements `ip -j addr show INTERFACE`.
// False when the folder cannot be written to.
bool LayOutHost(const std::filesystem::path& folder, const Topology& topology, uint8_t kernel);

// Every such folder contains this program.
bool IsOnEveryHost(std::string_view program);

}  // namespace cm::app

#endif  // TOOLS_APP_HOST_H_
