// The layers around a MAD on RoCEv2: link, IP, UDP, BTH, DETH and the invariant CRC, as values with
// their layouts. The default values are those that Linux's Soft-RoCE always sends; Seal of frame.h
// fills in lengths, checksums and the CRC. source: linux 6.1 rxe_hdr.h, rxe_net.c;
// <linux/if_packet.h> and LINKTYPE_LINUX_SLL of tcpdump.org
#ifndef MODEL_MAD_PACKET_H_
#define MODEL_MAD_PACKET_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "model/mad/field.h"
#include "model/mad/messages.h"

namespace cm::mad {

using Mac = std::array<uint8_t, 6>;

inline constexpr uint16_t kIpv4Type = 0x0800;
inline constexpr uint16_t kIpv6Type = 0x86dd;
inline constexpr uint16_t kVlanType = 0x8100;
inline constexpr uint8_t kUdpProtocol = 17;
inline constexpr uint16_t kRocePort = 4791;
inline constexpr uint16_t kRxeSourcePort = 55410;  // of QP 1, whatever the device
inline constexpr uint8_t kUdSendOnly = 0x64;
inline constexpr uint32_t kGeneralServicesQp = 1;
inline constexpr uint32_t kGeneralServicesQkey = 0x80010000;

// With a tag, `type` is kVlanType and the type of what follows stands in the tag.
struct Ethernet {
  Mac destination{};
  Mac source{};
  uint16_t type = kIpv4Type;
  friend bool operator==(const Ethernet&, const Ethernet&) = default;
};

struct Vlan {
  uint8_t pcp = 0;
  bool dei = false;
  uint16_t vid = 0;
  uint16_t type = kIpv4Type;
  friend bool operator==(const Vlan&, const Vlan&) = default;
};

// Linux cooked capture, as tcpdump writes it for the device "any": versions 1 and 2.
struct Sll {
  uint16_t packet_type = 0;
  uint16_t arphrd_type = 1;
  uint16_t address_length = 6;
  uint64_t address = 0;
  uint16_t protocol = kIpv4Type;
  friend bool operator==(const Sll&, const Sll&) = default;
};

struct Sll2 {
  uint16_t protocol = kIpv4Type;
  uint16_t reserved_2 = 0;
  uint32_t interface_index = 0;
  uint16_t arphrd_type = 1;
  uint8_t packet_type = 0;
  uint8_t address_length = 6;
  uint64_t address = 0;
  friend bool operator==(const Sll2&, const Sll2&) = default;
};

struct Ipv4 {
  uint8_t version = 4;
  uint8_t ihl = 5;
  uint8_t tos = 0;
  uint16_t total_length = 0;
  uint16_t id = 0;
  bool reserved_6 = false;
  bool dont_fragment = true;
  bool more_fragments = false;
  uint16_t fragment_offset = 0;
  uint8_t ttl = 64;
  uint8_t protocol = kUdpProtocol;
  uint16_t checksum = 0;
  uint32_t source = 0;
  uint32_t destination = 0;
  friend bool operator==(const Ipv4&, const Ipv4&) = default;
};

struct Ipv6 {
  uint8_t version = 6;
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;
  uint16_t payload_length = 0;
  uint8_t next_header = kUdpProtocol;
  uint8_t hop_limit = 64;
  Gid source{};
  Gid destination{};
  friend bool operator==(const Ipv6&, const Ipv6&) = default;
};

struct Udp {
  uint16_t source_port = kRxeSourcePort;
  uint16_t destination_port = kRocePort;
  uint16_t length = 0;
  uint16_t checksum = 0;
  friend bool operator==(const Udp&, const Udp&) = default;
};

struct Bth {
  uint8_t opcode = kUdSendOnly;
  bool solicited_event = false;
  bool migration_state = false;
  uint8_t pad_count = 0;
  uint8_t transport_version = 0;
  uint16_t pkey = 0xffff;
  bool fecn = false;
  bool becn = false;
  uint8_t reserved_4 = 0;
  uint32_t destination_qp = kGeneralServicesQp;
  bool ack_request = false;
  uint8_t reserved_8 = 0;
  uint32_t psn = 0;
  friend bool operator==(const Bth&, const Bth&) = default;
};

struct Deth {
  uint32_t qkey = kGeneralServicesQkey;
  uint8_t reserved_4 = 0;
  uint32_t source_qp = kGeneralServicesQp;
  friend bool operator==(const Deth&, const Deth&) = default;
};

// The four bytes as they stand in the frame, read as one number like all others.
struct Icrc {
  uint32_t value = 0;
  friend bool operator==(const Icrc&, const Icrc&) = default;
};

template <>
struct Layout<Ethernet> {
  static constexpr std::string_view kName = "ethernet";
  static constexpr size_t kSize = 14;
  static constexpr auto kRows =
      std::tuple{At("destination", 0, 0, 48, &Ethernet::destination, Show::kMac),
                 At("source", 6, 0, 48, &Ethernet::source, Show::kMac),
                 At("type", 12, 0, 16, &Ethernet::type, Show::kHex)};
};

template <>
struct Layout<Vlan> {
  static constexpr std::string_view kName = "vlan";
  static constexpr size_t kSize = 4;
  static constexpr auto kRows =
      std::tuple{At("pcp", 0, 0, 3, &Vlan::pcp), At("dei", 0, 3, 1, &Vlan::dei),
                 At("vid", 0, 4, 12, &Vlan::vid), At("type", 2, 0, 16, &Vlan::type, Show::kHex)};
};

template <>
struct Layout<Sll> {
  static constexpr std::string_view kName = "sll";
  static constexpr size_t kSize = 16;
  static constexpr auto kRows = std::tuple{At("packet_type", 0, 0, 16, &Sll::packet_type),
                                           At("arphrd_type", 2, 0, 16, &Sll::arphrd_type),
                                           At("address_length", 4, 0, 16, &Sll::address_length),
                                           At("address", 6, 0, 64, &Sll::address, Show::kHex),
                                           At("protocol", 14, 0, 16, &Sll::protocol, Show::kHex)};
};

template <>
struct Layout<Sll2> {
  static constexpr std::string_view kName = "sll2";
  static constexpr size_t kSize = 20;
  static constexpr auto kRows =
      std::tuple{At("protocol", 0, 0, 16, &Sll2::protocol, Show::kHex),
                 At("reserved_2", 2, 0, 16, &Sll2::reserved_2, Show::kReserved),
                 At("interface_index", 4, 0, 32, &Sll2::interface_index),
                 At("arphrd_type", 8, 0, 16, &Sll2::arphrd_type),
                 At("packet_type", 10, 0, 8, &Sll2::packet_type),
                 At("address_length", 11, 0, 8, &Sll2::address_length),
                 At("address", 12, 0, 64, &Sll2::address, Show::kHex)};
};

template <>
struct Layout<Ipv4> {
  static constexpr std::string_view kName = "ipv4";
  static constexpr size_t kSize = 20;
  static constexpr auto kRows =
      std::tuple{At("version", 0, 0, 4, &Ipv4::version),
                 At("ihl", 0, 4, 4, &Ipv4::ihl),
                 At("tos", 1, 0, 8, &Ipv4::tos, Show::kHex),
                 At("total_length", 2, 0, 16, &Ipv4::total_length),
                 At("id", 4, 0, 16, &Ipv4::id),
                 At("reserved_6", 6, 0, 1, &Ipv4::reserved_6, Show::kReserved),
                 At("dont_fragment", 6, 1, 1, &Ipv4::dont_fragment),
                 At("more_fragments", 6, 2, 1, &Ipv4::more_fragments),
                 At("fragment_offset", 6, 3, 13, &Ipv4::fragment_offset),
                 At("ttl", 8, 0, 8, &Ipv4::ttl),
                 At("protocol", 9, 0, 8, &Ipv4::protocol),
                 At("checksum", 10, 0, 16, &Ipv4::checksum, Show::kHex),
                 At("source", 12, 0, 32, &Ipv4::source, Show::kIpv4),
                 At("destination", 16, 0, 32, &Ipv4::destination, Show::kIpv4)};
};

template <>
struct Layout<Ipv6> {
  static constexpr std::string_view kName = "ipv6";
  static constexpr size_t kSize = 40;
  static constexpr auto kRows =
      std::tuple{At("version", 0, 0, 4, &Ipv6::version),
                 At("traffic_class", 0, 4, 8, &Ipv6::traffic_class, Show::kHex),
                 At("flow_label", 1, 4, 20, &Ipv6::flow_label, Show::kHex),
                 At("payload_length", 4, 0, 16, &Ipv6::payload_length),
                 At("next_header", 6, 0, 8, &Ipv6::next_header),
                 At("hop_limit", 7, 0, 8, &Ipv6::hop_limit),
                 At("source", 8, 0, 128, &Ipv6::source, Show::kGid),
                 At("destination", 24, 0, 128, &Ipv6::destination, Show::kGid)};
};

template <>
struct Layout<Udp> {
  static constexpr std::string_view kName = "udp";
  static constexpr size_t kSize = 8;
  static constexpr auto kRows = std::tuple{At("source_port", 0, 0, 16, &Udp::source_port),
                                           At("destination_port", 2, 0, 16, &Udp::destination_port),
                                           At("length", 4, 0, 16, &Udp::length),
                                           At("checksum", 6, 0, 16, &Udp::checksum, Show::kHex)};
};

template <>
struct Layout<Bth> {
  static constexpr std::string_view kName = "bth";
  static constexpr size_t kSize = 12;
  static constexpr auto kRows =
      std::tuple{At("opcode", 0, 0, 8, &Bth::opcode, Show::kHex),
                 At("solicited_event", 1, 0, 1, &Bth::solicited_event),
                 At("migration_state", 1, 1, 1, &Bth::migration_state),
                 At("pad_count", 1, 2, 2, &Bth::pad_count),
                 At("transport_version", 1, 4, 4, &Bth::transport_version),
                 At("pkey", 2, 0, 16, &Bth::pkey, Show::kHex),
                 At("fecn", 4, 0, 1, &Bth::fecn),
                 At("becn", 4, 1, 1, &Bth::becn),
                 At("reserved_4", 4, 2, 6, &Bth::reserved_4, Show::kReserved),
                 At("destination_qp", 5, 0, 24, &Bth::destination_qp),
                 At("ack_request", 8, 0, 1, &Bth::ack_request),
                 At("reserved_8", 8, 1, 7, &Bth::reserved_8, Show::kReserved),
                 At("psn", 9, 0, 24, &Bth::psn, Show::kHex)};
};

template <>
struct Layout<Deth> {
  static constexpr std::string_view kName = "deth";
  static constexpr size_t kSize = 8;
  static constexpr auto kRows =
      std::tuple{At("qkey", 0, 0, 32, &Deth::qkey, Show::kHex),
                 At("reserved_4", 4, 0, 8, &Deth::reserved_4, Show::kReserved),
                 At("source_qp", 5, 0, 24, &Deth::source_qp)};
};

template <>
struct Layout<Icrc> {
  static constexpr std::string_view kName = "icrc";
  static constexpr size_t kSize = 4;
  static constexpr auto kRows = std::tuple{At("value", 0, 0, 32, &Icrc::value, Show::kHex)};
};

}  // namespace cm::mad

#endif  // MODEL_MAD_PACKET_H_
