#include "model/mad/ip_packet.h"

#include "model/base/check.h"
#include "model/mad/append.h"

namespace cm::mad {
namespace {

constexpr size_t kWord = 4;
constexpr size_t kLongestPacket = 65'535;  // of an IP packet
constexpr size_t kTcpChecksumAt = 16;
constexpr size_t kUdpChecksumAt = 6;

// Of 16-bit words; a last byte stands for a word with a zero.
uint64_t SumOf(std::span<const uint8_t> bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2)
    sum += static_cast<uint64_t>(bytes[i] << 8U | bytes[i + 1]);
  if (bytes.size() % 2 != 0) sum += static_cast<uint64_t>(bytes.back()) << 8U;
  return sum;
}

uint16_t Folded(uint64_t sum) {
  while (sum >> 16U != 0) sum = (sum & 0xffff) + (sum >> 16U);
  return static_cast<uint16_t>(~sum);
}

uint64_t SumOf(const Ipv4& ip) {
  return (ip.source >> 16U) + (ip.source & 0xffff) + (ip.destination >> 16U) +
         (ip.destination & 0xffff);
}
uint64_t SumOf(const Ipv6& ip) { return SumOf(ip.source) + SumOf(ip.destination); }

}  // namespace

std::vector<uint8_t> Seal(IpPacket packet) {
  const bool is_tcp = std::holds_alternative<Tcp>(packet.transport);
  const uint8_t protocol = is_tcp ? kTcpProtocol : kUdpProtocol;
  const size_t header = is_tcp ? kSize<Tcp> + packet.options.size() : kSize<Udp>;
  const size_t length = header + packet.payload.size();
  CM_CHECK(packet.options.size() % kWord == 0 && kSize<Ipv4> + length <= kLongestPacket) << length;
  if (auto* const tcp = std::get_if<Tcp>(&packet.transport))
    tcp->words = static_cast<uint8_t>(header / kWord);
  if (auto* const udp = std::get_if<Udp>(&packet.transport))
    udp->length = static_cast<uint16_t>(length);
  packet.ethernet.type = std::holds_alternative<Ipv4>(packet.ip) ? kIpv4Type : kIpv6Type;
  std::vector<uint8_t> bytes;
  bytes.reserve(kSize<Ethernet> + kSize<Ipv6> + length);
  internal::Append(packet.ethernet, &bytes);
  std::visit([&](const auto& ip) { internal::AppendIp(ip, protocol, length, &bytes); }, packet.ip);
  const size_t begin = bytes.size();
  std::visit([&](const auto& layer) { internal::Append(layer, &bytes); }, packet.transport);
  bytes.insert(bytes.end(), packet.options.begin(), packet.options.end());
  bytes.insert(bytes.end(), packet.payload.begin(), packet.payload.end());
  const uint64_t pseudo =
      std::visit([](const auto& ip) { return SumOf(ip); }, packet.ip) + protocol + length;
  uint16_t checksum = Folded(pseudo + SumOf(std::span(bytes).subspan(begin)));
  // Over UDP 0 is none.
  if (!is_tcp && checksum == 0) checksum = 0xffff;
  const size_t at = begin + (is_tcp ? kTcpChecksumAt : kUdpChecksumAt);
  bytes[at] = static_cast<uint8_t>(checksum >> 8U);
  bytes[at + 1] = static_cast<uint8_t>(checksum);
  return bytes;
}

}  // namespace cm::mad
