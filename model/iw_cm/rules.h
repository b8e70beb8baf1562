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
#include <span>
#include <string_view>

#include "model/base/enumeration.h"
#include "model/ib_cm/rules.h"
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

extern const std::span<const IwRule> kIwCm;
extern const std::span<const IwRequestRule> kIwRequests;

}  // namespace rules

std::string_view ToString(IwState state);
std::string_view ToString(IwStimulus stimulus);
std::string_view ToString(IwAnswer answer);

}  // namespace cm::model

#endif  // MODEL_IW_CM_RULES_H_
