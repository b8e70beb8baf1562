// The column `needs` of the tables: what else than the transport decides whether an implementation
// can show a row.
#ifndef MODEL_RULES_NEED_H_
#define MODEL_RULES_NEED_H_

#include <cstdint>

#include "model/vocabulary/profile.h"

namespace cm::model {

enum class Need : uint8_t {
  kNothing,
  kTester,          // messages that no connection manager sends
  kLaterCalls,      // the calls of the library's map 1.4
  kNoLaterCalls,    // a kernel that does not serve them
  kFailingSends,    // a message that is sent over a link that is down fails at once
  kLongAsManual,    // messages that are too long complete as the manual says
  kLongAsSoftRoce,  // or as Soft-RoCE has it
  kToldNeighbours,  // neighbours with another hardware address are reported
  kTimedRoutes,     // a route wants a timeout
  kPlainErrors,     // the provider refuses posts with errnos
  kNegativeErrors,  // or with negative ones
};

// The dialect decides nothing about the other needs.
constexpr bool OfDialect(Need need, const Dialect& dialect) {
  if (need == Need::kFailingSends) return dialect.link_down_fails_sends;
  if (need == Need::kLongAsManual) return dialect.long_messages_as_manual;
  if (need == Need::kLongAsSoftRoce) return !dialect.long_messages_as_manual;
  if (need == Need::kToldNeighbours) return dialect.neighbour_changes_are_told;
  if (need == Need::kTimedRoutes) return !dialect.route_timeout_may_be_zero;
  if (need == Need::kPlainErrors) return !dialect.refused_posts_are_negative;
  if (need == Need::kNegativeErrors) return dialect.refused_posts_are_negative;
  return true;
}

}  // namespace cm::model

#endif  // MODEL_RULES_NEED_H_
