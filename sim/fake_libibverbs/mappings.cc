#include "sim/fake_libibverbs/mappings.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

namespace cm::sim::fake_libibverbs {
namespace {

// source: <linux/mman.h>, from Linux 5.14 on
constexpr int kPopulateRead = 22;
constexpr int kPopulateWrite = 23;
// Larger regions are not made present: some programs register more memory than the machine has.
constexpr uint64_t kPopulatedMost = uint64_t{1} << 20;

struct Mapping {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool reads = false;
  bool writes = false;
};

// "7f0000000000-7f0000002000 rw-p ..."
std::optional<Mapping> MappingIn(std::string_view line) {
  constexpr int kHexadecimal = 16;
  Mapping mapping;
  const char* const last = line.data() + line.size();
  const auto begin = std::from_chars(line.data(), last, mapping.begin, kHexadecimal);
  if (begin.ec != std::errc{} || begin.ptr == last || *begin.ptr != '-') return std::nullopt;
  const auto end = std::from_chars(begin.ptr + 1, last, mapping.end, kHexadecimal);
  if (end.ec != std::errc{} || last - end.ptr < 3 || *end.ptr != ' ') return std::nullopt;
  mapping.reads = end.ptr[1] == 'r';
  mapping.writes = end.ptr[2] == 'w';
  return mapping;
}

// Not through the C library's functions: some of these are the fake libibverbs's.
std::string MapsOfThisProcess() {
  std::string text;
  const long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  std::array<char, 4096> part;
  long length = 0;
  while ((length = syscall(SYS_read, fd, part.data(), part.size())) > 0)
    text.append(part.data(), static_cast<size_t>(length));
  syscall(SYS_close, fd);
  return text;
}

// Makes the pages present, as pinning does. It may fail because the kernel does not know the
// operation.
bool Populates(uint64_t address, uint64_t length, bool writes) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t first = address / page * page;
  return syscall(SYS_madvise, first, address + length - first,
                 writes ? kPopulateWrite : kPopulateRead) == 0;
}

}  // namespace

bool Covers(std::string_view maps, uint64_t address, uint64_t length, bool writes) {
  const uint64_t end = address + length;
  if (end < address) return false;
  while (address < end && !maps.empty()) {
    const size_t at = std::min(maps.find('\n'), maps.size());
    const std::optional<Mapping> mapping = MappingIn(maps.substr(0, at));
    maps.remove_prefix(std::min(at + 1, maps.size()));
    if (!mapping || mapping->end <= address) continue;
    if (mapping->begin > address || !mapping->reads || (writes && !mapping->writes)) return false;
    address = mapping->end;
  }
  return address >= end;
}

bool CanBePinned(uint64_t address, uint64_t length, bool writes) {
  if (length == 0) return true;
  if (length <= kPopulatedMost && Populates(address, length, writes)) return true;
  const std::string maps = MapsOfThisProcess();
  return maps.empty() || Covers(maps, address, length, writes);
}

}  // namespace cm::sim::fake_libibverbs
