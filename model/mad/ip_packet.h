// A segment of TCP or a datagram of UDP as a frame of Ethernet: what captures have of programs'
// sockets. source: RFC 9293, 3.1; RFC 768; RFC 8200, 8.1
#ifndef MODEL_MAD_IP_PACKET_H_
#define MODEL_MAD_IP_PACKET_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "model/mad/field.h"
#include "model/mad/packet.h"

namespace cm::mad {

inline constexpr uint8_t kTcpProtocol = 6;

struct Tcp {
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint32_t sequence = 0;
  uint32_t acknowledgement = 0;
  uint8_t words = 5;  // of the header, with its options; Seal sets it
  uint8_t reserved_12 = 0;
  bool congestion_window_reduced = false;
  bool ecn_echo = false;
  bool urg = false;
  bool ack = false;
  bool psh = false;
  bool rst = false;
  bool syn = false;
  bool fin = false;
  uint16_t window = 0;
  uint16_t checksum = 0;
  uint16_t urgent = 0;
  friend bool operator==(const Tcp&, const Tcp&) = default;
};

template <>
struct Layout<Tcp> {
  static constexpr std::string_view kName = "tcp";
  static constexpr size_t kSize = 20;
  static constexpr auto kRows =
      std::tuple{At("source_port", 0, 0, 16, &Tcp::source_port),
                 At("destination_port", 2, 0, 16, &Tcp::destination_port),
                 At("sequence", 4, 0, 32, &Tcp::sequence),
                 At("acknowledgement", 8, 0, 32, &Tcp::acknowledgement),
                 At("words", 12, 0, 4, &Tcp::words),
                 At("reserved_12", 12, 4, 4, &Tcp::reserved_12, Show::kReserved),
                 At("congestion_window_reduced", 13, 0, 1, &Tcp::congestion_window_reduced),
                 At("ecn_echo", 13, 1, 1, &Tcp::ecn_echo),
                 At("urg", 13, 2, 1, &Tcp::urg),
                 At("ack", 13, 3, 1, &Tcp::ack),
                 At("psh", 13, 4, 1, &Tcp::psh),
                 At("rst", 13, 5, 1, &Tcp::rst),
                 At("syn", 13, 6, 1, &Tcp::syn),
                 At("fin", 13, 7, 1, &Tcp::fin),
                 At("window", 14, 0, 16, &Tcp::window),
                 At("checksum", 16, 0, 16, &Tcp::checksum, Show::kHex),
                 At("urgent", 18, 0, 16, &Tcp::urgent)};
};

struct IpPacket {
  Ethernet ethernet;
  std::variant<Ipv4, Ipv6> ip;
  std::variant<Tcp, Udp> transport;
  std::vector<uint8_t> options;      // of TCP; a multiple of four bytes
  std::span<const uint8_t> payload;  // with all headers less than 64 KiB
};

// The whole frame: with types, protocols, lengths and checksums.
std::vector<uint8_t> Seal(IpPacket packet);

}  // namespace cm::mad

#endif  // MODEL_MAD_IP_PACKET_H_
