// The cm_id table: what a conforming implementation may answer to each call on an id, in each
// state, under each guard. A refusal is a row, not an absence; rows that share (state, call, guard)
// are alternatives.
//
// Example: rdma_connect on an id whose route is resolved, with private data that fits, returns 0,
// moves the id to CONNECT and sends REQ (connect-7); with too much data it returns -1 EINVAL and
// may be tried again (connect-6).
#ifndef MODEL_CM_ID_RULES_H_
#define MODEL_CM_ID_RULES_H_

#include <span>
#include <string_view>

#include "model/cm_id/effect.h"
#include "model/cm_id/guard.h"
#include "model/cm_id/state.h"
#include "model/rules/need.h"
#include "model/rules/rule.h"
#include "model/rules/transports.h"

namespace cm::model {

struct CallRule {
  std::string_view id;  // permanent
  States from;
  CallKind on;
  Guards when;
  Outcome outcome;
  State to;
  Effects effects;
  Evidence evidence;
  Need needs = Need::kNothing;
  Transports over = over::kAll;  // of those that its guards can hold over
};

namespace rules {

// Guards of an address that an id cannot be bound to.
inline constexpr Guards kBindTrouble = Guards(Guard::kAddressNotLocal) | Guard::kInterfaceDiffers |
                                       Guard::kOtherLink | Guard::kDeviceGone | Guard::kPortInUse |
                                       Guard::kPortInUseByWildcard;

extern const std::span<const CallRule> kCalls;

}  // namespace rules

// What happens to an id from below: resolution, the environment. Hidden: only events tell.
enum class Below : uint8_t {
  kAddressFound,
  kAddressTimesOut,       // the destination does not answer
  kAddressWithoutDevice,  // the interface found has no RDMA device
  kAddressOfOtherLink,    // nor is it of a link that the port space is for
  kRouteFound,
  kDeviceGoes,        // its device is being removed
  kKernelIdClosed,    // after that
  kAddressChanges,    // the bond under it has failed over
  kNeighbourChanges,  // its peer's hardware address has changed
  kGroupJoined,       // a membership is complete
  kGroupWithoutGid,   // or there is no way to the group
  kRouteTimesOut,     // the SA does not answer
  kRouteRefused,      // or says that there is no path
  kGroupTimesOut,     // the SA does not answer a join
};
std::string_view ToString(Below below);

struct BelowInfo {
  Below on;
  std::string_view name;
  Transports over = over::kAll;
  Need needs = Need::kNothing;
};
const BelowInfo& InfoOf(Below below);

struct BelowRule {
  std::string_view id;
  States from;
  Below on;
  State to;
  EventType reports;
  int32_t status;
  bool silent;  // nothing is reported
  Evidence evidence;
  Transports over = over::kAll;  // of those that its stimulus is of
};

namespace rules {

extern const std::span<const BelowRule> kFromBelow;

}  // namespace rules

// The rows on a call, of rules::kCalls.
std::span<const CallRule> RowsOn(CallKind call);

}  // namespace cm::model

#endif  // MODEL_CM_ID_RULES_H_
