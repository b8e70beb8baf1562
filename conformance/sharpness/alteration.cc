#include "conformance/sharpness/alteration.h"

#include <fmt/format.h>

namespace cm {

std::string RecordingAlteration::Name() const {
  return fmt::format("{} {} {} -> {}", line, field, was.empty() ? "nothing" : was,
                     is.empty() ? "nothing" : is);
}

}  // namespace cm
