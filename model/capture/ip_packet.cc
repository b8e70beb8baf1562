#include "model/capture/ip_packet.h"

#include <cstddef>

#include "model/mad/packet.h"

namespace cm::wire {
namespace {

constexpr size_t kTagSize = 4;

uint16_t U16(std::span<const uint8_t> bytes, size_t offset) {
  return static_cast<uint16_t>(bytes[offset] << 8 | bytes[offset + 1]);
}

// source: linux if_ether.h ETH_P_8021Q, ETH_P_8021AD, ETH_P_QINQ1
bool IsTag(uint16_t type) { return type == mad::kVlanType || type == 0x88a8 || type == 0x9100; }

// Offset of the next protocol's type in a link header, and the header's length.
struct LinkHeader {
  size_t type = 0;
  size_t size = 0;
};

LinkHeader HeaderOf(mad::LinkType link) {
  switch (link) {
    case mad::LinkType::kEthernet:
      return {12, 14};
    case mad::LinkType::kSll:
      return {14, 16};
    case mad::LinkType::kSll2:
      return {0, 20};
    case mad::LinkType::kRaw:
      break;
  }
  return {};
}

// The length in the packet's header; unlimited where it has none.
size_t LengthOf(std::span<const uint8_t> packet) {
  constexpr size_t kIpv4Header = 20;
  constexpr size_t kIpv6Header = 40;
  const bool v6 = packet[0] >> 4 == 6;
  if (packet.size() < (v6 ? size_t{6} : size_t{4})) return packet.size();
  const size_t length = U16(packet, v6 ? 4 : 2);
  if (length < (v6 ? size_t{1} : kIpv4Header)) return packet.size();
  return v6 ? length + kIpv6Header : length;
}

}  // namespace

std::optional<std::span<const uint8_t>> IpPacketIn(std::span<const uint8_t> frame,
                                                   mad::LinkType link) {
  if (link != mad::LinkType::kRaw) {
    const LinkHeader header = HeaderOf(link);
    if (frame.size() < header.size) return std::nullopt;
    uint16_t type = U16(frame, header.type);
    frame = frame.subspan(header.size);
    for (; IsTag(type) && frame.size() >= kTagSize; frame = frame.subspan(kTagSize))
      type = U16(frame, 2);
    if (type != mad::kIpv4Type && type != mad::kIpv6Type) return std::nullopt;
  }
  if (frame.empty()) return std::nullopt;
  const size_t length = LengthOf(frame);
  return length < frame.size() ? frame.first(length) : frame;
}

}  // namespace cm::wire
