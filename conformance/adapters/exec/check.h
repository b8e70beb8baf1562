// Tries of a driver by itself: whether it keeps the protocol, and not whether what it does is
// right.
#ifndef CONFORMANCE_ADAPTERS_EXEC_CHECK_H_
#define CONFORMANCE_ADAPTERS_EXEC_CHECK_H_

#include <functional>
#include <string>
#include <string_view>

#include "conformance/adapters/exec/peer.h"

namespace cm {

struct Tried {
  std::string_view name;  // "the greeting"
  std::string problem;    // empty: it keeps the protocol
  bool left_out = false;  // the driver has not what is tried; `problem` says what
};

// Tries everything, each with a driver that is started anew, until there is no greeting or no
// answer. Calls `on_tried` with each try when it is over; goes on while that returns true.
void CheckDriver(const DriverPlace& place, const std::function<bool(const Tried&)>& on_tried);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_EXEC_CHECK_H_
