#include "model/vocabulary/sockaddr.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "model/base/check.h"

namespace cm {
namespace {

constexpr auto kSettable = std::to_array<AddressKind>(
    {AddressKind::kForeign, AddressKind::kUnroutable, AddressKind::kSilent});

// In the order of kSettable.
std::array<std::optional<HostAddress>, kSettable.size()>& HostsHere() {
  static std::array<std::optional<HostAddress>, kSettable.size()> hosts;
  return hosts;
}

}  // namespace

void SetHost(AddressKind kind, HostAddress host) {
  const auto* const at = std::ranges::find(kSettable, kind);
  CM_CHECK(at != kSettable.end()) << "a side, a group or a wildcard has its address";
  HostsHere().at(static_cast<size_t>(at - kSettable.begin())) = std::move(host);
}

const HostAddress* HostSet(AddressKind kind) {
  const auto* const at = std::ranges::find(kSettable, kind);
  if (at == kSettable.end()) return nullptr;
  const auto& host = HostsHere().at(static_cast<size_t>(at - kSettable.begin()));
  return host ? &*host : nullptr;
}

std::string HostHere(const Address& address, const Topology& topology) {
  if (const HostAddress* host = HostSet(address.kind)) return address.v6 ? host->v6 : host->v4;
  return NumericHost(address, topology);
}

SockAddr::SockAddr(const Address& address, const Topology& topology)
    : present_(address.kind != AddressKind::kNone) {
  if (!present_) return;
  if (address.kind == AddressKind::kBadFamily) {
    storage_.ss_family = address.family;
    return;
  }
  const std::string host = HostHere(address, topology);
  if (address.v6) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    CM_CHECK(inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) << host;
    std::memcpy(&storage_, &v6, sizeof(v6));
    return;
  }
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(address.port);
  CM_CHECK(inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) << host;
  std::memcpy(&storage_, &v4, sizeof(v4));
}

socklen_t LengthOf(const sockaddr* address) {
  if (address == nullptr) return 0;
  return address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

Address AddressOf(const sockaddr* address, const Topology& topology) {
  if (address == nullptr || address->sa_family == AF_UNSPEC) return {};
  std::array<char, INET6_ADDRSTRLEN> host{};
  uint16_t port = 0;
  const bool is_v6 = address->sa_family == AF_INET6;
  if (is_v6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof(v6));
    port = ntohs(v6.sin6_port);
    inet_ntop(AF_INET6, &v6.sin6_addr, host.data(), host.size());
  } else if (address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof(v4));
    port = ntohs(v4.sin_port);
    inet_ntop(AF_INET, &v4.sin_addr, host.data(), host.size());
  } else {
    return {.kind = AddressKind::kBadFamily, .family = static_cast<uint8_t>(address->sa_family)};
  }
  for (const AddressKind kind : kSettable) {
    const HostAddress* const set = HostSet(kind);
    if (set != nullptr && (is_v6 ? set->v6 : set->v4) == host.data())
      return {.kind = kind, .v6 = is_v6, .port = port};
  }
  const std::string text =
      is_v6 ? fmt::format("[{}]:{}", host.data(), port) : fmt::format("{}:{}", host.data(), port);
  const std::optional<Address> known = AddressOfNumeric(text, topology);
  return known ? *known : Address{.kind = AddressKind::kForeign, .v6 = is_v6, .port = port};
}

}  // namespace cm
