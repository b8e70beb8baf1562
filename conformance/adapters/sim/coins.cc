#include "conformance/adapters/sim/coins.h"

#include <fmt/format.h>

namespace cm {

StreamState CoinsOf(const Conversation& conversation) {
  const Origin origin = conversation.origin.value_or(Origin{});
  return NamedStream(origin.seed, fmt::format("world {}", origin.index));
}

}  // namespace cm
