// An identifier of the IB CM: its states, what happens to it, what it sends and reports.
#ifndef MODEL_IB_CM_STIMULUS_H_
#define MODEL_IB_CM_STIMULUS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/base/enumeration.h"
#include "model/rules/need.h"
#include "model/rules/rule.h"
#include "model/rules/transports.h"
#include "model/vocabulary/mad_kind.h"

namespace cm::model {

// source: linux 6.1 ib_cm.h enum ib_cm_state. kNone: the id has no identifier of the IB CM.
enum class IbState : uint8_t {
  kNone,
  kIdle,
  kReqSent,
  kMraReqRcvd,
  kMraReqSent,  // "armed": a repeated REQ will be answered by MRA
  kRepSent,
  kMraRepRcvd,
  kMraRepSent,
  kEstablished,
  kDreqSent,
  kDreqRcvd,
  kTimewait,
  kSidrReqSent,
  kSidrReqRcvd,
  kSame,
};
inline constexpr int kIbStateCount = static_cast<int>(IbState::kSame);
using IbStates = Set<IbState>;

enum class IbStimulus : uint8_t {
  // local calls
  kSendReq,
  kSendRep,
  kSendRtu,
  kSendRej,
  kSendDreq,
  kSendDrep,
  kSendSidrReq,
  kSendSidrRep,
  kSendSidrRefusal,  // SIDR_REP that says no
  kUnsentEnd,        // DREQ or DREP is asked for and cannot be sent
  kUnsentRej,        // and REJ
  kQpInit,           // attributes for INIT are asked for
  kQpReady,          // and for RTR and RTS
  kCommEst,          // the application has seen that the connection stands
  kPathMig,          // or that its path has changed
  kDestroy,
  // messages
  kReqAgain,
  kMra,
  kRep,
  kRepStale,  // its QP number is that of a live connection to the same peer
  kRepKnown,  // and so is its sender's communication id
  kRepAgain,
  kRtu,
  kRej,
  kRejStale,  // reason 10
  kRejMoved,  // any, where the connection has asked for another path, or has taken it
  kDreq,
  kDreqOtherQp,  // for another queue pair than the id's
  kDrep,
  kSidrRep,
  kSidrRefusal,
  kSidrOtherKey,  // SIDR_REP with another Q_Key than the id's
  kLap,           // asks for another path
  kLapAgain,      // before the last one was answered
  kApr,
  // time
  kRetry,      // its message was not answered in time
  kExhausted,  // nor any of the repetitions
  kSendFails,  // its message could not be sent at all
  kTimewaitOver,
};
inline constexpr int kIbStimulusCount = kCountOf<IbStimulus>;

// Where a stimulus comes from.
enum class Origin : uint8_t { kCall, kMessage, kTimer };

struct IbStimulusInfo {
  IbStimulus on;
  std::string_view name;
  Origin origin;
  Transports over = over::kIbCm;
  Need needs = Need::kNothing;
};

inline constexpr auto kIbStimuli = ByValue(
    std::to_array<IbStimulusInfo>({
        {IbStimulus::kSendReq, "send REQ", Origin::kCall},
        {IbStimulus::kSendRep, "send REP", Origin::kCall},
        {IbStimulus::kSendRtu, "send RTU", Origin::kCall},
        {IbStimulus::kSendRej, "send REJ", Origin::kCall},
        {IbStimulus::kSendDreq, "send DREQ", Origin::kCall},
        {IbStimulus::kSendDrep, "send DREP", Origin::kCall},
        {IbStimulus::kSendSidrReq, "send SIDR_REQ", Origin::kCall},
        {IbStimulus::kSendSidrRep, "send SIDR_REP", Origin::kCall},
        {IbStimulus::kSendSidrRefusal, "send SIDR_REP that refuses", Origin::kCall},
        {IbStimulus::kUnsentEnd, "send DREQ or DREP in vain", Origin::kCall},
        {IbStimulus::kUnsentRej, "send REJ in vain", Origin::kCall},
        {IbStimulus::kQpInit, "QP INIT", Origin::kCall},
        {IbStimulus::kQpReady, "QP RTR, RTS", Origin::kCall},
        {IbStimulus::kCommEst, "report COMM_EST", Origin::kCall},
        {IbStimulus::kPathMig, "report PATH_MIG", Origin::kCall},
        {IbStimulus::kDestroy, "destroy", Origin::kCall},
        {IbStimulus::kReqAgain, "REQ again", Origin::kMessage},
        {IbStimulus::kMra, "MRA", Origin::kMessage},
        {IbStimulus::kRep, "REP", Origin::kMessage},
        {IbStimulus::kRepStale, "REP of a QP in use", Origin::kMessage},
        {IbStimulus::kRepKnown, "REP of an id in use", Origin::kMessage, over::kIbCm,
         Need::kTester},
        {IbStimulus::kRepAgain, "REP again", Origin::kMessage},
        {IbStimulus::kRtu, "RTU", Origin::kMessage},
        {IbStimulus::kRej, "REJ", Origin::kMessage},
        {IbStimulus::kRejStale, "REJ 10", Origin::kMessage},
        {IbStimulus::kRejMoved, "REJ on another path", Origin::kMessage},
        {IbStimulus::kDreq, "DREQ", Origin::kMessage},
        {IbStimulus::kDreqOtherQp, "DREQ for another QP", Origin::kMessage, over::kIbCm,
         Need::kTester},
        {IbStimulus::kDrep, "DREP", Origin::kMessage},
        {IbStimulus::kSidrRep, "SIDR_REP", Origin::kMessage},
        {IbStimulus::kSidrRefusal, "SIDR_REP that refuses", Origin::kMessage},
        {IbStimulus::kSidrOtherKey, "SIDR_REP with another Q_Key", Origin::kMessage, over::kIbCm,
         Need::kTester},
        {IbStimulus::kLap, "LAP", Origin::kMessage, over::kInfiniband, Need::kTester},
        {IbStimulus::kLapAgain, "LAP again", Origin::kMessage, over::kInfiniband, Need::kTester},
        {IbStimulus::kApr, "APR", Origin::kMessage, over::kInfiniband, Need::kTester},
        {IbStimulus::kRetry, "retry", Origin::kTimer},
        {IbStimulus::kExhausted, "exhausted", Origin::kTimer},
        {IbStimulus::kSendFails, "send fails", Origin::kTimer, over::kIbCm, Need::kFailingSends},
        {IbStimulus::kTimewaitOver, "timewait over", Origin::kTimer},
    }),
    &IbStimulusInfo::on);

constexpr const IbStimulusInfo& InfoOf(IbStimulus on) {
  return kIbStimuli[static_cast<size_t>(on)];
}

enum class IbAnswer : uint8_t {
  kDone,     // a local call succeeded, a message or timer took effect
  kRefused,  // a local call failed
  kIgnored,  // a message or timer had no effect
};

// What a rule sends: a message kind in a variant that the judge distinguishes; a REJ, by the
// message that it rejects.
enum class Sends : uint8_t {
  kNothing,
  kReq,
  kMra,
  kRejReq,        // rejects the request
  kRejRep,        // rejects the reply
  kRejOther,      // rejects neither
  kRejWithoutId,  // the same without a communication id of the peer: no id takes it
  kRejTimeout,    // reason 4: gives up the request
  kRep,
  kRtu,
  kDreq,
  kDrep,
  kSidrReq,
  kSidrRep,
  kSidrRefusal,  // SIDR_REP that says no
  kAgain,        // the same message once more
  kLap,          // the tester alone
  // over iWARP
  kMpaRequest,
  kMpaReply,
  kMpaReject,
  kFin,  // the end of the TCP connection
};

struct SendsInfo {
  Sends sends;
  std::string_view name;
  std::optional<MadKind> kind = std::nullopt;  // empty: none, or that of an earlier message
};

inline constexpr auto kSends =
    ByValue(std::to_array<SendsInfo>({
                {Sends::kNothing, ""},
                {Sends::kReq, "REQ", MadKind::kReq},
                {Sends::kMra, "MRA", MadKind::kMra},
                {Sends::kRejReq, "REJ of REQ", MadKind::kRej},
                {Sends::kRejRep, "REJ of REP", MadKind::kRej},
                {Sends::kRejOther, "REJ", MadKind::kRej},
                {Sends::kRejWithoutId, "REJ without an id of the peer", MadKind::kRej},
                {Sends::kRejTimeout, "REJ 4", MadKind::kRej},
                {Sends::kRep, "REP", MadKind::kRep},
                {Sends::kRtu, "RTU", MadKind::kRtu},
                {Sends::kDreq, "DREQ", MadKind::kDreq},
                {Sends::kDrep, "DREP", MadKind::kDrep},
                {Sends::kSidrReq, "SIDR_REQ", MadKind::kSidrReq},
                {Sends::kSidrRep, "SIDR_REP", MadKind::kSidrRep},
                {Sends::kSidrRefusal, "SIDR_REP that refuses", MadKind::kSidrRep},
                {Sends::kAgain, "the same again"},
                {Sends::kLap, "LAP", MadKind::kLap},
                {Sends::kMpaRequest, "MPA request", MadKind::kMpaRequest},
                {Sends::kMpaReply, "MPA reply", MadKind::kMpaReply},
                {Sends::kMpaReject, "MPA reply that rejects", MadKind::kMpaReject},
                {Sends::kFin, "FIN", MadKind::kFin},
            }),
            &SendsInfo::sends);

// The kind of the message that is sent; empty for kNothing and kAgain.
constexpr std::optional<MadKind> MadKindOf(Sends sends) {
  return kSends[static_cast<size_t>(sends)].kind;
}
// What a message is to the rules where it has one variant alone; empty where it has several or
// none.
constexpr std::optional<Sends> OnlySendsOf(MadKind kind) {
  std::optional<Sends> only;
  for (const SendsInfo& row : kSends) {
    if (row.kind != kind) continue;
    if (only) return std::nullopt;
    only = row.sends;
  }
  return only;
}

// What is reported to the rdma_cm id above.
enum class Report : uint8_t {
  kNothing,
  kReqError,
  kRepError,
  kRepReceived,
  kRtuReceived,
  kDreqReceived,
  kDrepReceived,
  kDreqError,
  kTimewaitExit,
  kRejReceived,
  kUserEstablished,
  kSidrRepReceived,
  kSidrRefusalReceived,
  kSidrOtherKeyReceived,
  kSidrReqError,
  // of the iWARP CM
  kIwReply,
  kIwRejected,
  kIwTimedOut,
  kIwFailed,
  kIwEstablished,
  kIwClosed,
};

struct ReportInfo {
  Report report;
  std::string_view name;
  Transports over = over::kIbCm;
  Need needs = Need::kNothing;
};
const ReportInfo& InfoOf(Report report);

std::string_view ToString(IbState state);
std::string_view ToString(IbStimulus stimulus);
std::string_view ToString(Sends sends);
std::string_view ToString(Report report);

}  // namespace cm::model

#endif  // MODEL_IB_CM_STIMULUS_H_
