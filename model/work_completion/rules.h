// The work table: with which status a posted request completes, and why.
//
// Example: a message that is longer than the receive it meets completes with REM_INV_REQ_ERR where
// it was sent (work-length-1) and with LOC_LEN_ERR where it was to be received (work-length-2);
// with REM_OP_ERR and LOC_QP_OP_ERR on Soft-RoCE (work-length-3, work-length-4). Which of the two
// it is, is a matter of the profile's dialect.
#ifndef MODEL_WORK_COMPLETION_RULES_H_
#define MODEL_WORK_COMPLETION_RULES_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "model/rules/enumeration.h"
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
  kPeerSilent,          // nobody answers
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
inline constexpr WorkKinds kConnectedWork =
    WorkKinds(WorkKind::kMessage) | WorkKind::kWrite | WorkKind::kRead;

// clang-format off
inline constexpr auto kWork = std::to_array<WorkRule>({
  {"work-done-1", kAnyWork, WorkEnd::kDone, WcStatus::kSuccess, false, {"man ibv_poll_cq(3)", "lab 6.1-rxe data, seed 1"}},
  {"work-flush-1", kAnyWork, WorkEnd::kFlushed, WcStatus::kWrFlush, false, {"linux 6.1 rxe_comp.c rxe_drain_resp_pkts, rxe_resp.c check_resource", "lab 6.1-rxe data, seed 1"}},
  {"work-piece-1", kConnectedWork | WorkKind::kDatagram, WorkEnd::kPieceUnreachable, WcStatus::kLocProt, false, {"linux 6.1 rxe_req.c rxe_requester, rxe_comp.c do_read", "lab 6.1-rxe data, seed 1"}},
  {"work-length-1", WorkKind::kMessage, WorkEnd::kReceiveTooShort, WcStatus::kRemInvReq, true, {"man ibv_poll_cq(3)", ""}, Need::kLongAsManual},
  {"work-length-2", WorkKind::kReceive, WorkEnd::kReceiveTooShort, WcStatus::kLocLen, true, {"man ibv_poll_cq(3)", ""}, Need::kLongAsManual},
  {"work-length-3", WorkKind::kMessage, WorkEnd::kReceiveTooShort, WcStatus::kRemOp, true, {"linux 6.1 rxe_resp.c send_data_in, rxe_mr.c copy_data", "lab 6.1-rxe data, seed 1"}, Need::kLongAsSoftRoce},
  {"work-length-4", WorkKind::kReceive, WorkEnd::kReceiveTooShort, WcStatus::kLocQpOp, true, {"linux 6.1 rxe_resp.c rxe_responder", "lab 6.1-rxe data, seed 1"}, Need::kLongAsSoftRoce},
  {"work-receive-1", WorkKind::kMessage, WorkEnd::kReceiveUnreachable, WcStatus::kRemOp, true, {"linux 6.1 rxe_resp.c rxe_responder", "lab 6.1-rxe, seed 1"}},
  {"work-receive-2", WorkKind::kReceive, WorkEnd::kReceiveUnreachable, WcStatus::kLocQpOp, true, {"linux 6.1 rxe_resp.c rxe_responder", "lab 6.1-rxe, seed 1"}},
  {"work-rnr-1", WorkKind::kMessage, WorkEnd::kReceiveMissing, WcStatus::kRnrRetryExc, false, {"linux 6.1 rxe_comp.c rxe_completer", "lab 6.1-rxe data, seed 1"}},
  {"work-key-1", WorkKinds(WorkKind::kWrite) | WorkKind::kRead, WorkEnd::kRemoteForbidden, WcStatus::kRemAccess, true, {"linux 6.1 rxe_resp.c check_rkey", "lab 6.1-rxe data, seed 1"}},
  {"work-silent-1", kConnectedWork, WorkEnd::kPeerSilent, WcStatus::kRetryExc, false, {"linux 6.1 rxe_comp.c rxe_completer", ""}},
});
// clang-format on

}  // namespace rules

WorkKind WorkKindOf(CallKind call);
std::string_view ToString(WorkKind kind);
std::string_view ToString(WorkEnd end);

}  // namespace cm::model

#endif  // MODEL_WORK_COMPLETION_RULES_H_
