// Rates as text.
#ifndef TOOLS_APP_RATE_H_
#define TOOLS_APP_RATE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace cm::app {

// Bits or instructions a second: "800k", "100M", "25G", or a number; at least 1000, at most 1000G.
// 0 for an empty text, which means that there is no such option.
std::optional<uint64_t> ParseRate(std::string_view text);

}  // namespace cm::app

#endif  // TOOLS_APP_RATE_H_
