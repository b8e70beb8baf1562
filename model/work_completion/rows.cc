#include <array>

#include "model/work_completion/rules.h"

namespace cm::model::rules {
namespace {

constexpr WorkKinds kConnectedWork =
    WorkKinds(WorkKind::kMessage) | WorkKind::kWrite | WorkKind::kRead;

// clang-format off
constexpr auto kWorkRows = std::to_array<WorkRule>({
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

}  // namespace

constinit const std::span<const WorkRule> kWork = kWorkRows;

}  // namespace cm::model::rules
