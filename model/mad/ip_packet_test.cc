// Checksums are tried as a receiver does: all words, with those of the pseudo header, add up to
// 0xffff. source: RFC 1071
#include "model/mad/ip_packet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cm::mad {
namespace {

constexpr size_t kEthernet = 14;

uint32_t Sum(std::span<const uint8_t> bytes) {
  uint32_t sum = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    sum += i % 2 == 0 ? static_cast<uint32_t>(bytes[i]) << 8U : bytes[i];
  return sum;
}

uint32_t Fold(uint32_t sum) {
  while (sum >> 16U != 0) sum = (sum & 0xffffU) + (sum >> 16U);
  return sum;
}

// What a receiver adds up, from the addresses on: protocol, length, and the rest of the packet.
uint32_t Received(const std::vector<uint8_t>& frame, size_t addresses, size_t rest,
                  uint8_t protocol) {
  const std::span bytes(frame);
  const auto length = static_cast<uint32_t>(bytes.size() - rest);
  return Fold(Sum(bytes.subspan(addresses, rest - addresses)) + protocol + length +
              Sum(bytes.subspan(rest)));
}

IpPacket Over(bool v6, std::span<const uint8_t> payload) {
  IpPacket packet{.ethernet = {},
                  .ip = Ipv4{.source = 0x0a000001, .destination = 0x0a0001ff},
                  .transport = Tcp{.source_port = 40'000, .destination_port = 5'000, .ack = true},
                  .options = {},
                  .payload = payload};
  if (!v6) return packet;
  Ipv6 ip;
  ip.source[0] = ip.destination[0] = 0xfd;
  ip.source[15] = 1;
  ip.destination[15] = 2;
  packet.ip = ip;
  return packet;
}

TEST(IpPacket, HasChecksumsThatReceiversFindRight) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{5}, size_t{1'460}, size_t{64'240}}) {
    std::vector<uint8_t> payload(size);
    for (size_t i = 0; i < size; ++i) payload[i] = static_cast<uint8_t>(i * 7 + 255);
    const auto v4 = Seal(Over(false, payload));
    EXPECT_EQ(v4.size(), kEthernet + 20 + 20 + size);
    EXPECT_EQ(Fold(Sum(std::span(v4).subspan(kEthernet, 20))), 0xffffU) << size;
    EXPECT_EQ(Received(v4, kEthernet + 12, kEthernet + 20, kTcpProtocol), 0xffffU) << size;
    EXPECT_EQ(v4[kEthernet + 9], kTcpProtocol);
    const auto v6 = Seal(Over(true, payload));
    EXPECT_EQ(Received(v6, kEthernet + 8, kEthernet + 40, kTcpProtocol), 0xffffU) << size;
    EXPECT_EQ(v6[12] << 8U | v6[13], kIpv6Type);
    IpPacket datagram = Over(false, payload);
    datagram.transport = Udp{.source_port = 1, .destination_port = 2};
    EXPECT_EQ(Received(Seal(datagram), kEthernet + 12, kEthernet + 20, kUdpProtocol), 0xffffU);
  }
}

TEST(IpPacket, CountsItsOptions) {
  IpPacket packet = Over(false, {});
  packet.options = {2, 4, 5, 180, 1, 3, 3, 8};
  const auto bytes = Seal(packet);
  EXPECT_EQ(bytes[kEthernet + 20 + 12] >> 4U, 7);
  EXPECT_EQ(Received(bytes, kEthernet + 12, kEthernet + 20, kTcpProtocol), 0xffffU);
}

// 0 would say that there is no checksum. source: RFC 768
TEST(IpPacket, HasAChecksumOverUdpThatIsNotZero) {
  for (uint32_t word = 0; word <= 0xffff; ++word) {
    const std::vector<uint8_t> payload = {static_cast<uint8_t>(word >> 8U),
                                          static_cast<uint8_t>(word)};
    IpPacket packet = Over(false, payload);
    packet.transport = Udp{.source_port = 1, .destination_port = 2};
    const auto bytes = Seal(packet);
    ASSERT_TRUE(bytes[kEthernet + 26] != 0 || bytes[kEthernet + 27] != 0) << word;
  }
}

}  // namespace
}  // namespace cm::mad
