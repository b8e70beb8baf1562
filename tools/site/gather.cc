#include "tools/site/gather.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <system_error>

#include "conformance/process/descriptor.h"
#include "conformance/process/real_time.h"
#include "model/base/files.h"

namespace cm::site {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "librdmacm.so.1";
constexpr const char* kRdmaCm = "/dev/infiniband/rdma_cm";
constexpr uint16_t kDiscard = 9;
constexpr Duration kReachesWithin = Duration::Seconds(3);
constexpr size_t kMostGids = 4096;

// The first line; empty when there is none.
std::string LineOf(const fs::path& file) {
  const std::string text = ReadFile(file).value_or("");
  return text.substr(0, text.find('\n'));
}

// Such files read "4: ACTIVE".
std::string WordOf(const fs::path& file) {
  const std::string line = LineOf(file);
  const size_t colon = line.find(": ");
  return colon == std::string::npos ? line : line.substr(colon + 2);
}

std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

int NumberOf(const std::string& text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool IsZero(std::string_view gid) { return gid.find_first_not_of("0:") == std::string_view::npos; }

// source: linux 6.1 Documentation/ABI/stable/sysfs-class-infiniband
std::vector<Gid> GidsOf(const fs::path& port) {
  std::vector<Gid> gids;
  for (const std::string& index : NamesIn(port / "gids")) {
    const std::string gid = LineOf(port / "gids" / index);
    if (IsZero(gid) || gids.size() == kMostGids) continue;
    gids.push_back({.index = NumberOf(index),
                    .gid = gid,
                    .type = LineOf(port / "gid_attrs/types" / index),
                    .interface = LineOf(port / "gid_attrs/ndevs" / index)});
  }
  std::ranges::sort(gids, {}, &Gid::index);
  return gids;
}

// Those of the GIDs; where they have none, as of iWARP and IPoIB, those of the device's port.
std::vector<std::string> InterfacesOf(const fs::path& device, const Port& port) {
  std::vector<std::string> names;
  for (const Gid& gid : port.gids)
    if (!gid.interface.empty() && std::ranges::find(names, gid.interface) == names.end())
      names.push_back(gid.interface);
  if (const std::string parent = LineOf(device / "parent"); names.empty() && !parent.empty())
    names.push_back(parent);
  if (!names.empty()) return names;
  for (const std::string& name : NamesIn(device / "device/net"))
    if (NumberOf(LineOf(device / "device/net" / name / "dev_port")) == port.number - 1)
      names.push_back(name);
  return names;
}

std::string SystemOf(const std::string& os_release) {
  constexpr std::string_view kKey = "PRETTY_NAME=\"";
  const size_t at = os_release.find(kKey);
  if (at == std::string::npos) return "unknown";
  const std::string rest = os_release.substr(at + kKey.size());
  return rest.substr(0, rest.find('"'));
}

void FindLibrary(HostFacts* facts) {
  void* const library = dlopen(kLibrary, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    facts->librdmacm_problem = why == nullptr ? "cannot be loaded" : why;
    return;
  }
  Dl_info info = {};
  void* const function = dlsym(library, "rdma_create_id");
  if (function == nullptr || dladdr(function, &info) == 0) {
    facts->librdmacm_problem = fmt::format("{} has no rdma_create_id", kLibrary);
    return;
  }
  std::error_code error;
  const fs::path real = fs::canonical(info.dli_fname, error);
  facts->librdmacm = error ? info.dli_fname : real.string();
}

// As librdmacm does it first of all. source: rdma-core 44 cma.c ucma_init
std::string WhyNoRdmaCm() {
  const Descriptor file(open(kRdmaCm, O_RDWR | O_CLOEXEC));
  return file.get() >= 0 ? "" : fmt::format("{}: {}", kRdmaCm, strerror(errno));
}

union AnyAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

socklen_t ToSocketAddress(const std::string& text, uint16_t port, AnyAddress* address) {
  *address = {};
  if (inet_pton(AF_INET, text.c_str(), &address->v4.sin_addr) == 1) {
    address->v4.sin_family = AF_INET;
    address->v4.sin_port = htons(port);
    return sizeof(address->v4);
  }
  if (inet_pton(AF_INET6, text.c_str(), &address->v6.sin6_addr) == 1) {
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons(port);
    return sizeof(address->v6);
  }
  return 0;
}

int BitsOf(const void* mask, size_t bytes) {
  int bits = 0;
  for (size_t i = 0; i < bytes; ++i)
    bits += static_cast<int>(std::bitset<8>(static_cast<const uint8_t*>(mask)[i]).count());
  return bits;
}

// Adds an address that a conversation can have.
void AddAddress(const ifaddrs& entry, std::vector<Address>* addresses) {
  std::array<char, INET6_ADDRSTRLEN> text;
  if (entry.ifa_addr->sa_family == AF_INET) {
    const auto& v4 = *reinterpret_cast<const sockaddr_in*>(entry.ifa_addr);
    const auto& mask = *reinterpret_cast<const sockaddr_in*>(entry.ifa_netmask);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    addresses->push_back({text.data(), BitsOf(&mask.sin_addr, sizeof(mask.sin_addr))});
  } else if (entry.ifa_addr->sa_family == AF_INET6) {
    const auto& v6 = *reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr);
    const auto& mask = *reinterpret_cast<const sockaddr_in6*>(entry.ifa_netmask);
    if (IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr)) return;
    inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    addresses->push_back({text.data(), BitsOf(&mask.sin6_addr, sizeof(mask.sin6_addr))});
  }
}

int MtuOf(const std::string& name) {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request = {};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  return ioctl(socket.get(), SIOCGIFMTU, &request) == 0 ? request.ifr_mtu : 0;
}

// A connection that is tried.
struct Attempt {
  Descriptor socket;
  int error = EINPROGRESS;  // 0 and ECONNREFUSED: the other one has answered
};

Attempt Begin(const Pair& pair) {
  AnyAddress from;
  AnyAddress to;
  const socklen_t from_size = ToSocketAddress(pair.from, 0, &from);
  const socklen_t to_size = ToSocketAddress(pair.to, kDiscard, &to);
  if (from_size == 0 || to_size == 0) return {.socket = {}, .error = EINVAL};
  Attempt attempt{.socket = Descriptor(
                      ::socket(to.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))};
  if (bind(attempt.socket.get(), &from.any, from_size) != 0 ||
      connect(attempt.socket.get(), &to.any, to_size) != 0)
    attempt.error = errno;
  else
    attempt.error = 0;
  return attempt;
}

}  // namespace

std::vector<Port> PortsBelow(const fs::path& folder) {
  std::vector<Port> ports;
  for (const std::string& device : NamesIn(folder)) {
    const fs::path at = folder / device;
    std::error_code error;
    for (const std::string& number : NamesIn(at / "ports")) {
      const fs::path port = at / "ports" / number;
      ports.push_back({.device = device,
                       .number = NumberOf(number),
                       .state = WordOf(port / "state"),
                       .link = LineOf(port / "link_layer"),
                       .kind = WordOf(at / "node_type"),
                       .driver = fs::read_symlink(at / "device/driver", error).filename(),
                       .firmware = LineOf(at / "fw_ver"),
                       .interfaces = {},
                       .gids = GidsOf(port)});
      ports.back().interfaces = InterfacesOf(at, ports.back());
    }
  }
  return ports;
}

std::vector<Interface> InterfacesOfHost() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  std::map<std::string, Interface> named;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if ((entry->ifa_flags & IFF_LOOPBACK) != 0) continue;
    Interface& interface = named[entry->ifa_name];
    interface.name = entry->ifa_name;
    interface.up = (entry->ifa_flags & IFF_UP) != 0 && (entry->ifa_flags & IFF_RUNNING) != 0;
    if (entry->ifa_addr != nullptr && entry->ifa_netmask != nullptr)
      AddAddress(*entry, &interface.addresses);
  }
  freeifaddrs(list);
  std::vector<Interface> interfaces;
  for (auto& [name, interface] : named) {
    interface.mtu = MtuOf(name);
    interfaces.push_back(std::move(interface));
  }
  return interfaces;
}

std::string ControlInterface(const std::vector<Interface>& interfaces,
                             std::string_view ssh_connection) {
  const std::string surrounded = " " + std::string(ssh_connection) + " ";
  for (const Interface& interface : interfaces)
    for (const Address& address : interface.addresses) {
      // "CLIENT PORT SERVER PORT": of this host only the server's can be.
      if (surrounded.find(" " + address.text + " ") != std::string::npos) return interface.name;
    }
  return {};
}

HostFacts GatherFacts() {
  utsname name = {};
  uname(&name);
  const char* const ssh = std::getenv("SSH_CONNECTION");
  HostFacts facts{.kernel = name.release,
                  .system = SystemOf(ReadFile("/etc/os-release").value_or("")),
                  .glibc = gnu_get_libc_version(),
                  .librdmacm = {},
                  .librdmacm_problem = {},
                  .boot = LineOf("/proc/sys/kernel/random/boot_id"),
                  .control = {},
                  .superuser = geteuid() == 0,
                  .rdma_cm_problem = WhyNoRdmaCm(),
                  .ports = PortsBelow("/sys/class/infiniband"),
                  .interfaces = InterfacesOfHost(),
                  .reached = {}};
  facts.control = ControlInterface(facts.interfaces, ssh == nullptr ? "" : ssh);
  FindLibrary(&facts);
  return facts;
}

std::vector<Reached> TryToReach(const std::vector<Pair>& pairs) {
  std::vector<Attempt> attempts;
  for (const Pair& pair : pairs) attempts.push_back(Begin(pair));
  const Deadline deadline(kReachesWithin);
  for (Attempt& attempt : attempts) {
    if (attempt.error != EINPROGRESS) continue;
    pollfd ready = {attempt.socket.get(), POLLOUT, 0};
    socklen_t size = sizeof(attempt.error);
    if (poll(&ready, 1, deadline.milliseconds_left()) <= 0)
      attempt.error = ETIMEDOUT;
    else
      getsockopt(attempt.socket.get(), SOL_SOCKET, SO_ERROR, &attempt.error, &size);
  }
  std::vector<Reached> reached;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const int error = attempts[i].error;
    reached.push_back({.from = pairs[i].from,
                       .to = pairs[i].to,
                       .problem = error == 0 || error == ECONNREFUSED ? "" : strerror(error)});
  }
  return reached;
}

}  // namespace cm::site
