// The work table: with which status a posted request completes, and why.
//
// Example: a message that is longer than the receive it meets completes with REM_INV_REQ_ERR where
// it was sent (work-length-1) and with LOC_LEN_ERR where it was to be received (work-length-2);
// with REM_OP_ERR and LOC_QP_OP_ERR on Soft-RoCE (work-length-3, work-length-4). Which of the two
// it is, is a matter of the profile's dialect.
#ifndef MODEL_WORK_COMPLETION_RULES_H_
#define MODEL_WORK_COMPLETION_RULES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "model/base/enumeration.h"
#include "model/rules/need.h"
#include "model/rules/rule.h"
#include "model/rules/transports.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/work.h"

namespace cm::model {

enum class WorkKind : uint8_t { kMessage, kWrite, kRead, kDatagram, kReceive };
inline constexpr int kWorkKindCount = kCountOf<WorkKind>;
using WorkKinds = Set<WorkKind>;

// What becomes of a request.
enum class WorkEnd : uint8_t {
  kDone,                // it is carried out
  kFlushed,             // its queue pair is in error before
  kPieceUnreachable,    // a piece of it does not lie in a region of its device
  kReceiveTooShort,     // the message is longer than the receive
  kReceiveUnreachable,  // a piece of the receive does not lie in a region
  kReceiveMissing,      // no receive is posted, as often as it is tried
  kRemoteForbidden,     // the remote range does not lie in a region that allows it
  kPeerSilent,          // the peer does not answer
};
using WorkEnds = Set<WorkEnd>;

struct WorkRule {
  std::string_view id;
  WorkKinds on;
  WorkEnd when;
  WcStatus status;
  bool peer_fails;  // the queue pair at the other end is in error, too
  Evidence evidence;
  Need needs = Need::kNothing;
  Transports over = over::kIbCm;
};

namespace rules {

inline constexpr WorkKinds kAnyWork = WorkKinds::All(kWorkKindCount);

extern const std::span<const WorkRule> kWork;

}  // namespace rules

WorkKind WorkKindOf(CallKind call);
std::string_view ToString(WorkKind kind);
std::string_view ToString(WorkEnd end);

}  // namespace cm::model

#endif  // MODEL_WORK_COMPLETION_RULES_H_
