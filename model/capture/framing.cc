#include "model/capture/framing.h"

#include <variant>

#include "model/vocabulary/protocol.h"

namespace cm::wire {

bool IsOfAnotherClass(const mad::MadHeader& header) {
  const bool like_ours = header.method == kSendMethod && header.class_version == kCmClassVersion &&
                         header.kind() != MadKind::kOther;
  return header.mgmt_class != mad::kCmClass && !like_ours;
}

// Only the version and the length of the header are in its first byte.
bool HasAnotherIpHeader(const mad::Malformed& why) { return why.offset == 0; }

bool EndsBeforeItsKind(const mad::Malformed& why, size_t size) {
  const bool before =
      why.layer == "ipv4" || why.layer == "ipv6" || why.layer == "udp" || why.layer == "bth";
  return before && why.offset == size;
}

bool HasWrongChecksum(const mad::Frame& frame) {
  const auto* ip = std::get_if<mad::Ipv4>(&frame.ip);
  return ip != nullptr && ip->checksum != 0 && ip->checksum != mad::ChecksumOf(*ip);
}

}  // namespace cm::wire
