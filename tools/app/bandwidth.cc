#include "tools/app/bandwidth.h"

#include <charconv>
#include <string_view>
#include <system_error>

namespace cm::app {

std::optional<uint64_t> ParseBandwidth(std::string_view text) {
  constexpr uint64_t kThousand = 1'000;
  constexpr uint64_t kMost = kThousand * kThousand * kThousand * kThousand;
  if (text.empty()) return 0;
  uint64_t bits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
  if (error != std::errc() || bits > kMost) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  constexpr std::string_view kUnits = "kMG";
  const size_t nth = unit.empty() ? 0 : kUnits.find(unit) + 1;
  if (unit.size() > 1 || (!unit.empty() && nth == 0)) return std::nullopt;
  for (size_t i = 0; i < nth; ++i) {
    bits *= kThousand;
    if (bits > kMost) return std::nullopt;
  }
  if (bits < kThousand) return std::nullopt;
  return bits;
}

}  // namespace cm::app
