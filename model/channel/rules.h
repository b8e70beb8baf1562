// The channel table: event channels, fetching and acknowledging; and what the kernel's reports
// become on their way to the application.
#ifndef MODEL_CHANNEL_RULES_H_
#define MODEL_CHANNEL_RULES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "model/base/enumeration.h"
#include "model/cm_id/effect.h"
#include "model/cm_id/guard.h"
#include "model/cm_id/state.h"
#include "model/ib_cm/rules.h"
#include "model/rules/need.h"
#include "model/rules/rule.h"
#include "model/rules/transports.h"
#include "model/vocabulary/protocol.h"

namespace cm::model {

// What a channel has for its reader.
enum class ChannelState : uint8_t { kEmpty, kPending };
inline constexpr int kChannelStateCount = kCountOf<ChannelState>;
using ChannelStates = Set<ChannelState>;

enum class ChannelGuard : uint8_t { kFine, kNonblocking, kMessageOutstanding };
inline constexpr int kChannelGuardCount = kCountOf<ChannelGuard>;
using ChannelGuards = Set<ChannelGuard>;

struct ChannelRule {
  std::string_view id;
  ChannelStates from;
  CallKind on;
  ChannelGuards when;
  Outcome outcome;
  bool fetches;  // an event goes to the application
  Evidence evidence;
  Transports over = over::kAll;
};

// How a report of the IB CM becomes an event of the id. source: linux 6.1 cma.c cma_ib_handler,
// ucma.c ucma_event_handler
struct ReportRule {
  std::string_view id;
  States from;
  Report on;
  bool accepted;  // false: rows for requests that are not accepted yet
  State to;
  EventType type;
  int32_t status;  // kReason: the REJ reason, or the SIDR status
  bool silent;     // discarded
  Evidence evidence;
  Transports over = over::kAll;  // of those that its report is of
};
inline constexpr int32_t kReason = 1'000'000;

// What the library makes of an event when it is fetched. source: rdma-core 44 cma.c
enum class FetchGuard : uint8_t {
  kFine,
  kIdGone,           // the kernel's id is gone with its device: nothing can be asked about it
  kQpAbsent,         // a reply, and the application has a queue pair of its own
  kQpCannotComeUp,   // a reply, and the id's queue pair does not follow
  kErrorReported,    // the library has reported CONNECT_ERROR
  kLeftBehind,       // a request whose own id is not on the channel that its listener went to
  kQpCannotAttach,   // the id's queue pair cannot become a member of the group
  kInfoTaken,        // the id's look-up result was queried before its event was fetched
  kInfoTakenIdGone,  // and the kernel's id is gone as well
};
inline constexpr int kFetchGuardCount = kCountOf<FetchGuard>;
using FetchGuards = Set<FetchGuard>;

struct FetchRule {
  std::string_view id;
  EventType queued;
  FetchGuards when;
  EventType delivered;
  int32_t status;  // kUnchanged: as queued
  bool swallowed;  // the application does not see it
  Effects effects;
  Evidence evidence;
  Transports over = over::kAll;
  Need needs = Need::kNothing;
};
inline constexpr int32_t kUnchanged = 1'000'001;

// What a call on a synchronous id that has started something finds on the id's own channel.
enum class Found : uint8_t {
  kNothing,           // yet
  kSuccess,           // an event with status 0, whatever its type
  kRequest,           // CONNECT_REQUEST
  kRejected,          // REJECTED with its reason
  kFailure,           // another status
  kRequestWithoutQp,  // CONNECT_REQUEST, and the queue pair that it is to have cannot be made
};
inline constexpr int kFoundCount = kCountOf<Found>;

// What becomes of the call. Where a row of the cm_id table says that it returns 0, this comes after
// it. source: rdma-core 44 cma.c ucma_complete, rdma_get_request
struct CompletionRule {
  std::string_view id;
  Calls on;
  Set<Found> when;
  Outcome outcome;
  bool errno_of_status;  // and with which errno
  bool retained;         // the event is kept as id->event of the id of the call
  Evidence evidence;
  Need needs = Need::kNothing;
  Transports over = over::kAll;
};

// What rdma_create_ep does one after the other on an id of its own: each step is what the call of
// that name does on any synchronous id. source: rdma-core 44 cma.c rdma_create_ep, ucma_passive_ep
enum class EpStep : uint8_t { kBind, kAddress, kRoute, kQueuePair };
inline constexpr int kEpStepCount = kCountOf<EpStep>;
// How a step ends; the call ends with the first that does not go on.
enum class EpEnd : uint8_t {
  kRefused,  // at once, by a row of the cm_id table
  kWaits,    // its event has not come yet
  kFailed,   // its event has a status
  kDone,     // it was the last
};
inline constexpr int kEpEndCount = kCountOf<EpEnd>;

struct EndpointRule {
  std::string_view id;
  Set<EpStep> at;
  EpEnd when;
  Outcome outcome;     // of the call
  bool errno_of_step;  // instead: -1 with the errno of the step or of its event's status
  bool destroyed;      // nothing is left of the id
  Evidence evidence;
  Transports over = over::kAll;
};

namespace rules {

// Calls that wait for an event on a synchronous id.
inline constexpr Calls kCompleting = Calls(CallKind::kResolveAddr) | CallKind::kResolveRoute |
                                     CallKind::kConnect | CallKind::kAccept |
                                     CallKind::kDisconnect | CallKind::kJoinMulticast |
                                     CallKind::kJoinMulticastEx | CallKind::kResolveAddrInfo;

inline constexpr ChannelStates kAnyChannel = ChannelStates::All(kChannelStateCount);

extern const std::span<const ChannelRule> kChannels;
extern const std::span<const ReportRule> kReports;
extern const std::span<const FetchRule> kFetches;
extern const std::span<const CompletionRule> kCompletions;
extern const std::span<const EndpointRule> kEndpoints;

}  // namespace rules

std::string_view ToString(EpStep step);
std::string_view ToString(EpEnd end);
std::string_view ToString(FetchGuard guard);
std::string_view ToString(ChannelGuard guard);
std::string_view ToString(Found found);

}  // namespace cm::model

#endif  // MODEL_CHANNEL_RULES_H_
