#include "model/mad/data_packet.h"

#include <cstddef>
#include <span>

#include "model/mad/append.h"
#include "model/mad/field.h"
#include "model/mad/icrc.h"

namespace cm::mad {
namespace {

constexpr size_t kAlignment = 4;

}  // namespace

std::vector<uint8_t> Seal(DataPacket packet) {
  const size_t padding = (kAlignment - packet.rest.size() % kAlignment) % kAlignment;
  packet.bth.pad_count = static_cast<uint8_t>(packet.bth.pad_count + padding);
  packet.rest.resize(packet.rest.size() + padding);
  const auto udp_length =
      static_cast<uint16_t>(kSize<Udp> + kSize<Bth> + packet.rest.size() + kSize<Icrc>);
  packet.ethernet.type = std::holds_alternative<Ipv4>(packet.ip) ? kIpv4Type : kIpv6Type;
  std::vector<uint8_t> bytes;
  internal::Append(packet.ethernet, &bytes);
  std::visit([&](const auto& ip) { internal::AppendIp(ip, kUdpProtocol, udp_length, &bytes); },
             packet.ip);
  internal::Append(Udp{.length = udp_length}, &bytes);
  internal::Append(packet.bth, &bytes);
  bytes.insert(bytes.end(), packet.rest.begin(), packet.rest.end());
  const Icrc icrc{.value = IcrcOf(std::span(bytes).subspan(kSize<Ethernet>))};
  internal::Append(icrc, &bytes);
  return bytes;
}

}  // namespace cm::mad
