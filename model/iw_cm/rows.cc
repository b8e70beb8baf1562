#include <array>

#include "model/iw_cm/proofs.h"
#include "model/iw_cm/rules.h"

namespace cm::model::rules {
namespace {

namespace iw {
constexpr IwStates kAny = IwStates::All(kIwStateCount);
constexpr IwStates kUnanswered = IwStates(IwState::kConnRecv) | IwState::kConnLost;
constexpr IwStates kOver = IwStates(IwState::kNone) | IwState::kIdle | IwState::kClosing;
}  // namespace iw

// clang-format off
constexpr auto kIwCmRows = std::to_array<IwRule>({
  {"iw-connect-1", IwState::kNone, IwStimulus::kConnect, IwAnswer::kDone, IwState::kConnSent, Sends::kMpaRequest, Report::kNothing, {"linux 6.1 iwcm.c iw_cm_connect, siw_cm.c siw_connect", "6.1-siw/01-connect_disconnect_by_active:12"}},
  {"iw-connect-2", iw::kAny.Except(IwState::kNone), IwStimulus::kConnect, IwAnswer::kRefused, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 iwcm.c iw_cm_connect", ""}},

  {"iw-accept-1", IwState::kConnRecv, IwStimulus::kAccept, IwAnswer::kDone, IwState::kEstablished, Sends::kMpaReply, Report::kIwEstablished, {"linux 6.1 iwcm.c iw_cm_accept, siw_cm.c siw_accept", "6.1-siw/01-connect_disconnect_by_active:15"}},
  {"iw-accept-2", IwState::kConnLost, IwStimulus::kAccept, IwAnswer::kReset, IwState::kIdle, Sends::kNothing, Report::kNothing, {"linux 6.1 siw_cm.c siw_accept", "6.1-siw/65-slow_consumer_answer:16"}},
  {"iw-accept-3", iw::kAny.Except(iw::kUnanswered), IwStimulus::kAccept, IwAnswer::kRefused, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 iwcm.c iw_cm_accept", "6.1-siw/11-reject_by_consumer:18"}},

  {"iw-reject-1", IwState::kConnRecv, IwStimulus::kReject, IwAnswer::kDone, IwState::kIdle, Sends::kMpaReject, Report::kNothing, {"linux 6.1 iwcm.c iw_cm_reject, siw_cm.c siw_reject", "6.1-siw/11-reject_by_consumer:14"}},
  {"iw-reject-2", IwState::kConnLost, IwStimulus::kReject, IwAnswer::kReset, IwState::kIdle, Sends::kNothing, Report::kNothing, {"linux 6.1 siw_cm.c siw_reject", "6.1-siw/65-slow_consumer_answer:16"}},
  {"iw-reject-3", iw::kAny.Except(iw::kUnanswered), IwStimulus::kReject, IwAnswer::kRefused, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 iwcm.c iw_cm_reject", "6.1-siw/05-connect_without_qp_then_establish:18"}},

  {"iw-disconnect-1", IwState::kEstablished, IwStimulus::kDisconnect, IwAnswer::kDone, IwState::kClosing, Sends::kFin, Report::kNothing, {"linux 6.1 iwcm.c iw_cm_disconnect, siw_cm.c siw_qp_cm_drop", "6.1-siw/01-connect_disconnect_by_active:20"}},
  {"iw-disconnect-2", IwState::kConnSent, IwStimulus::kDisconnect, IwAnswer::kWaits, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 iwcm.c iw_cm_disconnect", ""}},
  {"iw-disconnect-3", iw::kOver | iw::kUnanswered, IwStimulus::kDisconnect, IwAnswer::kIgnored, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 iwcm.c iw_cm_disconnect", "6.1-siw/01-connect_disconnect_by_active:22"}},

  {"iw-attributes-1", iw::kAny.Except(IwState::kClosing), IwStimulus::kAttributes, IwAnswer::kDone, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 iwcm.c iwcm_init_qp_init_attr, iwcm_init_qp_rts_attr", "6.1-siw/01-connect_disconnect_by_active:11"}},
  {"iw-attributes-2", IwState::kClosing, IwStimulus::kAttributes, IwAnswer::kRefused, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 iwcm.c iwcm_init_qp_init_attr, iwcm_init_qp_rts_attr", ""}},

  {"iw-qp-1", IwState::kEstablished, IwStimulus::kQpBreaks, IwAnswer::kDone, IwState::kClosing, Sends::kFin, Report::kNothing, {"linux 6.1 siw_qp.c siw_qp_modify, siw_cm.c siw_qp_cm_drop", "6.1-siw/15-connecting_id_destroyed_after_accept:17"}},
  {"iw-qp-2", iw::kAny.Except(IwState::kEstablished), IwStimulus::kQpBreaks, IwAnswer::kIgnored, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 siw_qp.c siw_qp_nextstate_from_idle", "6.1-siw/11-reject_by_consumer:15"}},

  {"iw-destroy-1", IwState::kConnSent, IwStimulus::kDestroy, IwAnswer::kWaits, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 iwcm.c destroy_cm_id", "6.1-siw/69-device_removal_by_state:50"}},
  {"iw-destroy-2", IwState::kConnRecv, IwStimulus::kDestroy, IwAnswer::kDone, IwState::kNone, Sends::kMpaReject, Report::kNothing, {"linux 6.1 iwcm.c destroy_cm_id", "6.1-siw/13-request_dropped_by_destroying_new_id:14"}},
  {"iw-destroy-3", IwState::kEstablished, IwStimulus::kDestroy, IwAnswer::kDone, IwState::kNone, Sends::kFin, Report::kNothing, {"linux 6.1 iwcm.c destroy_cm_id", "6.1-siw/39-active_never_reads_its_reply:22"}},
  {"iw-destroy-4", iw::kOver | IwState::kConnLost, IwStimulus::kDestroy, IwAnswer::kDone, IwState::kNone, Sends::kNothing, Report::kNothing, {"linux 6.1 iwcm.c destroy_cm_id", "6.1-siw/01-connect_disconnect_by_active:27"}},

  {"iw-reply-1", IwState::kConnSent, IwStimulus::kReply, IwAnswer::kDone, IwState::kEstablished, Sends::kNothing, Report::kIwReply, {"linux 6.1 iwcm.c cm_conn_rep_handler, cma.c cma_iw_handler", "6.1-siw/01-connect_disconnect_by_active:16"}},
  {"iw-reply-2", iw::kAny.Except(IwState::kConnSent), IwStimulus::kReply, IwAnswer::kIgnored, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 siw_cm.c siw_cm_work_handler: its connection is gone", ""}},
  {"iw-reply-3", IwState::kConnSent, IwStimulus::kReplyInVain, IwAnswer::kDone, IwState::kIdle, Sends::kFin, Report::kIwFailed, {"linux 6.1 siw_cm.c siw_proc_mpareply", ""}},
  {"iw-reply-4", iw::kAny.Except(IwState::kConnSent), IwStimulus::kReplyInVain, IwAnswer::kIgnored, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 siw_cm.c siw_cm_work_handler: its connection is gone", ""}},
  {"iw-rejection-1", IwState::kConnSent, IwStimulus::kRejection, IwAnswer::kDone, IwState::kIdle, Sends::kNothing, Report::kIwRejected, {"linux 6.1 siw_cm.c siw_proc_mpareply: a rejection is a reset", "6.1-siw/11-reject_by_consumer:15"}},
  {"iw-rejection-2", iw::kAny.Except(IwState::kConnSent), IwStimulus::kRejection, IwAnswer::kIgnored, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 siw_cm.c siw_cm_work_handler: its connection is gone", ""}},
  {"iw-peer-closes-1", IwState::kConnSent, IwStimulus::kPeerCloses, IwAnswer::kDone, IwState::kIdle, Sends::kNothing, Report::kIwRejected, {"linux 6.1 siw_cm.c siw_cm_work_handler", ""}},
  {"iw-peer-closes-2", IwState::kConnRecv, IwStimulus::kPeerCloses, IwAnswer::kDone, IwState::kConnLost, Sends::kNothing, Report::kNothing, {"linux 6.1 siw_cm.c siw_cm_work_handler: no report", "6.1-siw/65-slow_consumer_answer:15"}},
  {"iw-peer-closes-3", IwState::kEstablished, IwStimulus::kPeerCloses, IwAnswer::kDone, IwState::kIdle, Sends::kNothing, Report::kIwClosed, {"linux 6.1 siw_cm.c siw_cm_work_handler, iwcm.c cm_close_handler", "6.1-siw/01-connect_disconnect_by_active:21"}},
  {"iw-peer-closes-4", iw::kOver | IwState::kConnLost, IwStimulus::kPeerCloses, IwAnswer::kIgnored, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 siw_cm.c siw_cm_work_handler: both have closed", ""}},

  {"iw-no-reply-1", IwState::kConnSent, IwStimulus::kNoReply, IwAnswer::kDone, IwState::kIdle, Sends::kFin, Report::kIwTimedOut, {"linux 6.1 siw_cm.c siw_cm_work_handler", "6.1-siw/65-slow_consumer_answer:15"}},
  {"iw-closed-1", IwState::kClosing, IwStimulus::kClosed, IwAnswer::kDone, IwState::kIdle, Sends::kNothing, Report::kIwClosed, {"linux 6.1 iwcm.c cm_close_handler", "6.1-siw/01-connect_disconnect_by_active:23"}},
});

constexpr auto kIwRequestsRows = std::to_array<IwRequestRule>({
  {"iw-request-1", RequestGuard::kNoListener, Sends::kFin, {"linux 6.1 siw_cm.c siw_cm_work_handler: the listener has gone meanwhile", ""}},
  {"iw-request-2", RequestGuard::kOtherAddress, Sends::kFin, {"linux 6.1 siw_cm.c siw_cm_work_handler: the listener has gone meanwhile, and its port is another one's at another address", ""}},
  {"iw-request-3", RequestGuard::kBacklogFull, Sends::kMpaReject, {"linux 6.1 ucma.c ucma_connect_event_handler, iwcm.c cm_conn_req_handler", ""}},
  {"iw-request-4", RequestGuard::kFine, Sends::kNothing, {"man rdma_get_cm_event(3), linux 6.1 cma.c iw_conn_req_handler", "6.1-siw/01-connect_disconnect_by_active:13"}},
});
// clang-format on

static_assert(EveryIwStimulusIsAnswered(kIwCmRows));

}  // namespace

constinit const std::span<const IwRule> kIwCm = kIwCmRows;
constinit const std::span<const IwRequestRule> kIwRequests = kIwRequestsRows;

}  // namespace cm::model::rules
