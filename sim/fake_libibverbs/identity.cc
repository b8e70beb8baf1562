// The host that a program is on: its name, its addresses and its random numbers. All hosts share a
// network of the system, with all addresses on one interface.

// The fortified variants in the headers would define the same functions a second time.
#undef _FORTIFY_SOURCE

#include "sim/fake_libibverbs/identity.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/fake_libibverbs/clock.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/made_files.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {
namespace {

// The files of the host are written before its programs start; see tools/app/host.h.
struct Host {
  std::string name;
  std::map<std::string, std::string> interfaces;  // by address
  std::map<std::string, uint32_t> mtus;           // by interface
};

const Host& OwnHost() {
  static const auto* const kOwn = [] {
    auto* const own = new Host;
    const char* const folder = std::getenv("CMSIM_HOST");
    if (folder == nullptr) return own;
    std::getline(std::ifstream(std::string(folder) + "/hostname"), own->name);
    std::ifstream addresses(std::string(folder) + "/addresses");
    for (std::string address, interface; addresses >> address >> interface;) {
      own->interfaces[address] = interface;
      std::ifstream mtu(std::string(folder) + "/sys/class/net/" + interface + "/mtu");
      if (uint32_t most = 0; mtu >> most) own->mtus[interface] = most;
    }
    return own;
  }();
  return *kOwn;
}

__attribute__((constructor)) void NoteHost() { OwnHost(); }

// Empty for addresses of other families.
std::string TextOf(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address == nullptr) return {};
  if (address->sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, address, sizeof in);
    inet_ntop(AF_INET, &in.sin_addr, text.data(), text.size());
  }
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 in6{};
    std::memcpy(&in6, address, sizeof in6);
    inet_ntop(AF_INET6, &in6.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

// Gives the entry to the interface of the simulated host. False when it is none of its entries.
bool Adapt(ifaddrs* entry) {
  const std::string text = TextOf(entry->ifa_addr);
  if (text.empty()) return (entry->ifa_flags & IFF_LOOPBACK) != 0;
  if (text == "::1" || text.starts_with("127.")) return true;
  const auto found = OwnHost().interfaces.find(text);
  if (found == OwnHost().interfaces.end()) return false;
  entry->ifa_name = const_cast<char*>(found->second.c_str());
  entry->ifa_flags = IFF_UP | IFF_RUNNING | IFF_BROADCAST | IFF_MULTICAST;
  return true;
}

// The list is one block, which its first entry begins.
void Reduce(ifaddrs* list) {
  while (!Adapt(list) && list->ifa_next != nullptr) *list = *list->ifa_next;
  for (ifaddrs* at = list; at->ifa_next != nullptr;) {
    if (Adapt(at->ifa_next))
      at = at->ifa_next;
    else
      at->ifa_next = at->ifa_next->ifa_next;
  }
}

// A sequence of the seed and of the process. source: splitmix64
uint64_t NextRandom(const char* seed) {
  static std::atomic<uint64_t> state = 0;
  const char* const socket = std::getenv("CMSIM_SOCKET");
  const std::string_view path = socket == nullptr ? "" : socket;
  const uint64_t process = std::strtoull(path.substr(path.rfind('.') + 1).data(), nullptr, 10);
  uint64_t mixed = std::strtoull(seed, nullptr, 10) + (process << 40) +
                   (uint64_t{Generation()} << 56) + (state += 0x9e3779b97f4a7c15);
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

// False where they are the system's.
bool FillWithRandom(void* bytes, size_t size) {
  const char* const seed = std::getenv("CMSIM_SEED");
  if (seed == nullptr) return false;
  for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
    const uint64_t random = NextRandom(seed);
    std::memcpy(static_cast<char*>(bytes) + at, &random, std::min(sizeof random, size - at));
  }
  return true;
}

enum class MadeFile : uint8_t { kNone, kRandom, kUuid, kUptime };

MadeFile KindOf(std::string_view path) {
  if (path == "/dev/urandom" || path == "/dev/random") return MadeFile::kRandom;
  if (path == "/proc/sys/kernel/random/uuid") return MadeFile::kUuid;
  if (path == "/proc/uptime") return MadeFile::kUptime;
  return MadeFile::kNone;
}

std::string RandomBytes(size_t size) {
  std::string bytes(size, '\0');
  FillWithRandom(bytes.data(), bytes.size());
  return bytes;
}

// Of the fourth version, whose numbers are random. source: RFC 4122, 4.4
std::string Uuid() {
  std::string bytes = RandomBytes(16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[static_cast<uint8_t>(bytes[i]) >> 4U];
    text += kDigits[static_cast<uint8_t>(bytes[i]) & 0xfU];
  }
  return text + "\n";
}

// The time since the start, and that in which the processor was idle, in hundredths of a second.
std::string Uptime() {
  const int64_t since = SimulatedTime(CLOCK_BOOTTIME).value_or(kSinceBoot);
  const std::string part = std::to_string(since % kSecond / (kSecond / 100) + 100).substr(1);
  const std::string text = std::to_string(since / kSecond) + "." + part;
  return text + " " + text + "\n";
}

std::string ContentOf(MadeFile file) {
  constexpr size_t kOfRandom = size_t{1} << 20;
  switch (file) {
    case MadeFile::kRandom:
      return RandomBytes(kOfRandom);
    case MadeFile::kUuid:
      return Uuid();
    case MadeFile::kUptime:
      return Uptime();
    case MadeFile::kNone:
      break;
  }
  return {};
}

}  // namespace

bool IsOwnAddress(const std::string& address) {
  const std::map<std::string, std::string>& own = OwnHost().interfaces;
  return own.empty() || own.contains(address) || address == "::1" || address.starts_with("127.");
}

std::optional<uint32_t> MtuOf(const std::string& interface) {
  const auto found = OwnHost().mtus.find(interface);
  if (found == OwnHost().mtus.end()) return std::nullopt;
  return found->second;
}

bool IsMadeFile(const char* path) {
  return path != nullptr && std::getenv("CMSIM_SEED") != nullptr && KindOf(path) != MadeFile::kNone;
}

int OpenMadeFile(const char* path, int flags) {
  const std::string content = ContentOf(KindOf(path));
  const int fd = memfd_create("made", (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0);
  if (fd < 0) return fd;
  const auto size = static_cast<ssize_t>(content.size());
  if (pwrite(fd, content.data(), content.size(), 0) == size) return fd;
  RealLibc().close(fd);
  errno = ENFILE;
  return -1;
}

}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int gethostname(char* name, size_t size) noexcept {
  static auto* const kReal = Next("gethostname", &gethostname);
  const std::string& own = OwnHost().name;
  if (own.empty()) return kReal(name, size);
  std::strncpy(name, own.c_str(), size);
  if (size > own.size()) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

// The fortified variant, which the headers call where they know the array's size but not how much
// is wanted.
int __gethostname_chk(char* name, size_t size, size_t /*room*/) noexcept {
  return gethostname(name, size);
}

int uname(utsname* system) noexcept {
  static auto* const kReal = Next("uname", &uname);
  const int result = kReal(system);
  const std::string& own = OwnHost().name;
  if (result != 0 || own.empty()) return result;
  std::memset(system->nodename, 0, sizeof system->nodename);
  own.copy(system->nodename, sizeof system->nodename - 1);
  return 0;
}

// Of the first address. source: glibc 2.36 gethostid.c
long gethostid() {
  static auto* const kReal = Next("gethostid", &gethostid);
  const char* const address = std::getenv("CMSIM_ADDRESS");
  in_addr own{};
  if (address == nullptr || inet_pton(AF_INET, address, &own) != 1) return kReal();
  return static_cast<int32_t>(own.s_addr << 16U | own.s_addr >> 16U);
}

int getifaddrs(ifaddrs** list) noexcept {
  static auto* const kReal = Next("getifaddrs", &getifaddrs);
  const int result = kReal(list);
  if (result == 0 && *list != nullptr && !OwnHost().interfaces.empty()) Reduce(*list);
  return result;
}

int ioctl(int fd, unsigned long request, ...) noexcept {
  static auto* const kReal = Next("ioctl", &ioctl);
  va_list more;
  va_start(more, request);
  void* const argument = va_arg(more, void*);
  va_end(more);
  const int result = kReal(fd, request, argument);
  if (request != SIOCGIFMTU || result != 0) return result;
  auto* const asked = static_cast<ifreq*>(argument);
  const std::string interface(asked->ifr_name, strnlen(asked->ifr_name, sizeof asked->ifr_name));
  if (const auto mtu = MtuOf(interface)) asked->ifr_mtu = static_cast<int>(*mtu);
  return result;
}

ssize_t getrandom(void* bytes, size_t size, unsigned flags) {
  static auto* const kReal = Next("getrandom", &getrandom);
  return FillWithRandom(bytes, size) ? static_cast<ssize_t>(size) : kReal(bytes, size, flags);
}

// std::random_device of C++, which takes the processor's random numbers where it has some.
unsigned DrawForRandomDevice(void* device) noexcept __asm__("_ZNSt13random_device9_M_getvalEv");
unsigned DrawForRandomDevice(void* /*device*/) noexcept {
  unsigned value = 0;
  static_cast<void>(!getrandom(&value, sizeof value, 0));
  return value;
}

int getentropy(void* bytes, size_t size) {
  constexpr size_t kMost = 256;  // source: man getentropy(3)
  if (size > kMost) {
    errno = EIO;
    return -1;
  }
  return getrandom(bytes, size, 0) == static_cast<ssize_t>(size) ? 0 : -1;
}

void arc4random_buf(void* bytes, size_t size) noexcept {
  static auto* const kReal = Next("arc4random_buf", &arc4random_buf);
  if (!FillWithRandom(bytes, size)) kReal(bytes, size);
}

uint32_t arc4random() noexcept {
  uint32_t value = 0;
  arc4random_buf(&value, sizeof value);
  return value;
}

// Values below 2^32 mod `bound` are left out, so that all results are equally likely.
uint32_t arc4random_uniform(uint32_t bound) noexcept {
  if (bound < 2) return 0;
  uint32_t value = arc4random();
  while (value < -bound % bound) value = arc4random();
  return value % bound;
}
}
