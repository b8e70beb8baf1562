// The ib_cm table: what a connection identifier of the IB CM does at each local call, message and
// timer, in each of its states; and what becomes of a request that is for no identifier yet.
//
// The row names of the protocol's tables (N, R, L, D, M) stand in the sources.
#ifndef MODEL_IB_CM_RULES_H_
#define MODEL_IB_CM_RULES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "model/ib_cm/stimulus.h"
#include "model/rules/need.h"
#include "model/rules/rule.h"
#include "model/rules/transports.h"
#include "model/vocabulary/protocol.h"

namespace cm::model {

struct IbRule {
  std::string_view id;
  IbStates from;
  IbStimulus on;
  IbAnswer answer;
  IbState to;
  Sends sends;
  Report reports;
  bool abandons;  // the id moves on, and its own message is transmitted until it runs out
  Evidence evidence;
  Transports over = over::kIbCm;
};

// A request that belongs to no identifier: what is looked at, in order.
enum class RequestGuard : uint8_t {
  kUnresolvable,   // the address that it came from does not answer
  kStale,          // its QP number is that of a live connection of the same peer
  kNoListener,     // for the port, on the device that it came to
  kNoPath,         // its partition or its addresses are not to be had here
  kAlternatePath,  // it names one, which cannot be found over RoCE
  kNotUnderstood,  // its CMA header, or the type of connection that it is for
  kOtherAddress,   // the port has a listener, but of another address
  kBacklogFull,
  kFine,
};

struct RequestGuardInfo {
  RequestGuard guard;
  std::string_view name;
  Transports over = over::kAll;
  Need needs = Need::kNothing;
};
const RequestGuardInfo& InfoOf(RequestGuard guard);

enum class RequestOutcome : uint8_t { kDelivered, kRejected, kDropped };

struct RequestRule {
  std::string_view id;
  RequestGuard when;
  RequestOutcome outcome;
  RejReason reason;
  Evidence evidence;
  Transports over = over::kIbCm;
};

// What is looked at before a message is taken for one of the connection manager, in order.
enum class MadGuard : uint8_t {
  kBaseVersion,   // another one than 1
  kAsksClass,     // Get or Set of ClassPortInfo
  kMethod,        // another one than Send
  kClassVersion,  // another one than 2
  kAttribute,     // none of the messages that there are
  kLapOverRoce,   // LAP or APR
  kFine,
};

struct MadGuardInfo {
  MadGuard guard;
  std::string_view name;
  Transports over = over::kIbCm;
  Need needs = Need::kTester;
};
const MadGuardInfo& InfoOf(MadGuard guard);

enum class MadOutcome : uint8_t { kTaken, kDropped, kAnswered };

struct MadRule {
  std::string_view id;
  MadGuard when;
  MadOutcome outcome;
  Evidence evidence;
  Transports over = over::kIbCm;
};

// The same for a datagram service; everything but delivery is a refusal.
struct SidrRequestRule {
  std::string_view id;
  RequestGuard when;
  bool delivered;
  SidrStatus status;
  Evidence evidence;
  Transports over = over::kIbCm;
};

namespace rules {

namespace ib {
using enum IbState;

inline constexpr IbStates kAny = IbStates::All(kIbStateCount);
inline constexpr IbStates kRequesting = IbStates(kReqSent) | kMraReqRcvd;
inline constexpr IbStates kReplying = IbStates(kRepSent) | kMraRepRcvd;
inline constexpr IbStates kSidr = IbStates(kSidrReqSent) | kSidrReqRcvd;
inline constexpr IbStates kNegotiating = kRequesting | kMraReqSent | kReplying | kMraRepSent;
}  // namespace ib

extern const std::span<const IbRule> kIbCm;
extern const std::span<const RequestRule> kRequests;
extern const std::span<const SidrRequestRule> kSidrRequests;
extern const std::span<const MadRule> kMads;

}  // namespace rules

std::string_view ToString(RequestGuard guard);
std::string_view ToString(MadGuard guard);

}  // namespace cm::model

#endif  // MODEL_IB_CM_RULES_H_
