// The iw_cm table: what a connection identifier of the iWARP CM does at each local call, at what
// its provider tells it, and in time, in each of its states. Beside it stands ib_cm: an id has one
// or the other, by the transport of its device.
//
// A connection is a TCP connection on which each side sends one MPA frame. TCP is set up within
// rdma_connect, so that a port without a listener refuses the call itself; there is no message
// like RTU, none is repeated, and a disconnect is immediate: no timewait follows.
#ifndef MODEL_IW_CM_RULES_H_
#define MODEL_IW_CM_RULES_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "model/ib_cm/rules.h"
#include "model/rules/enumeration.h"
#include "model/rules/rule.h"
#include "model/rules/transports.h"

namespace cm::model {

// source: linux 6.1 iwcm.h enum iw_cm_state, but for kConnLost. A listener's is that of the cm_id.
enum class IwState : uint8_t {
  kNone,      // the id has no identifier of the iWARP CM
  kIdle,      // it has one, whose connection is over
  kConnSent,  // the request is sent
  kConnRecv,  // one has come, and is not answered
  kConnLost,  // that one's connection is gone, and only the provider knows
  kEstablished,
  kClosing,  // closed from here; the report is due
  kSame,
};
inline constexpr int kIwStateCount = static_cast<int>(IwState::kSame);
using IwStates = Set<IwState>;

enum class IwStimulus : uint8_t {
  // local calls
  kConnect,
  kAccept,
  kReject,
  kDisconnect,
  kAttributes,  // attributes of a queue pair are asked for
  kQpBreaks,    // the queue pair of the connection is destroyed or moved into an error
  kDestroy,
  // from the other end
  kReply,
  kReplyInVain,  // a reply, and the queue pair cannot take the connection
  kRejection,
  kPeerCloses,
  // time
  kNoReply,  // within what the provider waits for one
  kClosed,   // the provider has closed the connection
};
inline constexpr int kIwStimulusCount = kCountOf<IwStimulus>;

struct IwStimulusInfo {
  IwStimulus on;
  std::string_view name;
  Origin origin;
};

inline constexpr auto kIwStimuli =
    ByValue(std::to_array<IwStimulusInfo>({
                {IwStimulus::kConnect, "connect", Origin::kCall},
                {IwStimulus::kAccept, "accept", Origin::kCall},
                {IwStimulus::kReject, "reject", Origin::kCall},
                {IwStimulus::kDisconnect, "disconnect", Origin::kCall},
                {IwStimulus::kAttributes, "attributes", Origin::kCall},
                {IwStimulus::kQpBreaks, "queue pair breaks", Origin::kCall},
                {IwStimulus::kDestroy, "destroy", Origin::kCall},
                {IwStimulus::kReply, "reply", Origin::kMessage},
                {IwStimulus::kReplyInVain, "reply in vain", Origin::kMessage},
                {IwStimulus::kRejection, "rejection", Origin::kMessage},
                {IwStimulus::kPeerCloses, "peer closes", Origin::kMessage},
                {IwStimulus::kNoReply, "no reply", Origin::kTimer},
                {IwStimulus::kClosed, "closed", Origin::kTimer},
            }),
            &IwStimulusInfo::on);

constexpr const IwStimulusInfo& InfoOf(IwStimulus on) {
  return kIwStimuli[static_cast<size_t>(on)];
}

enum class IwAnswer : uint8_t {
  kDone,
  kRefused,  // a local call failed
  kReset,    // it failed because the connection is gone
  kWaits,    // a local call goes on when the reply is there, or will not come
  kIgnored,
};

struct IwRule {
  std::string_view id;
  IwStates from;
  IwStimulus on;
  IwAnswer answer;
  IwState to;
  Sends sends;
  Report reports;
  Evidence evidence;
  Transports over = over::kIwarp;
};

// A request that comes over a new TCP connection: who listens was asked when that was set up.
struct IwRequestRule {
  std::string_view id;
  RequestGuard when;
  Sends sends;  // kNothing: it is delivered
  Evidence evidence;
  Transports over = over::kIwarp;
};

namespace rules {

namespace iw {
inline constexpr IwStates kAny = IwStates::All(kIwStateCount);
inline constexpr IwStates kUnanswered = IwStates(IwState::kConnRecv) | IwState::kConnLost;
inline constexpr IwStates kOver = IwStates(IwState::kNone) | IwState::kIdle | IwState::kClosing;
}  // namespace iw

// clang-format off
inline constexpr auto kIwCm = std::to_array<IwRule>({
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
  {"iw-peer-closes-2", IwState::kConnRecv, IwStimulus::kPeerCloses, IwAnswer::kDone, IwState::kConnLost, Sends::kNothing, Report::kNothing, {"linux 6.1 siw_cm.c siw_cm_work_handler: nobody is told", "6.1-siw/65-slow_consumer_answer:15"}},
  {"iw-peer-closes-3", IwState::kEstablished, IwStimulus::kPeerCloses, IwAnswer::kDone, IwState::kIdle, Sends::kNothing, Report::kIwClosed, {"linux 6.1 siw_cm.c siw_cm_work_handler, iwcm.c cm_close_handler", "6.1-siw/01-connect_disconnect_by_active:21"}},
  {"iw-peer-closes-4", iw::kOver | IwState::kConnLost, IwStimulus::kPeerCloses, IwAnswer::kIgnored, IwState::kSame, Sends::kNothing, Report::kNothing, {"linux 6.1 siw_cm.c siw_cm_work_handler: both have closed", ""}},

  {"iw-no-reply-1", IwState::kConnSent, IwStimulus::kNoReply, IwAnswer::kDone, IwState::kIdle, Sends::kFin, Report::kIwTimedOut, {"linux 6.1 siw_cm.c siw_cm_work_handler", "6.1-siw/65-slow_consumer_answer:15"}},
  {"iw-closed-1", IwState::kClosing, IwStimulus::kClosed, IwAnswer::kDone, IwState::kIdle, Sends::kNothing, Report::kIwClosed, {"linux 6.1 iwcm.c cm_close_handler", "6.1-siw/01-connect_disconnect_by_active:23"}},
});

inline constexpr auto kIwRequests = std::to_array<IwRequestRule>({
  {"iw-request-1", RequestGuard::kNobodyListens, Sends::kFin, {"linux 6.1 siw_cm.c siw_cm_work_handler: the listener has gone meanwhile", ""}},
  {"iw-request-2", RequestGuard::kOtherAddress, Sends::kFin, {"linux 6.1 siw_cm.c siw_cm_work_handler: the listener has gone meanwhile, and its port is another one's at another address", ""}},
  {"iw-request-3", RequestGuard::kBacklogFull, Sends::kMpaReject, {"linux 6.1 ucma.c ucma_connect_event_handler, iwcm.c cm_conn_req_handler", ""}},
  {"iw-request-4", RequestGuard::kFine, Sends::kNothing, {"man rdma_get_cm_event(3), linux 6.1 cma.c iw_conn_req_handler", "6.1-siw/01-connect_disconnect_by_active:13"}},
});
// clang-format on

}  // namespace rules

std::string_view ToString(IwState state);
std::string_view ToString(IwStimulus stimulus);
std::string_view ToString(IwAnswer answer);

// All but what comes in time is answered in every state.
template <size_t N>
constexpr bool EveryIwStimulusIsAnswered(const std::array<IwRule, N>& table) {
  for (const IwStimulusInfo& stimulus : kIwStimuli) {
    if (stimulus.origin == Origin::kTimer) continue;
    for (int state = 0; state < kIwStateCount; ++state) {
      bool answered = false;
      for (const IwRule& rule : table) {
        answered =
            answered || (rule.on == stimulus.on && rule.from.Has(static_cast<IwState>(state)));
      }
      if (!answered) return false;
    }
  }
  return true;
}

static_assert(EveryIwStimulusIsAnswered(rules::kIwCm));

}  // namespace cm::model

#endif  // MODEL_IW_CM_RULES_H_
