#include "model/capture/captured_message.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <variant>

namespace cm::wire {
namespace {

mad::Gid Mapped(uint32_t ipv4) {
  mad::Gid gid{};
  gid[10] = gid[11] = 0xff;
  for (int i = 0; i < 4; ++i) gid[12 + i] = static_cast<uint8_t>(ipv4 >> (24 - 8 * i));
  return gid;
}

}  // namespace

Cids CidsOf(const mad::Message& message) {
  return std::visit(
      [](const auto& m) -> Cids {
        using M = std::remove_cvref_t<decltype(m)>;
        if constexpr (std::is_same_v<M, mad::Opaque>) {
          return {};
        } else if constexpr (std::is_same_v<M, mad::Req>) {
          return {m.local_cid, 0};
        } else if constexpr (std::is_same_v<M, mad::SidrReq>) {
          return {m.request_id, 0};
        } else if constexpr (std::is_same_v<M, mad::SidrRep>) {
          return {0, m.request_id};
        } else {
          return {m.local_cid, m.remote_cid};
        }
      },
      message);
}

bool ByNobody(const CapturedMessage& sighting) {
  const auto* rej = sighting.As<mad::Rej>();
  if (rej == nullptr || rej->message_rejected != mad::About::kReq) return false;
  return rej->local_cid == 0 || rej->reason == RejReason::kInvalidServiceId ||
         rej->reason == RejReason::kStaleConn;
}

bool IsAbout(const CapturedMessage& sighting, mad::About what) {
  if (const auto* mra = sighting.As<mad::Mra>()) return mra->message_mraed == what;
  if (const auto* rej = sighting.As<mad::Rej>()) return rej->message_rejected == what;
  return false;
}

mad::Gid SourceOf(const mad::Ip& ip) {
  if (const auto* v4 = std::get_if<mad::Ipv4>(&ip)) return Mapped(v4->source);
  return std::get_if<mad::Ipv6>(&ip)->source;
}

mad::Gid DestinationOf(const mad::Ip& ip) {
  if (const auto* v4 = std::get_if<mad::Ipv4>(&ip)) return Mapped(v4->destination);
  return std::get_if<mad::Ipv6>(&ip)->destination;
}

std::string AddressText(const mad::Gid& address) {
  const mad::Gid mapped = Mapped(0);
  const bool v4 = std::equal(mapped.begin(), mapped.begin() + 12, address.begin());
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(v4 ? AF_INET : AF_INET6, address.data() + (v4 ? 12 : 0), text, sizeof(text));
  return text;
}

std::string Number(uint64_t value) { return fmt::format("{:#x}", value); }

}  // namespace cm::wire
