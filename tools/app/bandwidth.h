// Rates of links as text.
#ifndef TOOLS_APP_BANDWIDTH_H_
#define TOOLS_APP_BANDWIDTH_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace cm::app {

// Bits a second: "800k", "100M", "25G", or a number; at least 1000, at most 1000G. 0 for an empty
// text, which means no limit.
std::optional<uint64_t> ParseBandwidth(std::string_view text);

}  // namespace cm::app

#endif  // TOOLS_APP_BANDWIDTH_H_
