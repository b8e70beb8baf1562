#include <array>

#include "model/ib_cm/proofs.h"
#include "model/ib_cm/rules.h"

namespace cm::model::rules {
namespace {

// clang-format off
constexpr auto kIbCmRows = std::to_array<IbRule>({
  {"ib-req-1", IbState::kNone, IbStimulus::kSendReq, IbAnswer::kDone, IbState::kReqSent, Sends::kReq, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_req (L1)", "6.1-rxe/01-connect_disconnect_by_active:12"}},
  {"ib-req-2", ib::kAny.Except(IbState::kNone), IbStimulus::kSendReq, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_req (L1)", ""}},

  {"ib-rep-1", IbState::kMraReqSent, IbStimulus::kSendRep, IbAnswer::kDone, IbState::kRepSent, Sends::kRep, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_rep (L2)", "6.1-rxe/01-connect_disconnect_by_active:15"}},
  {"ib-rep-2", ib::kAny.Except(IbState::kMraReqSent), IbStimulus::kSendRep, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_rep (L2)", "6.1-rxe/11-reject_by_consumer:18"}},

  {"ib-rtu-1", IbState::kMraRepSent, IbStimulus::kSendRtu, IbAnswer::kDone, IbState::kEstablished, Sends::kRtu, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_rtu (L3)", "6.1-rxe/01-connect_disconnect_by_active:16"}},
  {"ib-rtu-2", ib::kAny.Except(IbState::kMraRepSent), IbStimulus::kSendRtu, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_rtu (L3)", "6.1-rxe/05-connect_without_qp_then_establish:20"}},

  {"ib-rej-1", IbState::kMraReqSent, IbStimulus::kSendRej, IbAnswer::kDone, IbState::kIdle, Sends::kRejReq, Report::kNothing, false, {"linux 6.1 cm.c cm_send_rej_locked (L6)", "6.1-rxe/11-reject_by_consumer:14"}},
  {"ib-rej-2", IbState::kMraRepSent, IbStimulus::kSendRej, IbAnswer::kDone, IbState::kIdle, Sends::kRejRep, Report::kNothing, false, {"linux 6.1 cm.c cm_send_rej_locked (L7)", "6.1-rxe/09-reply_rejected_by_connecting_side:17"}},
  {"ib-rej-3", ib::kReplying, IbStimulus::kSendRej, IbAnswer::kDone, IbState::kTimewait, Sends::kRejOther, Report::kNothing, true, {"linux 6.1 cm.c cm_send_rej_locked (L8)", "lab 6.1-rxe, seed 1"}},
  {"ib-rej-4", ib::kRequesting, IbStimulus::kSendRej, IbAnswer::kDone, IbState::kIdle, Sends::kRejWithoutId, Report::kNothing, true, {"linux 6.1 cm.c cm_send_rej_locked (L9)", "6.1-rxe/35-reject_misuse:18"}},
  {"ib-rej-5", ib::kAny.Except(ib::kNegotiating), IbStimulus::kSendRej, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_send_rej_locked", "6.1-rxe/05-connect_without_qp_then_establish:20"}},

  {"ib-dreq-1", IbState::kEstablished, IbStimulus::kSendDreq, IbAnswer::kDone, IbState::kDreqSent, Sends::kDreq, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_dreq (L10)", "6.1-rxe/01-connect_disconnect_by_active:20"}},
  {"ib-dreq-2", ib::kAny.Except(IbState::kEstablished), IbStimulus::kSendDreq, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_dreq (L13)", "6.1-rxe/01-connect_disconnect_by_active:22"}},
  {"ib-drep-1", IbState::kDreqRcvd, IbStimulus::kSendDrep, IbAnswer::kDone, IbState::kTimewait, Sends::kDrep, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_drep (L11)", "6.1-rxe/01-connect_disconnect_by_active:22"}},
  {"ib-drep-2", ib::kAny.Except(IbState::kDreqRcvd), IbStimulus::kSendDrep, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_drep (L13)", "6.1-rxe/09-reply_rejected_by_connecting_side:22"}},

  {"ib-unsent-1", IbStates(IbState::kEstablished) | IbState::kDreqRcvd, IbStimulus::kUnsentEnd, IbAnswer::kDone, IbState::kTimewait, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_dreq, ib_send_cm_drep", "lab 6.1-rxe, seed 1"}},
  {"ib-unsent-2", ib::kAny.Except(IbStates(IbState::kEstablished) | IbState::kDreqRcvd), IbStimulus::kUnsentEnd, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_dreq, ib_send_cm_drep", "lab 6.1-rxe, seed 1"}},
  {"ib-unsent-3", IbStates(IbState::kMraReqSent) | IbState::kMraRepSent, IbStimulus::kUnsentRej, IbAnswer::kDone, IbState::kIdle, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_send_rej_locked", "lab 6.1-rxe, seed 1"}},
  {"ib-unsent-4", ib::kReplying, IbStimulus::kUnsentRej, IbAnswer::kDone, IbState::kTimewait, Sends::kNothing, Report::kNothing, true, {"linux 6.1 cm.c cm_send_rej_locked", ""}},
  {"ib-unsent-5", ib::kRequesting, IbStimulus::kUnsentRej, IbAnswer::kDone, IbState::kIdle, Sends::kNothing, Report::kNothing, true, {"linux 6.1 cm.c cm_send_rej_locked", "lab 6.1-rxe, seed 1"}},
  {"ib-unsent-6", ib::kAny.Except(ib::kNegotiating), IbStimulus::kUnsentRej, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_send_rej_locked", ""}},

  {"ib-qp-1", ib::kNegotiating | IbState::kEstablished | IbState::kNone | ib::kSidr, IbStimulus::kQpInit, IbAnswer::kDone, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_init_qp_init_attr", "6.1-rxe/01-connect_disconnect_by_active:11"}},
  {"ib-qp-2", IbStates(IbState::kIdle) | IbState::kDreqSent | IbState::kDreqRcvd | IbState::kTimewait, IbStimulus::kQpInit, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_init_qp_init_attr", "6.1-rxe/47-init_qp_attr_in_each_state:38"}},
  {"ib-qp-3", IbStates(IbState::kMraReqSent) | ib::kReplying | IbState::kMraRepSent | IbState::kEstablished | ib::kSidr, IbStimulus::kQpReady, IbAnswer::kDone, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_init_qp_rtr_attr, cm_init_qp_rts_attr", "6.1-rxe/01-connect_disconnect_by_active:15"}},
  {"ib-qp-4", ib::kRequesting | IbState::kNone | IbState::kIdle | IbState::kDreqSent | IbState::kDreqRcvd | IbState::kTimewait, IbStimulus::kQpReady, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_init_qp_rtr_attr, verbs.c ib_modify_qp_is_ok", "6.1-rxe/47-init_qp_attr_in_each_state:20"}},

  {"ib-comm-est-1", ib::kReplying, IbStimulus::kCommEst, IbAnswer::kDone, IbState::kEstablished, Sends::kNothing, Report::kUserEstablished, false, {"linux 6.1 cm.c cm_establish (L12)", "lab 6.1-rxe, seed 1"}},
  {"ib-comm-est-2", ib::kAny.Except(ib::kReplying), IbStimulus::kCommEst, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_establish (L12)", "lab 6.1-rxe, seed 1"}},
  {"ib-path-mig-1", IbState::kEstablished, IbStimulus::kPathMig, IbAnswer::kDone, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_migrate (L12b)", ""}},
  {"ib-path-mig-2", ib::kAny.Except(IbState::kEstablished), IbStimulus::kPathMig, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_migrate (L12b)", "lab 6.1-rxe, seed 1"}},

  {"ib-destroy-1", ib::kRequesting, IbStimulus::kDestroy, IbAnswer::kDone, IbState::kNone, Sends::kRejTimeout, Report::kNothing, false, {"linux 6.1 cm.c cm_destroy_id (D2)", "6.1-rxe/63-every_reject_lost:21"}},
  {"ib-destroy-2", IbState::kMraReqSent, IbStimulus::kDestroy, IbAnswer::kDone, IbState::kNone, Sends::kRejReq, Report::kNothing, false, {"linux 6.1 cm.c cm_destroy_id (D4)", "6.1-rxe/13-request_dropped_by_destroying_new_id:14"}},
  {"ib-destroy-3", IbState::kMraRepSent, IbStimulus::kDestroy, IbAnswer::kDone, IbState::kNone, Sends::kRejRep, Report::kNothing, false, {"linux 6.1 cm.c cm_destroy_id (D5)", "6.1-rxe/15-connecting_id_destroyed_after_accept:18"}},
  {"ib-destroy-4", ib::kReplying, IbStimulus::kDestroy, IbAnswer::kDone, IbState::kNone, Sends::kRejOther, Report::kNothing, false, {"linux 6.1 cm.c cm_destroy_id (D6)", "lab 6.1-rxe, seed 1"}},
  {"ib-destroy-5", IbState::kEstablished, IbStimulus::kDestroy, IbAnswer::kDone, IbState::kNone, Sends::kDreq, Report::kNothing, false, {"linux 6.1 cm.c cm_destroy_id (D7): once, never repeated", "6.1-rxe/39-active_never_reads_its_reply:22"}},
  {"ib-destroy-6", IbState::kDreqRcvd, IbStimulus::kDestroy, IbAnswer::kDone, IbState::kNone, Sends::kDrep, Report::kNothing, false, {"linux 6.1 cm.c cm_destroy_id (D9)", "6.1-rxe/17-listener_destroyed_with_request_read:24"}},
  {"ib-destroy-7", IbStates(IbState::kNone) | IbState::kIdle | IbState::kDreqSent | IbState::kTimewait, IbStimulus::kDestroy, IbAnswer::kDone, IbState::kNone, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_destroy_id (D1, D8, D10)", "6.1-rxe/01-connect_disconnect_by_active:29"}},

  {"ib-req-again-1", IbState::kMraReqSent, IbStimulus::kReqAgain, IbAnswer::kDone, IbState::kSame, Sends::kMra, Report::kNothing, false, {"linux 6.1 cm.c cm_dup_req_handler (N2b)", "6.1-rxe/63-every_reject_lost:17"}},
  {"ib-req-again-2", ib::kReplying | IbState::kEstablished | IbState::kDreqSent | IbState::kDreqRcvd, IbStimulus::kReqAgain, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_dup_req_handler (N2d)", ""}},

  {"ib-mra-1", IbState::kReqSent, IbStimulus::kMra, IbAnswer::kDone, IbState::kMraReqRcvd, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_mra_handler (R1)", "6.1-rxe/63-every_reject_lost:17"}},
  {"ib-mra-2", IbState::kRepSent, IbStimulus::kMra, IbAnswer::kDone, IbState::kMraRepRcvd, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_mra_handler (R8)", "6.1-rxe/39-active_never_reads_its_reply:17"}},
  {"ib-mra-3", ib::kAny.Except(IbStates(IbState::kNone) | IbState::kReqSent | IbState::kRepSent), IbStimulus::kMra, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_mra_handler (R29)", ""}},

  {"ib-rep-received-1", ib::kRequesting, IbStimulus::kRep, IbAnswer::kDone, IbState::kMraRepSent, Sends::kNothing, Report::kRepReceived, false, {"linux 6.1 cm.c cm_rep_handler (R2), cma.c cma_ib_handler (L5)", "6.1-rxe/01-connect_disconnect_by_active:16"}},
  {"ib-rep-received-2", ib::kAny.Except(ib::kRequesting | IbState::kNone), IbStimulus::kRep, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_rep_handler (R28, R29)", "lab 6.1-rxe, seed 1"}},
  {"ib-rep-stale-1", ib::kRequesting, IbStimulus::kRepStale, IbAnswer::kDone, IbState::kSame, Sends::kRejRep, Report::kNothing, false, {"linux 6.1 cm.c cm_rep_handler (R4): its own message is repeated as before", "lab 6.1-rxe strays, seed 2"}},
  {"ib-rep-known-1", ib::kRequesting, IbStimulus::kRepKnown, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_rep_handler (R3): its own message is repeated as before", ""}},
  {"ib-rep-again-1", IbState::kMraRepSent, IbStimulus::kRepAgain, IbAnswer::kDone, IbState::kSame, Sends::kMra, Report::kNothing, false, {"linux 6.1 cm.c cm_dup_rep_handler (R13)", "6.1-rxe/39-active_never_reads_its_reply:17"}},
  {"ib-rep-again-2", IbState::kEstablished, IbStimulus::kRepAgain, IbAnswer::kDone, IbState::kSame, Sends::kRtu, Report::kNothing, false, {"linux 6.1 cm.c cm_dup_rep_handler (R15)", "6.1-rxe/59-every_ready_to_use_lost:18"}},
  {"ib-rep-again-3", ib::kAny.Except(IbStates(IbState::kNone) | IbState::kMraRepSent | IbState::kEstablished), IbStimulus::kRepAgain, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_dup_rep_handler (R29)", ""}},

  {"ib-rtu-received-1", ib::kReplying, IbStimulus::kRtu, IbAnswer::kDone, IbState::kEstablished, Sends::kNothing, Report::kRtuReceived, false, {"linux 6.1 cm.c cm_rtu_handler (R9)", "6.1-rxe/01-connect_disconnect_by_active:17"}},
  {"ib-rtu-received-2", ib::kAny.Except(ib::kReplying | IbState::kNone), IbStimulus::kRtu, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_rtu_handler (R16, R29)", "lab 6.1-rxe, seed 1"}},

  {"ib-rej-received-1", ib::kRequesting | IbState::kMraReqSent | ib::kReplying, IbStimulus::kRej, IbAnswer::kDone, IbState::kIdle, Sends::kNothing, Report::kRejReceived, false, {"linux 6.1 cm.c cm_rej_handler (R5, R7, R10)", "6.1-rxe/09-reply_rejected_by_connecting_side:18"}},
  {"ib-rej-received-2", ib::kRequesting | IbState::kMraReqSent | ib::kReplying, IbStimulus::kRejStale, IbAnswer::kDone, IbState::kTimewait, Sends::kNothing, Report::kRejReceived, false, {"linux 6.1 cm.c cm_rej_handler (R6, R7, R10)", "6.1-rxe/19-stale_connection:25"}},
  {"ib-rej-received-3", IbStates(IbState::kMraRepSent) | IbState::kEstablished | IbState::kDreqSent, IbStimulus::kRej, IbAnswer::kDone, IbState::kTimewait, Sends::kNothing, Report::kRejReceived, false, {"linux 6.1 cm.c cm_rej_handler (R12, R18, R21)", "lab 6.1-rxe, seed 1"}},
  {"ib-rej-received-4", IbStates(IbState::kMraRepSent) | IbState::kEstablished | IbState::kDreqSent, IbStimulus::kRejStale, IbAnswer::kDone, IbState::kTimewait, Sends::kNothing, Report::kRejReceived, false, {"linux 6.1 cm.c cm_rej_handler (R12, R18, R21)", "lab 6.1-rxe strays, seed 2"}},
  {"ib-rej-received-5", IbStates(IbState::kIdle) | IbState::kDreqRcvd | IbState::kTimewait | ib::kSidr, IbStimulus::kRej, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_rej_handler (R29)", "6.1-rxe/35-reject_misuse:23"}},
  {"ib-rej-received-6", IbStates(IbState::kIdle) | IbState::kDreqRcvd | IbState::kTimewait | ib::kSidr, IbStimulus::kRejStale, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_rej_handler (R29)", ""}},
  {"ib-rej-moved-1", IbState::kEstablished, IbStimulus::kRejMoved, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_rej_handler (R18b)", ""}},

  {"ib-dreq-received-1", ib::kReplying | IbState::kEstablished | IbState::kDreqSent, IbStimulus::kDreq, IbAnswer::kDone, IbState::kDreqRcvd, Sends::kNothing, Report::kDreqReceived, false, {"linux 6.1 cm.c cm_dreq_handler (R11, R17, R20)", "6.1-rxe/01-connect_disconnect_by_active:21"}},
  {"ib-dreq-received-2", IbState::kTimewait, IbStimulus::kDreq, IbAnswer::kDone, IbState::kSame, Sends::kDrep, Report::kNothing, false, {"linux 6.1 cm.c cm_dreq_handler (R24)", ""}},
  {"ib-dreq-received-3", ib::kRequesting | IbState::kIdle | IbState::kMraReqSent | IbState::kMraRepSent | IbState::kDreqRcvd | ib::kSidr, IbStimulus::kDreq, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_dreq_handler (R22, R25, R29)", "6.1-rxe/59-every_ready_to_use_lost:26"}},
  {"ib-dreq-received-4", IbState::kNone, IbStimulus::kDreq, IbAnswer::kDone, IbState::kSame, Sends::kDrep, Report::kNothing, false, {"linux 6.1 cm.c cm_issue_drep (R26)", "lab 6.1-rxe, seed 1"}},
  {"ib-dreq-received-5", ib::kAny.Except(IbState::kNone), IbStimulus::kDreqOtherQp, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_dreq_handler (R27)", ""}},
  {"ib-dreq-received-6", IbState::kNone, IbStimulus::kDreqOtherQp, IbAnswer::kDone, IbState::kSame, Sends::kDrep, Report::kNothing, false, {"linux 6.1 cm.c cm_issue_drep (R26)", ""}},

  {"ib-drep-received-1", IbStates(IbState::kDreqSent) | IbState::kDreqRcvd, IbStimulus::kDrep, IbAnswer::kDone, IbState::kTimewait, Sends::kNothing, Report::kDrepReceived, false, {"linux 6.1 cm.c cm_drep_handler (R19, R23)", "6.1-rxe/01-connect_disconnect_by_active:23"}},
  {"ib-drep-received-2", ib::kAny.Except(IbStates(IbState::kNone) | IbState::kDreqSent | IbState::kDreqRcvd), IbStimulus::kDrep, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_drep_handler (R29)", "lab 6.1-rxe, seed 1"}},

  {"ib-lap-1", IbState::kEstablished, IbStimulus::kLap, IbAnswer::kDone, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_lap_handler (R31): the rdma_cm takes no notice, and so it is never answered", ""}},
  {"ib-lap-2", ib::kAny.Except(IbState::kEstablished), IbStimulus::kLap, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_lap_handler (R28, R29)", ""}},
  {"ib-lap-3", IbState::kEstablished, IbStimulus::kLapAgain, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_lap_handler (R32)", ""}},
  {"ib-apr-1", ib::kAny, IbStimulus::kApr, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_apr_handler (R28, R29): no LAP was sent", ""}},

  {"ib-unknown-1", IbState::kNone, IbStimulus::kMra, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_acquire_mraed_id (R28)", ""}},
  {"ib-unknown-2", IbState::kNone, IbStimulus::kRep, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_rep_handler (R28)", "lab 6.1-rxe, seed 1"}},
  {"ib-unknown-3", IbState::kNone, IbStimulus::kRepAgain, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_dup_rep_handler (R28)", ""}},
  {"ib-unknown-4", IbState::kNone, IbStimulus::kRtu, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_rtu_handler (R28)", "lab 6.1-rxe, seed 1"}},
  {"ib-unknown-5", IbState::kNone, IbStimulus::kRej, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_acquire_rejected_id (R28)", "lab 6.1-rxe, seed 1"}},
  {"ib-unknown-6", IbState::kNone, IbStimulus::kRejStale, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_acquire_rejected_id (R28)", ""}},
  {"ib-unknown-7", IbState::kNone, IbStimulus::kDrep, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_drep_handler (R28)", "6.1-rxe/17-listener_destroyed_with_request_read:24"}},

  {"ib-retry-1", ib::kRequesting | ib::kReplying | IbState::kDreqSent, IbStimulus::kRetry, IbAnswer::kDone, IbState::kSame, Sends::kAgain, Report::kNothing, false, {"linux 6.1 mad.c retry_send (M1, M3, M5)", "6.1-rxe/39-active_never_reads_its_reply:17"}},
  {"ib-retry-2", IbStates(IbState::kIdle) | IbState::kDreqRcvd | IbState::kTimewait | IbState::kNone, IbStimulus::kRetry, IbAnswer::kDone, IbState::kSame, Sends::kAgain, Report::kNothing, false, {"linux 6.1 cm.c cm_send_rej_locked (L8, L9): its message is not taken back", "lab 6.1-rxe, seed 1"}},
  {"ib-exhausted-1", ib::kRequesting, IbStimulus::kExhausted, IbAnswer::kDone, IbState::kIdle, Sends::kNothing, Report::kReqError, false, {"linux 6.1 cm.c cm_process_send_error (M2)", "6.1-rxe/57-every_request_lost:14"}},
  {"ib-exhausted-2", ib::kReplying, IbStimulus::kExhausted, IbAnswer::kDone, IbState::kIdle, Sends::kNothing, Report::kRepError, false, {"linux 6.1 cm.c cm_process_send_error (M4)", "6.1-rxe/59-every_ready_to_use_lost:18"}},
  {"ib-exhausted-3", IbState::kDreqSent, IbStimulus::kExhausted, IbAnswer::kDone, IbState::kTimewait, Sends::kNothing, Report::kDreqError, false, {"linux 6.1 cm.c cm_process_send_error (M6)", "6.1-rxe/55-synchronous_id:19"}},
  {"ib-exhausted-4", IbStates(IbState::kIdle) | IbState::kDreqRcvd | IbState::kTimewait | IbState::kNone, IbStimulus::kExhausted, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_process_send_error: the id has moved on", "lab 6.1-rxe, seed 1"}},
  {"ib-send-fails-1", ib::kRequesting, IbStimulus::kSendFails, IbAnswer::kDone, IbState::kIdle, Sends::kNothing, Report::kReqError, false, {"linux 6.1 cm.c cm_process_send_error (M10)", "6.1-rxe/73-link_down_when_resolving:25"}},
  {"ib-send-fails-2", ib::kReplying, IbStimulus::kSendFails, IbAnswer::kDone, IbState::kIdle, Sends::kNothing, Report::kRepError, false, {"linux 6.1 cm.c cm_process_send_error (M10)", "lab 6.1-rxe, seed 1"}},
  {"ib-send-fails-3", IbState::kDreqSent, IbStimulus::kSendFails, IbAnswer::kDone, IbState::kTimewait, Sends::kNothing, Report::kDreqError, false, {"linux 6.1 cm.c cm_process_send_error (M10)", "lab 6.1-rxe, seed 1"}},
  {"ib-timewait-1", IbState::kTimewait, IbStimulus::kTimewaitOver, IbAnswer::kDone, IbState::kIdle, Sends::kNothing, Report::kTimewaitExit, false, {"linux 6.1 cm.c cm_timewait_handler (M9)", "6.1-rxe/01-connect_disconnect_by_active:24"}},

  {"sidr-req-1", IbState::kNone, IbStimulus::kSendSidrReq, IbAnswer::kDone, IbState::kSidrReqSent, Sends::kSidrReq, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_sidr_req (L14)", "6.1-rxe/79-datagram_refusals:9"}},
  {"sidr-req-2", ib::kAny.Except(IbState::kNone), IbStimulus::kSendSidrReq, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_sidr_req (L14)", ""}},
  {"sidr-rep-1", IbState::kSidrReqRcvd, IbStimulus::kSendSidrRep, IbAnswer::kDone, IbState::kIdle, Sends::kSidrRep, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_sidr_rep (L15)", "6.1-rxe/81-datagram_private_data_lengths:16"}},
  {"sidr-rep-2", ib::kAny.Except(IbState::kSidrReqRcvd), IbStimulus::kSendSidrRep, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_sidr_rep (L15)", "6.1-rxe/81-datagram_private_data_lengths:28"}},
  {"sidr-refusal-1", IbState::kSidrReqRcvd, IbStimulus::kSendSidrRefusal, IbAnswer::kDone, IbState::kIdle, Sends::kSidrRefusal, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_sidr_rep (L15)", "6.1-rxe/79-datagram_refusals:22"}},
  {"sidr-refusal-2", ib::kAny.Except(IbState::kSidrReqRcvd), IbStimulus::kSendSidrRefusal, IbAnswer::kRefused, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c ib_send_cm_sidr_rep (L15)", "6.1-rxe/81-datagram_private_data_lengths:28"}},
  {"sidr-destroy-1", IbState::kSidrReqSent, IbStimulus::kDestroy, IbAnswer::kDone, IbState::kNone, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_destroy_id (D11)", "lab 6.1-rxe datagrams, seed 1"}},
  {"sidr-destroy-2", IbState::kSidrReqRcvd, IbStimulus::kDestroy, IbAnswer::kDone, IbState::kNone, Sends::kSidrRefusal, Report::kNothing, false, {"linux 6.1 cm.c cm_destroy_id (D12)", "6.1-rxe/79-datagram_refusals:32"}},
  {"sidr-req-again-1", IbState::kSidrReqRcvd, IbStimulus::kReqAgain, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_insert_remote_sidr (R35)", ""}},
  {"sidr-rep-received-1", IbState::kSidrReqSent, IbStimulus::kSidrRep, IbAnswer::kDone, IbState::kIdle, Sends::kNothing, Report::kSidrRepReceived, false, {"linux 6.1 cm.c cm_sidr_rep_handler (R39)", "6.1-rxe/81-datagram_private_data_lengths:17"}},
  {"sidr-rep-received-2", ib::kAny.Except(IbState::kSidrReqSent), IbStimulus::kSidrRep, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_sidr_rep_handler (R28, R40)", "lab 6.1-rxe datagrams, seed 1"}},
  {"sidr-refusal-received-1", IbState::kSidrReqSent, IbStimulus::kSidrRefusal, IbAnswer::kDone, IbState::kIdle, Sends::kNothing, Report::kSidrRefusalReceived, false, {"linux 6.1 cm.c cm_sidr_rep_handler (R39)", "6.1-rxe/79-datagram_refusals:10"}},
  {"sidr-refusal-received-2", ib::kAny.Except(IbState::kSidrReqSent), IbStimulus::kSidrRefusal, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_sidr_rep_handler (R28, R40)", "lab 6.1-rxe datagrams, seed 1"}},
  {"sidr-other-key-1", IbState::kSidrReqSent, IbStimulus::kSidrOtherKey, IbAnswer::kDone, IbState::kIdle, Sends::kNothing, Report::kSidrOtherKeyReceived, false, {"linux 6.1 cm.c cm_sidr_rep_handler (R39), cma.c cma_set_qkey", ""}},
  {"sidr-other-key-2", ib::kAny.Except(IbState::kSidrReqSent), IbStimulus::kSidrOtherKey, IbAnswer::kIgnored, IbState::kSame, Sends::kNothing, Report::kNothing, false, {"linux 6.1 cm.c cm_sidr_rep_handler (R28, R40)", ""}},
  {"sidr-retry-1", IbState::kSidrReqSent, IbStimulus::kRetry, IbAnswer::kDone, IbState::kSame, Sends::kAgain, Report::kNothing, false, {"linux 6.1 mad.c retry_send (M7)", "lab 6.1-rxe datagrams, seed 1"}},
  {"sidr-exhausted-1", IbState::kSidrReqSent, IbStimulus::kExhausted, IbAnswer::kDone, IbState::kIdle, Sends::kNothing, Report::kSidrReqError, false, {"linux 6.1 cm.c cm_process_send_error (M8)", "lab 6.1-rxe datagrams, seed 1"}},
  {"sidr-send-fails-1", IbState::kSidrReqSent, IbStimulus::kSendFails, IbAnswer::kDone, IbState::kIdle, Sends::kNothing, Report::kSidrReqError, false, {"linux 6.1 cm.c cm_process_send_error (M10)", "lab 6.1-rxe datagrams, seed 1"}},
});

constexpr auto kRequestsRows = std::to_array<RequestRule>({
  {"request-6", RequestGuard::kUnresolvable, RequestOutcome::kDropped, RejReason::kNone, {"linux 6.1 cm.c cm_init_av_for_response (N1)", ""}},
  {"request-1", RequestGuard::kStale, RequestOutcome::kRejected, RejReason::kStaleConn, {"linux 6.1 cm.c cm_match_req (N3)", "6.1-rxe/19-stale_connection:25"}},
  {"request-2", RequestGuard::kNoListener, RequestOutcome::kRejected, RejReason::kInvalidServiceId, {"linux 6.1 cm.c cm_match_req (N4)", "6.1-rxe/55-synchronous_id:32"}},
  {"request-7", RequestGuard::kNoPath, RequestOutcome::kRejected, RejReason::kInvalidGid, {"linux 6.1 cm.c cm_req_handler, cm_init_av_by_path (N5)", ""}},
  {"request-8", RequestGuard::kAlternatePath, RequestOutcome::kRejected, RejReason::kInvalidAltGid, {"linux 6.1 cm.c cm_req_handler, cm_init_av_by_path (N6)", ""}},
  {"request-9", RequestGuard::kNotUnderstood, RequestOutcome::kRejected, RejReason::kConsumerDefined, {"linux 6.1 cma.c cma_ib_check_req_qp_type, cma_get_ip_ver, cm.c cm_process_work (N9), cm_destroy_id (D3)", ""}},
  {"request-3", RequestGuard::kOtherAddress, RequestOutcome::kRejected, RejReason::kConsumerDefined, {"linux 6.1 cma.c cma_find_listener, cm.c cm_process_work (N9), cm_destroy_id (D3)", "lab 6.1-rxe, seed 1"}},
  {"request-4", RequestGuard::kBacklogFull, RequestOutcome::kDropped, RejReason::kNone, {"linux 6.1 ucma.c ucma_connect_event_handler (N8), cm.c cm_destroy_id (D3)", "lab 6.1-rxe, seed 1"}},
  {"request-5", RequestGuard::kFine, RequestOutcome::kDelivered, RejReason::kNone, {"man rdma_get_cm_event(3), linux 6.1 cma.c cma_ib_req_handler (N7, L4)", "6.1-rxe/01-connect_disconnect_by_active:13"}},
});

constexpr auto kSidrRequestsRows = std::to_array<SidrRequestRule>({
  {"sidr-request-1", RequestGuard::kNoListener, false, SidrStatus::kUnsupported, {"linux 6.1 cm.c cm_sidr_req_handler (R36)", "6.1-rxe/79-datagram_refusals:10"}},
  {"sidr-request-5", RequestGuard::kNotUnderstood, false, SidrStatus::kReject, {"linux 6.1 cma.c cma_get_ip_ver, cm.c cm_destroy_id (R38)", ""}},
  {"sidr-request-2", RequestGuard::kOtherAddress, false, SidrStatus::kReject, {"linux 6.1 cma.c cma_find_listener, cm.c cm_destroy_id (R38)", "lab 6.1-rxe datagrams, seed 1"}},
  {"sidr-request-3", RequestGuard::kBacklogFull, false, SidrStatus::kReject, {"linux 6.1 ucma.c ucma_connect_event_handler, cm.c cm_destroy_id (R38)", "lab 6.1-rxe datagrams, seed 1"}},
  {"sidr-request-4", RequestGuard::kFine, true, SidrStatus::kSuccess, {"linux 6.1 cm.c cm_sidr_req_handler, cma.c cma_ib_req_handler (R37)", "6.1-rxe/79-datagram_refusals:21"}},
});

constexpr auto kMadsRows = std::to_array<MadRule>({
  {"mad-1", MadGuard::kBaseVersion, MadOutcome::kDropped, {"linux 6.1 mad.c validate_mad (R41)", ""}},
  {"mad-2", MadGuard::kAsksClass, MadOutcome::kAnswered, {"linux 6.1 mad.c generate_unmatched_resp (R42): with GetResp and status 0x000c", ""}},
  {"mad-3", MadGuard::kMethod, MadOutcome::kDropped, {"linux 6.1 mad.c find_mad_agent (R41)", ""}},
  {"mad-4", MadGuard::kClassVersion, MadOutcome::kDropped, {"linux 6.1 mad.c find_mad_agent (R41)", ""}},
  {"mad-5", MadGuard::kAttribute, MadOutcome::kDropped, {"linux 6.1 cm.c cm_recv_handler (R41)", ""}},
  {"mad-6", MadGuard::kLapOverRoce, MadOutcome::kDropped, {"linux 6.1 cm.c cm_lap_handler, cm_apr_handler (R30)", ""}},
  {"mad-7", MadGuard::kFine, MadOutcome::kTaken, {"linux 6.1 cm.c cm_recv_handler", ""}},
});
// clang-format on

static_assert(EveryIbStimulusIsAnswered(kIbCmRows));

}  // namespace

constinit const std::span<const IbRule> kIbCm = kIbCmRows;
constinit const std::span<const RequestRule> kRequests = kRequestsRows;
constinit const std::span<const SidrRequestRule> kSidrRequests = kSidrRequestsRows;
constinit const std::span<const MadRule> kMads = kMadsRows;

}  // namespace cm::model::rules
