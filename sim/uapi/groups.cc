#include "sim/uapi/groups.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "model/vocabulary/sockaddr.h"

namespace cm::sim::uapi {
namespace {

constexpr size_t kOwnAtMost = UINT8_MAX - kLastGroup;
constexpr size_t kMapped = 12;  // offset of an IPv4-mapped address

// Empty for an address that is not a group's.
std::optional<Gid> GroupIn(const sockaddr* address) {
  Gid gid{};
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    std::memcpy(gid.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
  } else if (address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    gid[10] = gid[11] = 0xff;
    std::memcpy(gid.data() + kMapped, &v4.sin_addr, sizeof v4.sin_addr);
  }
  if (!IsGroup(gid)) return std::nullopt;
  return gid;
}

template <typename SockaddrIn>
uint16_t PutBytes(const SockaddrIn& address, void* field, size_t room) {
  std::memcpy(field, &address, std::min(sizeof address, room));
  return sizeof address;
}

}  // namespace

Address Groups::AddressOf(const sockaddr* address, const Topology& topology) {
  Address known = cm::AddressOf(address, topology);
  if (known.kind != AddressKind::kForeign) return known;
  const std::optional<Gid> gid = GroupIn(address);
  if (!gid) return known;
  auto found = std::ranges::find(own_, *gid);
  if (found == own_.end()) {
    if (own_.size() == kOwnAtMost) return known;
    found = own_.insert(found, *gid);
  }
  known.kind = AddressKind::kGroup;
  known.group = static_cast<uint8_t>(kLastGroup + 1 + (found - own_.begin()));
  return known;
}

// Null for an address with a number in the topology, or without any.
const Gid* Groups::Find(const Address& address) const {
  if (address.kind != AddressKind::kGroup || address.group <= kLastGroup) return nullptr;
  return &own_.at(address.group - kLastGroup - 1);
}

Gid Groups::GidOf(const Address& address, const Topology& topology) const {
  const Gid* const own = Find(address);
  return own != nullptr ? *own : cm::sim::GidOf(address, topology);
}

uint16_t Groups::Put(const Address& address, const Topology& topology, void* field,
                     size_t room) const {
  if (const Gid* const own = Find(address)) {
    if (address.v6) {
      sockaddr_in6 v6{};
      v6.sin6_family = AF_INET6;
      v6.sin6_port = htons(address.port);
      std::memcpy(&v6.sin6_addr, own->data(), sizeof v6.sin6_addr);
      return PutBytes(v6, field, room);
    }
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    std::memcpy(&v4.sin_addr, own->data() + kMapped, sizeof v4.sin_addr);
    return PutBytes(v4, field, room);
  }
  SockAddr made(address, topology);
  const size_t length = cm::LengthOf(made.get());
  if (length != 0) std::memcpy(field, made.get(), std::min(length, room));
  return static_cast<uint16_t>(length);
}

}  // namespace cm::sim::uapi
