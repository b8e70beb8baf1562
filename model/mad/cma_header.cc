#include "model/mad/cma_header.h"

#include <cstdint>
#include <optional>

#include "model/vocabulary/protocol.h"

namespace cm::mad {

std::optional<Service> ServiceOf(uint64_t service_id) {
  if (service_id >> 32 != 0) return std::nullopt;
  const auto space = static_cast<PortSpace>(service_id >> 16);
  switch (space) {
    case PortSpace::kIpoib:
    case PortSpace::kTcp:
    case PortSpace::kUdp:
    case PortSpace::kIb:
      return Service{space, static_cast<uint16_t>(service_id)};
  }
  return std::nullopt;
}

}  // namespace cm::mad
