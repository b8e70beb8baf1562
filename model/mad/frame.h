// A frame with a MAD of general services in it: bytes to values and back.
//
// 1. A frame is well-formed when its layers follow one another as below and fill it to the last
//    byte:
//      link   Ethernet with at most one 802.1Q tag, a Linux cooked header, or nothing
//      ip     IPv4 without options and not a fragment, or IPv6 without extensions; its length is
//             that of all the rest, and what follows is UDP
//      udp    to port 4791, with the same length
//      bth    UD SEND ONLY to QP 1, transport version 0, no padding
//      deth, mad of 256 bytes with base version 1, icrc
//    Any other field may have any value, reserved ones and checksums included.
// 2. Encode(Decode(bytes)) == bytes for every well-formed frame. Decode refuses all else and says
//    at which byte; it never reads past the end.
// 3. Encode writes the values as they are, right or wrong: a tester may want wrong ones. Seal first
//    fills in lengths, checksums and the CRC.
// 4. A message has a layout when class and class version are those of the IB CM and its attribute
//    is known; every other body is Opaque.
//
//   Frame frame;
//   frame.mad = MakeMad(Rtu{.local_cid = 1, .remote_cid = 2}, tid);
//   const FrameBytes bytes = Seal(frame);
//   const Decoded<Frame> back = Decode(bytes.view(), LinkType::kEthernet);
#ifndef MODEL_MAD_FRAME_H_
#define MODEL_MAD_FRAME_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "model/mad/malformed.h"
#include "model/mad/messages.h"
#include "model/mad/packet.h"

namespace cm::mad {

// Link header of a captured frame, with the numbers of pcap files. source: tcpdump.org
// LINKTYPE_ETHERNET, LINKTYPE_RAW, LINKTYPE_LINUX_SLL, LINKTYPE_LINUX_SLL2
enum class LinkType : uint32_t { kEthernet = 1, kRaw = 101, kSll = 113, kSll2 = 276 };

struct NoLink {
  friend bool operator==(const NoLink&, const NoLink&) = default;
};
using Link = std::variant<Ethernet, NoLink, Sll, Sll2>;
using Ip = std::variant<Ipv4, Ipv6>;

struct Frame {
  Link link;
  std::optional<Vlan> vlan;  // behind Ethernet only
  Ip ip;
  Udp udp;
  Bth bth;
  Deth deth;
  Mad mad;
  Icrc icrc;
  friend bool operator==(const Frame&, const Frame&) = default;
};

// The longest: SLL2 and IPv6.
inline constexpr size_t kFrameSizeMax = 20 + 40 + 8 + 12 + 8 + kMadSize + 4;

class FrameBytes {
 public:
  std::span<const uint8_t> view() const { return {bytes_.data(), size_}; }
  std::span<uint8_t> view() { return {bytes_.data(), size_}; }
  size_t size() const { return size_; }
  // Appends n bytes for the next layer.
  uint8_t* Grow(size_t n);

 private:
  size_t size_ = 0;
  std::array<uint8_t, kFrameSizeMax> bytes_;  // set as far as size_
};

LinkType LinkTypeOf(const Frame& frame);

FrameBytes Encode(const Frame& frame);
Decoded<Frame> Decode(std::span<const uint8_t> bytes, LinkType link);

// Fills in the derived fields: types of next layers, lengths, the checksum of IPv4, the CRC. The
// checksum of UDP is not changed: 0 is none. Returns the frame as bytes.
FrameBytes Seal(Frame& frame);

std::array<uint8_t, kMadSize> Encode(const Mad& mad);
Decoded<Mad> DecodeMad(std::span<const uint8_t> bytes);

// Offset of the IP header in the bytes of a frame.
size_t IpOffset(const Frame& frame);

// The correct CRC and checksum of the frame, whatever it contains.
uint32_t IcrcOf(const Frame& frame);
uint16_t ChecksumOf(const Ipv4& header);

}  // namespace cm::mad

#endif  // MODEL_MAD_FRAME_H_
