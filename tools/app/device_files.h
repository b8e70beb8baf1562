// The files of sysfs by which programs and commands know the RDMA devices of their host.
#ifndef TOOLS_APP_DEVICE_FILES_H_
#define TOOLS_APP_DEVICE_FILES_H_

#include <cstdint>
#include <filesystem>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace cm::app {

// Writes what /sys/class/infiniband has of a device, given by its first port, into the folder: its
// names, and for each port its state, rate, link, GIDs with their interfaces, and partition keys,
// as ibv_query_device, ibv_query_port and ibv_query_gid say it. The state is that of a link that is
// up. False when the folder cannot be written to.
bool DescribeDevice(const std::filesystem::path& folder, const Topology& topology, uint8_t device,
                    Transport over);

}  // namespace cm::app

#endif  // TOOLS_APP_DEVICE_FILES_H_
