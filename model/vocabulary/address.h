// Addresses of a conversation by their role, so that one text fits every topology.
#ifndef MODEL_VOCABULARY_ADDRESS_H_
#define MODEL_VOCABULARY_ADDRESS_H_

#include <compare>
#include <cstdint>

namespace cm {

enum class AddressKind : uint8_t {
  kNone,        // no address: a null pointer as an argument, family 0 when shown
  kSide,        // the address of a side's device
  kAny,         // 0.0.0.0 or ::
  kLoopback,    // 127.0.0.1 or ::1
  kForeign,     // an address that no interface has
  kUnroutable,  // an address without a route
  kSilent,      // an address on the passive side's link without a host
  kBadFamily,   // a sockaddr of a family unknown to librdmacm
  kGroup,       // a multicast group
};

// A socket address. `port` is in host order.
struct Address {
  AddressKind kind = AddressKind::kNone;
  uint8_t side = 0;    // for kSide: index into the topology's sides
  bool v6 = false;     // IPv6 rather than IPv4
  uint8_t family = 0;  // for kBadFamily
  uint8_t group = 0;   // for kGroup: which one, from 1 to kLastGroup
  uint16_t port = 0;
  uint8_t nth = 0;  // for kSide: index among the addresses of its interface, from 0

  friend constexpr auto operator<=>(const Address&, const Address&) = default;

  constexpr Address WithPort(uint16_t p) const {
    Address a = *this;
    a.port = p;
    return a;
  }
  // Equal except for the port.
  constexpr bool SameHost(const Address& other) const { return WithPort(0) == other.WithPort(0); }
  // The kernel's wildcards. source: linux 6.1 cma.c cma_any_addr, cma_loopback_addr
  constexpr bool AnyOrLoopback() const {
    return kind == AddressKind::kAny || kind == AddressKind::kLoopback;
  }
};

inline constexpr uint8_t kLastGroup = 9;

// Ports from here on are drawn by the kernel; their values have no meaning.
inline constexpr uint16_t kFirstEphemeralPort = 32768;

}  // namespace cm

#endif  // MODEL_VOCABULARY_ADDRESS_H_
