#include "model/capture/special_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include "model/capture/claims.h"
#include "model/mad/cma_header.h"
#include "model/mad/text.h"

namespace cm::wire {
namespace {

mad::Gid InHeader(mad::Gid address) {  // without the prefix of an IPv4-mapped address
  constexpr size_t kPrefix = 10;
  if (std::all_of(address.begin(), address.begin() + kPrefix, [](uint8_t b) { return b == 0; }) &&
      address[kPrefix] == 0xff && address[kPrefix + 1] == 0xff)
    address[kPrefix] = address[kPrefix + 1] = 0;
  return address;
}

// Whether it may not know its peer, which a refused call has taken away. source: linux 5.10
// cma.c resolve_prepare_src
bool MayForgetItsPeer(const SenderFingerprint& sender) {
  return std::ranges::any_of(sender.profiles(), [](const Profile* profile) {
    return profile->dialect.refused_resolve_clears_destination;
  });
}

// Whether the RDMA CM header has the addresses that the message travels between.
template <typename M>
bool BeginsWithHeader(const CapturedMessage& sighting, const M& request, bool forgets = false) {
  const mad::CmaHeader header = mad::CmaHeaderOf(request);
  const bool none = forgets && header.destination_address == mad::Gid{};
  return header.source_address == InHeader(sighting.from) &&
         (none || header.destination_address == InHeader(sighting.to));
}

std::optional<Violation> CheckAddresses(const CapturedMessage& sighting,
                                        const SenderFingerprint& sender) {
  const bool forgets = MayForgetItsPeer(sender);
  if (const auto* req = sighting.As<mad::Req>()) {
    const bool none = forgets && req->primary_remote_gid == mad::Gid{};
    if (req->primary_local_gid != sighting.from ||
        (req->primary_remote_gid != sighting.to && !none))
      return Broken(sighting, claims::kAddresses,
                    fmt::format("GIDs {} and {}", AddressText(req->primary_local_gid),
                                AddressText(req->primary_remote_gid)),
                    fmt::format("{} and {}", AddressText(sighting.from), AddressText(sighting.to)));
  }
  const auto check = [&](const auto& request) -> std::optional<Violation> {
    const auto service = mad::ServiceOf(request.service_id);
    // An AF_IB id has no such header.
    if (!service || service->space == PortSpace::kIb) return std::nullopt;
    if (BeginsWithHeader(sighting, request, forgets)) return std::nullopt;
    return Broken(sighting, claims::kCmaAddresses, "other addresses in the header of RDMA CM",
                  fmt::format("{} and {}", AddressText(sighting.from), AddressText(sighting.to)));
  };
  if (const auto* req = sighting.As<mad::Req>()) return check(*req);
  if (const auto* req = sighting.As<mad::SidrReq>()) return check(*req);
  return std::nullopt;
}

uint64_t GuidIn(const mad::Rej& rej) {
  uint64_t guid = 0;
  for (int i = 0; i < 8; ++i) guid = guid << 8 | rej.ari[i];
  return guid;
}

// The local id of a REJ that is sent without an id: the bytes in its place in the REQ. 0 for an
// unknown REQ.
uint32_t EchoBy(const mad::Req* req) {
  return req == nullptr ? 0 : uint32_t{req->reserved_4} << 24 | req->vendor_id;
}

std::optional<Violation> CheckRej(const CapturedMessage& sighting, bool active,
                                  std::span<const Spoken> before) {
  const auto* rej = sighting.As<mad::Rej>();
  if (rej == nullptr) return std::nullopt;
  const auto* req = FirstOf<mad::Req>(before);
  const bool about_req = rej->message_rejected == mad::About::kReq;
  const bool without_id = about_req && rej->local_cid == 0;
  const bool echoes_request = about_req && rej->local_cid == EchoBy(req);
  const bool says_gid = rej->reject_info_length == sizeof(mad::Gid) &&
                        std::any_of(rej->ari.begin(), rej->ari.begin() + sizeof(mad::Gid),
                                    [](uint8_t b) { return b; });
  const auto odd = [&](const Claim& claim) {
    return Broken(
        sighting, claim,
        fmt::format("reason {} about {}, ids {:#x} and {:#x}, {} bytes of information",
                    static_cast<int>(rej->reason), static_cast<int>(rej->message_rejected),
                    rej->local_cid, rej->remote_cid, rej->reject_info_length),
        std::string(claim.says));
  };
  if (rej->local_cid == 0 && !about_req) return odd(claims::kRejWithoutId);
  const RejReason reason = rej->reason;
  if (reason == RejReason::kTimeout) {
    if (!active || rej->message_rejected != mad::About::kOther || rej->remote_cid != 0 ||
        (req != nullptr && GuidIn(*rej) != req->local_ca_guid))
      return odd(claims::kRejTimeout);
  }
  if (reason == RejReason::kInvalidServiceId && !echoes_request) return odd(claims::kRejNoService);
  if (reason == RejReason::kStaleConn && about_req && !without_id && !echoes_request)
    return odd(claims::kRejStale);
  if ((reason == RejReason::kInvalidGid || reason == RejReason::kInvalidAltGid) &&
      (!without_id || !says_gid))
    return odd(claims::kRejGid);
  return std::nullopt;
}

// An XRC target QP has its number there; others have none. source: linux 6.1 cm.c cm_format_rep
std::optional<Violation> CheckEeContext(const CapturedMessage& sighting,
                                        std::span<const Spoken> before) {
  const auto* rep = sighting.As<mad::Rep>();
  const auto* req = FirstOf<mad::Req>(before);
  if (rep == nullptr || req == nullptr || rep->local_eecn == 0) return std::nullopt;
  if (req->transport_service_type == mad::TransportServiceType::kExtended) return std::nullopt;
  return Broken(sighting, claims::kEeContext, Number(rep->local_eecn), "0");
}

bool HasData(const mad::Message& message) {
  const auto set = [](uint8_t byte) { return byte != 0; };
  const auto* rej = std::get_if<mad::Rej>(&message);
  if (rej != nullptr && rej->local_cid == 0)
    return std::any_of(rej->private_data.begin(), rej->private_data.end(), set);
  return std::visit(
      [&](const auto& m) {
        using M = std::remove_cvref_t<decltype(m)>;
        if constexpr (std::is_same_v<M, mad::Mra> || std::is_same_v<M, mad::Rtu> ||
                      std::is_same_v<M, mad::Dreq> || std::is_same_v<M, mad::Drep>)
          return std::any_of(m.private_data.begin(), m.private_data.end(), set);
        else
          return false;
      },
      message);
}

std::optional<Violation> CheckLinuxRej(const CapturedMessage& sighting) {
  const auto* rej = sighting.As<mad::Rej>();
  if (rej == nullptr) return std::nullopt;
  // Reasons that carry information, and those that carry none.
  constexpr auto kInformed = std::to_array({4, 12, 18});
  constexpr auto kBare = std::to_array({8, 10, 28, 35});
  const auto is_in = [reason = static_cast<int>(rej->reason)](const auto& reasons) {
    return std::ranges::find(reasons, reason) != reasons.end();
  };
  if (is_in(kInformed) || (is_in(kBare) && rej->reject_info_length == 0)) return std::nullopt;
  return Broken(sighting, claims::kRejReason,
                fmt::format("reason {} with {} bytes of information", static_cast<int>(rej->reason),
                            rej->reject_info_length),
                "4, 12 and 18 with information; 8, 10, 28 and 35 without");
}

// source: linux 6.1 cma.c cma_get_roce_udp_flow_label
std::optional<Violation> CheckFlowLabel(const CapturedMessage& sighting, const mad::Req& req) {
  const auto service = mad::ServiceOf(req.service_id);
  const bool computed = service && mad::HasCmaHeader(req);
  if (!computed || std::holds_alternative<mad::Ipv6>(sighting.frame.ip)) return std::nullopt;
  const uint32_t source = mad::CmaHeaderOf(req).port;
  const uint32_t label = (source * 31 + service->port) & 0xfffff;
  if (label == req.primary_flow_label) return std::nullopt;
  return Broken(sighting, claims::kFlowLabel, fmt::format("{:#x}", req.primary_flow_label),
                fmt::format("{:#x}", label));
}

std::optional<Violation> CheckService(const CapturedMessage& sighting) {
  const auto* req = sighting.As<mad::Req>();
  const auto* sidr = sighting.As<mad::SidrReq>();
  if (req == nullptr && sidr == nullptr) return std::nullopt;
  const uint64_t id = req != nullptr ? req->service_id : sidr->service_id;
  const auto service = mad::ServiceOf(id);
  const bool both = service && service->space == PortSpace::kIb;
  const bool connects = service && service->space == PortSpace::kTcp;
  if (both || (service && connects == (req != nullptr))) return std::nullopt;
  // For others than RDMA CM any value; they have no RDMA CM header.
  if (!service &&
      (req != nullptr ? !BeginsWithHeader(sighting, *req) : !BeginsWithHeader(sighting, *sidr)))
    return std::nullopt;
  return Broken(sighting, claims::kService, Number(id), std::string(claims::kService.says));
}

std::optional<Violation> CheckAlternate(const CapturedMessage& sighting) {
  const auto* req = sighting.As<mad::Req>();
  if (req == nullptr) return std::nullopt;
  if (req->alternate_local_gid == mad::Gid{} && req->alternate_remote_gid == mad::Gid{})
    return std::nullopt;
  return Broken(sighting, claims::kNoAlternate,
                fmt::format("alternate GIDs {} and {}", AddressText(req->alternate_local_gid),
                            AddressText(req->alternate_remote_gid)),
                "none");
}

std::optional<Violation> CheckTid(const CapturedMessage& sighting) {
  const bool own = sighting.kind() == MadKind::kReq || sighting.kind() == MadKind::kSidrReq ||
                   sighting.kind() == MadKind::kDreq;
  if (!own) return std::nullopt;
  const Cids cids = CidsOf(sighting.mad().message);
  const auto low = static_cast<uint32_t>(sighting.mad().header.tid);
  // In the byte order of the sender's CPU: little-endian mostly.
  if (low == cids.local || low == __builtin_bswap32(cids.local)) return std::nullopt;
  return Broken(sighting, claims::kTidOfCid, fmt::format("TID {:#x}", low),
                fmt::format("{:#x} or {:#x}", cids.local, __builtin_bswap32(cids.local)));
}

}  // namespace

std::optional<Violation> FirstBrokenRule(const CapturedMessage& sighting, bool active,
                                         std::span<const Spoken> before,
                                         const SenderFingerprint& sender) {
  if (auto odd = CheckAddresses(sighting, sender)) return odd;
  if (auto odd = CheckRej(sighting, active, before)) return odd;
  if (auto odd = CheckEeContext(sighting, before)) return odd;
  if (!sender.is_known()) return std::nullopt;
  if (auto odd = CheckLinuxRej(sighting)) return odd;
  if (HasData(sighting.mad().message))
    return Broken(sighting, claims::kNoData, "private data", "zeros");
  if (const auto* req = sighting.As<mad::Req>(); req != nullptr)
    if (auto odd = CheckFlowLabel(sighting, *req)) return odd;
  if (auto odd = CheckService(sighting)) return odd;
  if (sender.IsOver(Transport::kRoce))
    if (auto odd = CheckAlternate(sighting)) return odd;
  if (sighting.kind() == MadKind::kLap || sighting.kind() == MadKind::kApr)
    return Broken(sighting, claims::kNeverSent, std::string(ToString(sighting.kind())), "neither");
  return CheckTid(sighting);
}

}  // namespace cm::wire
