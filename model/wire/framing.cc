#include "model/wire/framing.h"

#include <variant>
#include <vector>

#include "model/mad/field.h"

namespace cm::wire {

using mad::Attribute;

bool IsOfAnotherClass(const mad::MadHeader& header) {
  const auto attribute = static_cast<int>(header.attribute_id);
  const bool like_ours = header.method == mad::kSend &&
                         header.class_version == mad::kCmClassVersion &&
                         attribute >= static_cast<int>(Attribute::kReq) &&
                         attribute <= static_cast<int>(Attribute::kApr);
  return header.mgmt_class != mad::kCmClass && !like_ours;
}

bool EndsBeforeItsKind(const mad::Malformed& why, size_t size) {
  const bool before =
      why.layer == "ipv4" || why.layer == "ipv6" || why.layer == "udp" || why.layer == "bth";
  return before && why.offset == size;
}

bool HasWrongChecksum(const mad::Frame& frame) {
  const auto* ip = std::get_if<mad::Ipv4>(&frame.ip);
  return ip != nullptr && ip->checksum != 0 && ip->checksum != mad::ChecksumOf(*ip);
}

bool IsMessageElsewhere(std::span<const uint8_t> ip_packet) {
  constexpr size_t kRest = mad::kSize<mad::Udp> + mad::kSize<mad::Bth> + mad::kSize<mad::Deth> +
                           mad::kMadSize + mad::kSize<mad::Icrc>;
  if (ip_packet.size() < kRest) return false;
  const size_t ip = ip_packet.size() - kRest;
  if (ip != mad::kSize<mad::Ipv4> && ip != mad::kSize<mad::Ipv6>) return false;
  std::vector<uint8_t> bytes(ip_packet.begin(), ip_packet.end());
  const size_t at = ip + mad::kSize<mad::Udp>;
  auto bth = mad::Get<mad::Bth>(bytes.data() + at);
  bth.opcode = mad::kUdSendOnly;
  bth.destination_qp = mad::kGeneralServicesQp;
  mad::Put(bth, bytes.data() + at);
  const auto decoded = mad::Decode(bytes, mad::LinkType::kRaw);
  if (!decoded.ok()) return false;
  const mad::Frame& frame = decoded.value();
  return frame.mad.header.mgmt_class == mad::kCmClass &&
         frame.deth.qkey == mad::kGeneralServicesQkey &&
         frame.deth.source_qp == mad::kGeneralServicesQp;
}

}  // namespace cm::wire
