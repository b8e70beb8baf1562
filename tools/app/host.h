// Files that describe a program's host: its RDMA devices in sysfs, the output of ip-address(8) for
// its interfaces, and commands that run others on another host.
#ifndef TOOLS_APP_HOST_H_
#define TOOLS_APP_HOST_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace cm::app {

// As its programs see it: the name of its first side; empty without one.
std::string NameOfHost(const Topology& topology, uint8_t kernel);

// Writes them to the folder: the files of DescribeDevice, dev/infiniband, the files of NamesOfHost,
// bin/ip, which implements `ip -j addr show INTERFACE`, and bin/ssh and bin/rsh. False when the
// folder cannot be written to.
bool LayOutHost(const std::filesystem::path& folder, const Topology& topology, uint8_t kernel,
                Transport over);

// The files of the folder that name the host and the others, or its memory, each with the file of
// the system in whose place its programs are to see it.
std::vector<std::pair<std::string, std::string>> NamesOfHost(const std::filesystem::path& folder);

// In the place of this file in the folder a program sees the host's network, as setns(2) takes it,
// where hosts are apart.
inline constexpr const char* kNetworkFile = "network";

// From now on bin/ssh of the folders beside this one runs commands on this host, with these
// variables, "NAME=value"; a second call changes nothing. False when it cannot be written.
bool MakeReachable(const std::filesystem::path& folder,
                   const std::vector<std::string>& environment);

// Every such folder contains this program.
bool IsOnEveryHost(std::string_view program);

}  // namespace cm::app

#endif  // TOOLS_APP_HOST_H_
