#include "model/mad/malformed.h"

#include <fmt/format.h>

#include <string>

namespace cm::mad {

std::string ToString(const Malformed& malformed) {
  return fmt::format("{} at {}: expected {}, found {}", malformed.layer, malformed.offset,
                     malformed.expected, malformed.found);
}

}  // namespace cm::mad
