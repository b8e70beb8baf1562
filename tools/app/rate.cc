#include "tools/app/rate.h"

#include <charconv>
#include <string_view>
#include <system_error>

namespace cm::app {

std::optional<uint64_t> ParseRate(std::string_view text) {
  constexpr uint64_t kThousand = 1'000;
  constexpr uint64_t kMost = kThousand * kThousand * kThousand * kThousand;
  if (text.empty()) return 0;
  uint64_t rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || rate > kMost) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  constexpr std::string_view kUnits = "kMG";
  const size_t nth = unit.empty() ? 0 : kUnits.find(unit) + 1;
  if (unit.size() > 1 || (!unit.empty() && nth == 0)) return std::nullopt;
  for (size_t i = 0; i < nth; ++i) {
    rate *= kThousand;
    if (rate > kMost) return std::nullopt;
  }
  if (rate < kThousand) return std::nullopt;
  return rate;
}

}  // namespace cm::app
