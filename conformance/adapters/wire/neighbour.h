// The hardware address of the peer, and answers to those who ask for ours: ARP (RFC 826), and
// neighbour discovery (RFC 4861).
#ifndef CONFORMANCE_ADAPTERS_WIRE_NEIGHBOUR_H_
#define CONFORMANCE_ADAPTERS_WIRE_NEIGHBOUR_H_

#include <cstdint>
#include <optional>
#include <span>

#include "conformance/adapters/wire/door.h"
#include "model/mad/packet.h"

namespace cm::live {

struct Neighbour {
  mad::Mac mac{};
  uint32_t v4 = 0;
  mad::Gid v6{};  // all zero: none
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

enum class Asks : uint16_t { kRequest = 1, kReply = 2 };

struct Arp {
  Asks what = Asks::kRequest;
  Neighbour sender;
  Neighbour target;
  friend bool operator==(const Arp&, const Arp&) = default;
};

Bytes Encode(const Arp& arp);
// Empty for every other frame, and for a damaged one.
std::optional<Arp> DecodeArp(std::span<const uint8_t> frame);

// Where a frame is a question for the neighbour that has an IPv6 address: that address, and where
// the answer goes.
struct Solicitation {
  mad::Gid target{};
  Neighbour sender;
};
std::optional<Solicitation> DecodeSolicitation(std::span<const uint8_t> frame);

// Where a frame asks for one of our addresses: the answer.
std::optional<Bytes> AnswerTo(std::span<const uint8_t> frame, const Neighbour& us);

// Asks for the address three times, a second each. Empty when none answers.
std::optional<mad::Mac> Resolve(Door& door, const Neighbour& us, uint32_t v4);

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_NEIGHBOUR_H_
