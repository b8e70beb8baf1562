#include "sim/core/event.h"

#include <array>
#include <cstddef>

namespace cm::sim {

std::string_view ToString(EventKind kind) {
  static constexpr auto kNames = std::to_array<std::string_view>({
      "packet-arrives",
      "mad-timer",
      "timewait-over",
      "send-failed",
      "address-work",
      "route-work",
      "neighbour-work",
      "addr-change-work",
      "close-work",
      "agent-gone",
      "membership-work",
      "work-due",
      "frame-arrives",
      "reply-timer",
      "iw-work",
      "link-turn",
      "work-goes-on",
      "neighbour-fails",
  });
  static_assert(kNames.size() == kEventKindCount);
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace cm::sim
