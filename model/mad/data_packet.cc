#include "model/mad/data_packet.h"

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "model/mad/field.h"
#include "model/mad/icrc.h"

namespace cm::mad {
namespace {

constexpr size_t kAlignment = 4;

template <typename M>
void Append(const M& layer, std::vector<uint8_t>* bytes) {
  bytes->resize(bytes->size() + kSize<M>);
  Put(layer, bytes->data() + bytes->size() - kSize<M>);
}

void AppendIp(Ipv4 ip, uint16_t udp_length, std::vector<uint8_t>* bytes) {
  ip.total_length = static_cast<uint16_t>(kSize<Ipv4> + udp_length);
  std::array<uint8_t, kSize<Ipv4>> header{};
  Put(ip, header.data());
  ip.checksum = ChecksumOf(std::span<const uint8_t, kSize<Ipv4>>(header));
  Append(ip, bytes);
}

void AppendIp(Ipv6 ip, uint16_t udp_length, std::vector<uint8_t>* bytes) {
  ip.payload_length = udp_length;
  Append(ip, bytes);
}

}  // namespace

std::vector<uint8_t> Seal(DataPacket packet) {
  const size_t padding = (kAlignment - packet.rest.size() % kAlignment) % kAlignment;
  packet.bth.pad_count = static_cast<uint8_t>(packet.bth.pad_count + padding);
  packet.rest.resize(packet.rest.size() + padding);
  const auto udp_length =
      static_cast<uint16_t>(kSize<Udp> + kSize<Bth> + packet.rest.size() + kSize<Icrc>);
  packet.ethernet.type = std::holds_alternative<Ipv4>(packet.ip) ? kIpv4Type : kIpv6Type;
  std::vector<uint8_t> bytes;
  Append(packet.ethernet, &bytes);
  std::visit([&](const auto& ip) { AppendIp(ip, udp_length, &bytes); }, packet.ip);
  Append(Udp{.length = udp_length}, &bytes);
  Append(packet.bth, &bytes);
  bytes.insert(bytes.end(), packet.rest.begin(), packet.rest.end());
  const Icrc icrc{.value = IcrcOf(std::span(bytes).subspan(kSize<Ethernet>))};
  Append(icrc, &bytes);
  return bytes;
}

}  // namespace cm::mad
