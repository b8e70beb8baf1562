#include "tools/app/host.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/fabric/names.h"
#include "sim/uapi/shared_ports.h"
#include "tools/app/device_files.h"
#include "tools/app/network.h"

namespace cm::app {
namespace {

namespace fs = std::filesystem;

std::string LinkAddress(size_t device) {
  return fmt::format("{:02x}", fmt::join(HardwareAddressOf(device), ":"));
}

// source: linux if_arp.h ARPHRD_ETHER, ARPHRD_LOOPBACK
constexpr int kEthernet = 1;
constexpr int kLoopback = 772;

// The hexadecimal digits of an IPv6 address; empty where it is none.
std::string Digits(const std::string& address) {
  in6_addr parsed{};
  if (inet_pton(AF_INET6, address.c_str(), &parsed) != 1) return {};
  std::string digits;
  for (const uint8_t byte : parsed.s6_addr) digits += fmt::format("{:02x}", byte);
  return digits;
}

std::string AddressesOf(const DeviceInfo& device, size_t number) {
  std::string addresses;
  for (size_t nth = 0; nth < device.AddressCount(); ++nth) {
    for (const bool v6 : {false, true}) {
      const std::string_view host = device.Host(nth, v6);
      if (host.empty()) continue;
      addresses += fmt::format(R"({}{{"family":"{}","local":"{}"}})", addresses.empty() ? "" : ",",
                               v6 ? "inet6" : "inet", host);
    }
  }
  return fmt::format(R"([{{"ifname":"{}","address":"{}","addr_info":[{}]}}])", device.netdev,
                     LinkAddress(number), addresses);
}

constexpr std::string_view kIp = R"(#!/bin/sh
# What is known of the interfaces of a simulated host.
known="${0%/*}/../addr"
if [ "$#" -eq 4 ] && [ "$1 $2 $3" = "-j addr show" ] && [ -f "$known/$4" ]; then
  exec cat "$known/$4"
fi
echo "ip $*: a simulated host knows 'ip -j addr show INTERFACE' only, of" $(ls "$known") >&2
exit 1
)";

// Hosts are folders beside each other; a program that is started later is waited for.
constexpr std::string_view kSsh = R"(#!/bin/sh
# Runs a command on another simulated host, which has the name or the address.
while [ "${1#-}" != "$1" ]; do
  case $1 in
    -[BbcDEeFIiJLlmOopQRSWw]) shift ;;
  esac
  shift
done
name=${1#*@}
if [ "$#" -lt 2 ]; then
  echo "${0##*/}: between simulated hosts it is '${0##*/} HOST COMMAND'" >&2
  exit 255
fi
shift
host=
for one in "${0%/bin/*}/../host."*; do
  read -r known <"$one/hostname"
  [ "$known" != "$name" ] || host=$one
  while read -r known interface; do
    [ "$known" != "$name" ] || host=$one
  done <"$one/addresses"
done
if [ -z "$host" ]; then
  echo "${0##*/}: no simulated host is called $name" >&2
  exit 255
fi
read -r known <"$host/hostname"
if [ -z "$known" ]; then
  echo "${0##*/}: no side is on the host $name, which runs no programs" >&2
  exit 255
fi
until [ -f "$host/environment" ]; do sleep 0.001; done
set -- sh -c "$*"
while IFS= read -r variable; do set -- "$variable" "$@"; done <"$host/environment"
cd "${HOME:-/}" || exit 255
# In its network, where hosts are apart: then this file is a namespace, which is empty.
there=
[ -s "$host/network" ] || there="nsenter --net=$host/network"
exec $there env -i HOME="${HOME:-/}" USER="${USER:-root}" "$@"
)";

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kCommands = {
    {{"ip", kIp}, {"ssh", kSsh}, {"rsh", kSsh}}};

bool Write(const fs::path& file, std::string_view text) {
  std::ofstream out(file);
  out << text << std::flush;
  return out.good();
}

// Interfaces as programs look for them, with the loopback. source: linux 6.1 net-procfs.c
// dev_seq_printf_stats, addrconf.c if6_seq_show, net-sysfs.c
bool DescribeInterfaces(const fs::path& folder, const Topology& topology, uint8_t kernel) {
  std::string counters =
      "Inter-|   Receive                                                |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs "
      "drop "
      "fifo colls carrier compressed\n";
  std::string addresses = "00000000000000000000000000000001 01 80 10 80       lo\n";
  bool written = true;
  int index = 0;
  const auto add = [&](const std::string& name, const std::string& link, int type, int mtu) {
    counters += fmt::format("{:>6}: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", name);
    const fs::path own = folder / "sys/class/net" / name;
    std::error_code error;
    fs::create_directories(own, error);
    const std::vector<std::pair<const char*, std::string>> files = {
        {"address", link},
        {"ifindex", std::to_string(++index)},
        {"mtu", std::to_string(mtu)},
        {"operstate", type == kEthernet ? "up" : "unknown"},
        {"type", std::to_string(type)}};
    for (const auto& [file, text] : files) written = written && Write(own / file, text + "\n");
  };
  add("lo", "00:00:00:00:00:00", kLoopback, 65536);
  for (size_t i = 0; i < topology.devices.size(); ++i) {
    const DeviceInfo& device = topology.devices[i];
    if (device.kernel != kernel) continue;
    add(std::string(device.netdev), LinkAddress(i), kEthernet, 1500);
    for (size_t nth = 0; nth < device.AddressCount(); ++nth)
      if (const std::string v6 = Digits(std::string(device.Host(nth, true))); !v6.empty())
        addresses += fmt::format("{} {:02x} 40 00 80 {:>8}\n", v6, index, device.netdev);
  }
  return written && Write(folder / "proc/net/dev", counters) &&
         Write(folder / "proc/net/if_inet6", addresses);
}

// Files by which a program knows its host and finds others: below the folder as on the host. What
// the last one says of the system changes between runs in some virtual machines, and hwloc reads
// it.
constexpr std::array<const char*, 6> kNames = {"/etc/hosts",
                                               "/etc/hostname",
                                               "/etc/machine-id",
                                               "/proc/sys/kernel/hostname",
                                               "/proc/sys/kernel/random/boot_id",
                                               "/sys/devices/system/node/node0/meminfo"};
constexpr int kKibibytes = 16 << 20;

// A name has the IPv4 address of each device: where a name has both, the C library takes IPv6
// first, and many servers listen on IPv4 alone.
bool DescribeNames(const fs::path& folder, const Topology& topology, uint8_t kernel) {
  std::string hosts = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n";
  for (uint8_t other = 0; other < topology.hosts.size(); ++other) {
    const std::string name = NameOfHost(topology, other);
    for (const DeviceInfo& device : topology.devices) {
      const bool v6 = device.Host(0, false).empty();
      const std::string_view host = device.Host(0, v6);
      if (device.kernel == other && !name.empty() && !host.empty())
        hosts += fmt::format("{} {}\n", host, name);
    }
  }
  const std::string own = NameOfHost(topology, kernel) + "\n";
  const std::array<std::string, kNames.size()> texts = {
      hosts,
      own,
      fmt::format("{:032x}\n", kernel + 1),
      own,
      fmt::format("{:08x}-0000-4000-8000-000000000000\n", kernel + 1),
      fmt::format("Node 0 MemTotal: {0} kB\nNode 0 MemFree: {0} kB\nNode 0 MemUsed: 0 kB\n",
                  kKibibytes)};
  bool written = true;
  for (size_t i = 0; i < kNames.size(); ++i) {
    const fs::path file = folder.string() + kNames.at(i);
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    written = written && Write(file, texts.at(i));
  }
  return written;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> NamesOfHost(const fs::path& folder) {
  std::vector<std::pair<std::string, std::string>> places;
  std::error_code error;
  for (const char* const file : kNames)
    if (fs::exists(folder.string() + file, error) && fs::exists(file, error))
      places.emplace_back(folder.string() + file, file);
  return places;
}

std::string NameOfHost(const Topology& topology, uint8_t kernel) {
  for (uint8_t side = 0; side < topology.sides.size(); ++side)
    if (topology.KernelOf(side) == kernel) return topology.sides[side].name;
  return {};
}

bool LayOutHost(const fs::path& folder, const Topology& topology, uint8_t kernel, Transport over) {
  std::error_code error;
  fs::create_directories(folder / "bin", error);
  fs::create_directories(folder / "addr", error);
  const fs::path nodes = folder / "dev/infiniband";
  fs::create_directories(nodes, error);
  fs::create_directories(folder / "proc/net", error);
  bool written = Write(nodes / "rdma_cm", "") && Write(folder / kNetworkFile, "none\n") &&
                 Write(folder / sim::uapi::PortsRecord::kName,
                       std::string(sizeof(sim::uapi::PortsRecord), '\0'));
  for (const auto& [name, text] : kCommands) {
    written = written && Write(folder / "bin" / name, text);
    fs::permissions(folder / "bin" / name, fs::perms::owner_exec, fs::perm_options::add, error);
  }
  size_t uverbs = 0;
  for (const uint8_t device : sim::DevicesOf(topology, kernel))
    written = written &&
              DescribeDevice(folder / "sys/class/infiniband" / topology.devices[device].name,
                             topology, device, over) &&
              Write(nodes / fmt::format("uverbs{}", uverbs++), "");
  std::string addresses;
  for (size_t i = 0; i < topology.devices.size(); ++i) {
    const DeviceInfo& device = topology.devices[i];
    if (device.kernel != kernel) continue;
    written = written && Write(folder / "addr" / device.netdev, AddressesOf(device, i) + "\n");
    for (size_t nth = 0; nth < device.AddressCount(); ++nth)
      for (const bool v6 : {false, true})
        if (const std::string_view host = device.Host(nth, v6); !host.empty())
          addresses += fmt::format("{} {}\n", host, device.netdev);
  }
  written = written && DescribeInterfaces(folder, topology, kernel) &&
            DescribeNames(folder, topology, kernel) && Write(folder / "addresses", addresses) &&
            Write(folder / "hostname", NameOfHost(topology, kernel) + "\n");
  return written && !error;
}

// The file is there with all its lines or not at all.
bool MakeReachable(const fs::path& folder, const std::vector<std::string>& environment) {
  const fs::path file = folder / "environment";
  const fs::path unfinished = folder / "environment.new";
  std::error_code error;
  if (fs::exists(file, error)) return true;
  if (!Write(unfinished, fmt::format("{}\n", fmt::join(environment, "\n")))) return false;
  fs::rename(unfinished, file, error);
  return !error;
}

bool IsOnEveryHost(std::string_view program) {
  return std::ranges::any_of(kCommands, [&](const auto& one) { return one.first == program; });
}

}  // namespace cm::app
