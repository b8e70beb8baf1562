// The channel table: event channels, fetching and acknowledging; and what the kernel's reports
// become on their way to the application.
#ifndef MODEL_CHANNEL_RULES_H_
#define MODEL_CHANNEL_RULES_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "model/cm_id/state.h"
#include "model/ib_cm/rules.h"
#include "model/rules/rule.h"
#include "model/vocabulary/protocol.h"

namespace cm::model {

// What a channel has for its reader.
enum class ChannelState : uint8_t { kEmpty, kPending };
inline constexpr int kChannelStateCount = 2;
using ChannelStates = Set<ChannelState>;

enum class ChannelGuard : uint8_t { kFine, kNonblocking, kMessageOutstanding };
using ChannelGuards = Set<ChannelGuard>;

struct ChannelRule {
  std::string_view id;
  ChannelStates from;
  CallKind on;
  ChannelGuards when;
  Outcome outcome;
  bool fetches;  // an event goes to the application
  Evidence evidence;
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
  int32_t status;  // kReason: the REJ reason
  bool silent;     // discarded
  Evidence evidence;
};
inline constexpr int32_t kReason = 1'000'000;

// What the library makes of an event when it is fetched. source: rdma-core 44 cma.c
enum class FetchGuard : uint8_t {
  kFine,
  kIdGone,          // the kernel's id is gone with its device: nothing can be asked about it
  kQpAbsent,        // a reply, and the application has a queue pair of its own
  kQpCannotComeUp,  // a reply, and the id's queue pair does not follow
  kErrorReported,   // the library has reported CONNECT_ERROR
};
inline constexpr int kFetchGuardCount = 5;
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
};
inline constexpr int32_t kUnchanged = 1'000'001;

namespace rules {

inline constexpr ChannelStates kAnyChannel = ChannelStates::All(kChannelStateCount);

// clang-format off
inline constexpr auto kChannels = std::to_array<ChannelRule>({
  {"channel-1", ChannelState::kEmpty, CallKind::kCreateEventChannel, ChannelGuard::kFine, Returns(), false, {"man rdma_create_event_channel(3)", "6.1-rxe/01-connect_disconnect_by_active:1"}},
  {"channel-2", kAnyChannel, CallKind::kDestroyEventChannel, ChannelGuard::kFine, Returns(), false, {"man rdma_destroy_event_channel(3)", "6.1-rxe/87-channel_destroyed_before_ids:4"}},
  {"channel-3", kAnyChannel, CallKind::kDestroyEventChannel, ChannelGuard::kMessageOutstanding, kBlocks, false, {"linux 6.1 ucma.c ucma_close, cm.c cm_destroy_id", ""}},
  {"get-event-1", ChannelState::kPending, CallKind::kGetCmEvent, ChannelGuards(ChannelGuard::kFine) | ChannelGuard::kNonblocking, Returns(), true, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:8"}},
  {"get-event-2", ChannelState::kEmpty, CallKind::kGetCmEvent, ChannelGuard::kNonblocking, Returns(Errno::kAgain), false, {"linux 6.1 ucma.c ucma_get_event", "6.1-rxe/53-nonblocking_channel:7"}},
  {"get-event-3", ChannelState::kEmpty, CallKind::kGetCmEvent, ChannelGuard::kFine, kBlocks, false, {"man rdma_get_cm_event(3)", "lab 6.1-rxe, seed 1"}},
  {"ack-event-1", kAnyChannel, CallKind::kAckCmEvent, ChannelGuard::kFine, Returns(), false, {"man rdma_ack_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:8"}},
});

inline constexpr auto kReports = std::to_array<ReportRule>({
  {"report-1", State::kConnect, Report::kReqError, true, State::kSame, EventType::kUnreachable, -110, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/57-every_request_lost:14"}},
  {"report-2", State::kConnect, Report::kRepError, true, State::kSame, EventType::kUnreachable, -110, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/59-every_ready_to_use_lost:18"}},
  {"report-3", State::kConnect, Report::kRepReceived, true, State::kSame, EventType::kConnectResponse, 0, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/01-connect_disconnect_by_active:16"}},
  {"report-4", State::kConnect, Report::kRtuReceived, true, State::kSame, EventType::kEstablished, 0, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/01-connect_disconnect_by_active:17"}},
  {"report-5", State::kConnect, Report::kDreqReceived, true, State::kDisconnect, EventType::kDisconnected, 0, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/01-connect_disconnect_by_active:21"}},
  {"report-6", State::kConnect, Report::kDrepReceived, true, State::kDisconnect, EventType::kDisconnected, 0, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/01-connect_disconnect_by_active:23"}},
  {"report-7", State::kConnect, Report::kDreqError, true, State::kDisconnect, EventType::kDisconnected, -110, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/61-every_disconnect_request_lost:20"}},
  {"report-8", State::kDisconnect, Report::kTimewaitExit, true, State::kSame, EventType::kTimewaitExit, 0, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/01-connect_disconnect_by_active:24"}},
  {"report-9", State::kConnect, Report::kRejReceived, true, State::kSame, EventType::kRejected, kReason, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/09-reply_rejected_by_connecting_side:18"}},
  {"report-10", State::kConnect, Report::kRejReceived, false, State::kSame, EventType::kRejected, 0, true, {"linux 6.1 ucma.c ucma_event_handler", "6.1-rxe/69-device_removal_by_state:53"}},
  {"report-11", State::kConnect, Report::kTimewaitExit, true, State::kSame, EventType::kTimewaitExit, 0, true, {"linux 6.1 cma.c cma_ib_handler: only a disconnected id is told", "6.1-rxe/19-stale_connection:32"}},
  {"report-12", State::kDisconnect, Report::kDrepReceived, true, State::kSame, EventType::kDisconnected, 0, true, {"linux 6.1 cma.c cma_ib_handler: the second end of crossing disconnects", ""}},
});

inline constexpr auto kFetches = std::to_array<FetchRule>({
  {"fetch-1", EventType::kAddrResolved, FetchGuard::kFine, EventType::kAddrResolved, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:8"}},
  {"fetch-2", EventType::kAddrResolved, FetchGuard::kIdGone, EventType::kAddrError, -1, false, {}, {"rdma-core 44 cma.c ucma_process_addr_resolved", "lab 6.1-rxe, seed 1"}},
  {"fetch-3", EventType::kRouteResolved, FetchGuard::kFine, EventType::kRouteResolved, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:10"}},
  {"fetch-4", EventType::kRouteResolved, FetchGuard::kIdGone, EventType::kRouteError, -1, false, {}, {"rdma-core 44 cma.c ucma_process_route_resolved", "lab 6.1-rxe, seed 1"}},
  {"fetch-5", EventType::kConnectRequest, FetchGuard::kFine, EventType::kConnectRequest, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:13"}},
  {"fetch-6", EventType::kConnectRequest, FetchGuard::kIdGone, EventType::kConnectRequest, 0, true, {Effect::kDestroys}, {"rdma-core 44 cma.c ucma_process_conn_req", "lab 6.1-rxe, seed 1"}},
  {"fetch-7", EventType::kConnectResponse, FetchGuard::kQpAbsent, EventType::kConnectResponse, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/05-connect_without_qp_then_establish:16"}},
  {"fetch-8", EventType::kConnectResponse, FetchGuard::kFine, EventType::kEstablished, kUnchanged, false, {Effect::kQpUp, Effect::kSendsRtu}, {"rdma-core 44 cma.c ucma_process_conn_resp", "6.1-rxe/01-connect_disconnect_by_active:16"}},
  {"fetch-9", EventType::kConnectResponse, FetchGuard::kQpCannotComeUp, EventType::kConnectError, -1, false, {Effect::kQpError}, {"rdma-core 44 cma.c ucma_process_conn_resp", "lab 6.1-rxe, seed 1"}},
  {"fetch-10", EventType::kConnectResponse, FetchGuard::kIdGone, EventType::kConnectError, -1, false, {Effect::kQpError}, {"rdma-core 44 cma.c ucma_process_conn_resp", "lab 6.1-rxe, seed 1"}},
  {"fetch-11", EventType::kRejected, FetchGuard::kFine, EventType::kRejected, kUnchanged, false, {Effect::kQpError}, {"rdma-core 44 cma.c rdma_get_cm_event", "6.1-rxe/09-reply_rejected_by_connecting_side:18"}},
  {"fetch-12", EventType::kRejected, FetchGuard::kErrorReported, EventType::kRejected, 0, true, {}, {"rdma-core 44 cma.c rdma_get_cm_event", "lab 6.1-rxe, seed 1"}},
  {"fetch-13", EventType::kDisconnected, FetchGuard::kFine, EventType::kDisconnected, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:21"}},
  {"fetch-14", EventType::kDisconnected, FetchGuard::kErrorReported, EventType::kDisconnected, 0, true, {}, {"rdma-core 44 cma.c rdma_get_cm_event", ""}},
  {"fetch-15", EventType::kEstablished, FetchGuard::kFine, EventType::kEstablished, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:17"}},
  {"fetch-16", EventType::kUnreachable, FetchGuard::kFine, EventType::kUnreachable, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/57-every_request_lost:14"}},
  {"fetch-17", EventType::kAddrError, FetchGuard::kFine, EventType::kAddrError, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/69-device_removal_by_state:74"}},
  {"fetch-18", EventType::kDeviceRemoval, FetchGuard::kFine, EventType::kDeviceRemoval, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/69-device_removal_by_state:45"}},
  {"fetch-19", EventType::kAddrChange, FetchGuard::kFine, EventType::kAddrChange, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/77-bond_failover_addr_change:29"}},
  {"fetch-20", EventType::kTimewaitExit, FetchGuard::kFine, EventType::kTimewaitExit, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:24"}},
});
// clang-format on

}  // namespace rules

std::string_view ToString(FetchGuard guard);
std::string_view ToString(ChannelGuard guard);

}  // namespace cm::model

#endif  // MODEL_CHANNEL_RULES_H_
