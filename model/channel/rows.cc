#include <array>

#include "model/channel/rules.h"

namespace cm::model::rules {
namespace {

// Of those that complete, rdma_resolve_addrinfo has an errno of its own for every failure.
constexpr Calls kPlainlyCompleting = kCompleting.Except(CallKind::kResolveAddrInfo);

// clang-format off
constexpr auto kChannelsRows = std::to_array<ChannelRule>({
  {"channel-1", ChannelState::kEmpty, CallKind::kCreateEventChannel, ChannelGuard::kFine, Returns(), false, {"man rdma_create_event_channel(3)", "6.1-rxe/01-connect_disconnect_by_active:1"}},
  {"channel-2", kAnyChannel, CallKind::kDestroyEventChannel, ChannelGuard::kFine, Returns(), false, {"man rdma_destroy_event_channel(3)", "6.1-rxe/87-channel_destroyed_before_ids:4"}},
  {"channel-3", kAnyChannel, CallKind::kDestroyEventChannel, ChannelGuard::kMessageOutstanding, kBlocks, false, {"linux 6.1 ucma.c ucma_close, cm.c cm_destroy_id", "lab 6.1-rxe, seed 1"}},
  {"get-event-1", ChannelState::kPending, CallKind::kGetCmEvent, ChannelGuards(ChannelGuard::kFine) | ChannelGuard::kNonblocking, Returns(), true, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:8"}},
  {"get-event-2", ChannelState::kEmpty, CallKind::kGetCmEvent, ChannelGuard::kNonblocking, Returns(Errno::kAgain), false, {"linux 6.1 ucma.c ucma_get_event", "6.1-rxe/53-nonblocking_channel:7"}},
  {"get-event-3", ChannelState::kEmpty, CallKind::kGetCmEvent, ChannelGuard::kFine, kBlocks, false, {"man rdma_get_cm_event(3)", "lab 6.1-rxe, seed 1"}},
  {"ack-event-1", kAnyChannel, CallKind::kAckCmEvent, ChannelGuard::kFine, Returns(), false, {"man rdma_ack_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:8"}},
});

constexpr auto kReportsRows = std::to_array<ReportRule>({
  {"report-1", State::kConnect, Report::kReqError, true, State::kSame, EventType::kUnreachable, -110, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/57-every_request_lost:14"}},
  {"report-2", State::kConnect, Report::kRepError, true, State::kSame, EventType::kUnreachable, -110, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/59-every_ready_to_use_lost:18"}},
  {"report-3", State::kConnect, Report::kRepReceived, true, State::kSame, EventType::kConnectResponse, 0, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/01-connect_disconnect_by_active:16"}},
  {"report-4", State::kConnect, Report::kRtuReceived, true, State::kSame, EventType::kEstablished, 0, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/01-connect_disconnect_by_active:17"}},
  {"report-5", State::kConnect, Report::kDreqReceived, true, State::kDisconnect, EventType::kDisconnected, 0, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/01-connect_disconnect_by_active:21"}},
  {"report-6", State::kConnect, Report::kDrepReceived, true, State::kDisconnect, EventType::kDisconnected, 0, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/01-connect_disconnect_by_active:23"}},
  {"report-7", State::kConnect, Report::kDreqError, true, State::kDisconnect, EventType::kDisconnected, -110, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/55-synchronous_id:19"}},
  {"report-8", State::kDisconnect, Report::kTimewaitExit, true, State::kSame, EventType::kTimewaitExit, 0, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/01-connect_disconnect_by_active:24"}},
  {"report-9", State::kConnect, Report::kRejReceived, true, State::kSame, EventType::kRejected, kReason, false, {"linux 6.1 cma.c cma_ib_handler", "6.1-rxe/09-reply_rejected_by_connecting_side:18"}},
  {"report-10", State::kConnect, Report::kRejReceived, false, State::kSame, EventType::kRejected, 0, true, {"linux 6.1 ucma.c ucma_event_handler", "6.1-rxe/69-device_removal_by_state:53"}},
  {"report-11", State::kConnect, Report::kTimewaitExit, true, State::kSame, EventType::kTimewaitExit, 0, true, {"linux 6.1 cma.c cma_ib_handler: only a disconnected id reports it", "6.1-rxe/19-stale_connection:31"}},
  {"report-12", State::kDisconnect, Report::kDrepReceived, true, State::kSame, EventType::kDisconnected, 0, true, {"linux 6.1 cma.c cma_ib_handler: the second end of crossing disconnects", ""}},
  {"report-13", State::kConnect, Report::kUserEstablished, true, State::kSame, EventType::kEstablished, 0, false, {"linux 6.1 cma.c cma_ib_handler", "lab 6.1-rxe, seed 1"}},
  {"sidr-report-1", State::kConnect, Report::kSidrRepReceived, true, State::kSame, EventType::kEstablished, 0, false, {"linux 6.1 cma.c cma_sidr_rep_handler", "6.1-rxe/81-datagram_private_data_lengths:17"}},
  {"sidr-report-2", State::kConnect, Report::kSidrRefusalReceived, true, State::kSame, EventType::kUnreachable, kReason, false, {"linux 6.1 cma.c cma_sidr_rep_handler", "6.1-rxe/79-datagram_refusals:10"}},
  {"sidr-report-3", State::kConnect, Report::kSidrReqError, true, State::kSame, EventType::kUnreachable, -110, false, {"linux 6.1 cma.c cma_sidr_rep_handler", "lab 6.1-rxe datagrams, seed 1"}},
  {"sidr-report-4", State::kConnect, Report::kSidrOtherKeyReceived, true, State::kSame, EventType::kAddrError, -22, false, {"linux 6.1 cma.c cma_sidr_rep_handler, cma_set_qkey", ""}},
  {"iw-report-1", State::kConnect, Report::kIwReply, true, State::kSame, EventType::kEstablished, 0, false, {"linux 6.1 cma.c cma_iw_handler", "6.1-siw/01-connect_disconnect_by_active:16"}},
  {"iw-report-2", State::kConnect, Report::kIwRejected, true, State::kSame, EventType::kRejected, -104, false, {"linux 6.1 cma.c cma_iw_handler", "6.1-siw/11-reject_by_consumer:15"}},
  {"iw-report-3", State::kConnect, Report::kIwTimedOut, true, State::kSame, EventType::kUnreachable, -110, false, {"linux 6.1 cma.c cma_iw_handler", "6.1-siw/65-slow_consumer_answer:15"}},
  {"iw-report-4", State::kConnect, Report::kIwFailed, true, State::kSame, EventType::kConnectError, -22, false, {"linux 6.1 cma.c cma_iw_handler", ""}},
  {"iw-report-5", State::kConnect, Report::kIwEstablished, true, State::kSame, EventType::kEstablished, 0, false, {"linux 6.1 cma.c cma_iw_handler", "6.1-siw/01-connect_disconnect_by_active:15"}},
  // The state stays: nothing is left to be done in another.
  {"iw-report-6", State::kConnect, Report::kIwClosed, true, State::kSame, EventType::kDisconnected, 0, false, {"linux 6.1 cma.c cma_iw_handler", "6.1-siw/01-connect_disconnect_by_active:21"}},
});

constexpr auto kFetchesRows = std::to_array<FetchRule>({
  {"fetch-1", EventType::kAddrResolved, FetchGuard::kFine, EventType::kAddrResolved, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:8"}},
  {"fetch-2", EventType::kAddrResolved, FetchGuard::kIdGone, EventType::kAddrError, -1, false, {}, {"rdma-core 44 cma.c ucma_process_addr_resolved", "lab 6.1-rxe, seed 1"}},
  {"fetch-3", EventType::kRouteResolved, FetchGuard::kFine, EventType::kRouteResolved, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:10"}},
  {"fetch-4", EventType::kRouteResolved, FetchGuard::kIdGone, EventType::kRouteError, -1, false, {}, {"rdma-core 44 cma.c ucma_process_route_resolved", "lab 6.1-rxe, seed 1"}},
  {"fetch-5", EventType::kConnectRequest, FetchGuard::kFine, EventType::kConnectRequest, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:13"}},
  {"fetch-6", EventType::kConnectRequest, FetchGuard::kIdGone, EventType::kConnectRequest, 0, true, {Effect::kDestroys}, {"rdma-core 44 cma.c ucma_process_conn_req", "lab 6.1-rxe, seed 1"}},
  {"fetch-24", EventType::kConnectRequest, FetchGuard::kLeftBehind, EventType::kConnectRequest, 0, true, {}, {"linux 6.1 ucma.c ucma_migrate_id, rdma-core 44 cma.c ucma_process_conn_req", "lab 6.1-rxe, seed 1"}},
  {"fetch-7", EventType::kConnectResponse, FetchGuard::kQpAbsent, EventType::kConnectResponse, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/05-connect_without_qp_then_establish:16"}},
  {"fetch-8", EventType::kConnectResponse, FetchGuard::kFine, EventType::kEstablished, kUnchanged, false, {Effect::kQpUp, Effect::kSendsRtu}, {"rdma-core 44 cma.c ucma_process_conn_resp", "6.1-rxe/01-connect_disconnect_by_active:16"}},
  {"fetch-9", EventType::kConnectResponse, FetchGuard::kQpCannotComeUp, EventType::kConnectError, -1, false, {Effect::kQpError}, {"rdma-core 44 cma.c ucma_process_conn_resp", "lab 6.1-rxe depth, seed 1"}},
  {"fetch-10", EventType::kConnectResponse, FetchGuard::kIdGone, EventType::kConnectError, -1, false, {Effect::kQpError}, {"rdma-core 44 cma.c ucma_process_conn_resp", "lab 6.1-rxe, seed 1"}},
  {"fetch-11", EventType::kRejected, FetchGuard::kFine, EventType::kRejected, kUnchanged, false, {Effect::kQpError}, {"rdma-core 44 cma.c rdma_get_cm_event", "6.1-rxe/09-reply_rejected_by_connecting_side:18"}},
  {"fetch-12", EventType::kRejected, FetchGuard::kErrorReported, EventType::kRejected, 0, true, {}, {"rdma-core 44 cma.c rdma_get_cm_event", "lab 6.1-rxe, seed 1"}},
  {"fetch-13", EventType::kDisconnected, FetchGuard::kFine, EventType::kDisconnected, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:21"}},
  {"fetch-14", EventType::kDisconnected, FetchGuard::kErrorReported, EventType::kDisconnected, 0, true, {}, {"rdma-core 44 cma.c rdma_get_cm_event", "lab 6.1-rxe, seed 1"}},
  {"fetch-15", EventType::kEstablished, FetchGuard::kFine, EventType::kEstablished, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:17"}},
  {"fetch-16", EventType::kUnreachable, FetchGuard::kFine, EventType::kUnreachable, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/57-every_request_lost:14"}},
  {"fetch-17", EventType::kAddrError, FetchGuard::kFine, EventType::kAddrError, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/55-synchronous_id:26"}},
  {"fetch-18", EventType::kDeviceRemoval, FetchGuard::kFine, EventType::kDeviceRemoval, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/69-device_removal_by_state:45"}},
  {"fetch-19", EventType::kAddrChange, FetchGuard::kFine, EventType::kAddrChange, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/77-bond_failover_addr_change:29"}},
  {"fetch-20", EventType::kTimewaitExit, FetchGuard::kFine, EventType::kTimewaitExit, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:24"}},
  {"fetch-21", EventType::kMulticastJoin, FetchGuard::kFine, EventType::kMulticastJoin, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", "6.1-rxe/83-multicast_on_wrong_ids:11"}},
  {"fetch-22", EventType::kMulticastJoin, FetchGuard::kQpCannotAttach, EventType::kMulticastError, -1, false, {}, {"rdma-core 44 cma.c ucma_process_join", "lab 6.1-rxe, seed 1"}},
  {"fetch-29", EventType::kConnectError, FetchGuard::kFine, EventType::kConnectError, kUnchanged, false, {}, {"rdma-core 44 cma.c rdma_get_cm_event", ""}, over::kIwarp},
  {"fetch-30", EventType::kRouteError, FetchGuard::kFine, EventType::kRouteError, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", ""}, over::kInfiniband},
  {"fetch-23", EventType::kMulticastError, FetchGuard::kFine, EventType::kMulticastError, kUnchanged, false, {}, {"man rdma_get_cm_event(3)", ""}},
  // The kernel reports ADDRINFO_RESOLVED and ADDRINFO_ERROR itself for records of services alone.
  {"fetch-25", EventType::kInternal, FetchGuard::kFine, EventType::kAddrInfoResolved, kUnchanged, false, {}, {"rdma-core 65 cma.c rdma_get_cm_event, ucma_process_addrinfo_resolved", ""}, over::kAll, Need::kLaterCalls},
  {"fetch-26", EventType::kInternal, FetchGuard::kInfoTaken, EventType::kAddrInfoError, 61, false, {Effect::kForgetsInfo}, {"rdma-core 65 cma.c ucma_process_addrinfo_resolved, linux 7.2 ucma.c ucma_query_ib_service", ""}, over::kAll, Need::kLaterCalls},
  {"fetch-27", EventType::kInternal, FetchGuard::kInfoTakenIdGone, EventType::kAddrInfoError, 6, false, {Effect::kForgetsInfo}, {"rdma-core 65 cma.c ucma_process_addrinfo_resolved, linux 7.2 ucma.c ucma_get_ctx", ""}, over::kAll, Need::kLaterCalls},
  {"fetch-28", EventType::kUser, FetchGuard::kFine, EventType::kUser, kUnchanged, false, {}, {"rdma-core 65 cma.c rdma_get_cm_event", ""}, over::kAll, Need::kLaterCalls},
});

constexpr auto kCompletionsRows = std::to_array<CompletionRule>({
  {"sync-1", kCompleting, Found::kNothing, kBlocks, false, false, {"rdma-core 44 cma.c ucma_complete", "6.1-rxe/55-synchronous_id:10"}},
  {"sync-2", kCompleting, Set<Found>(Found::kSuccess) | Found::kRequest, Returns(), false, true, {"rdma-core 44 cma.c ucma_complete", "6.1-rxe/55-synchronous_id:5"}},
  {"sync-3", kPlainlyCompleting, Found::kRejected, Returns(Errno::kConnRefused), false, true, {"rdma-core 44 cma.c ucma_complete", "6.1-rxe/55-synchronous_id:32"}},
  {"sync-4", kPlainlyCompleting, Found::kFailure, Returns(Errno::kInval), true, true, {"rdma-core 44 cma.c ucma_complete", "6.1-rxe/55-synchronous_id:19"}},
  {"sync-5", CallKind::kGetRequest, Found::kNothing, kBlocks, false, false, {"rdma-core 44 cma.c rdma_get_request", "lab 6.1-rxe, seed 1"}},
  {"sync-6", CallKind::kGetRequest, Found::kRequest, Returns(), false, false, {"rdma-core 44 cma.c rdma_get_request", "6.1-rxe/55-synchronous_id:11"}},
  {"sync-7", CallKind::kGetRequest, Found::kSuccess, Returns(Errno::kInval), false, true, {"rdma-core 44 cma.c rdma_get_request", ""}},
  {"sync-8", CallKind::kGetRequest, Found::kRejected, Returns(Errno::kConnRefused), false, true, {"rdma-core 44 cma.c rdma_get_request", ""}},
  {"sync-9", CallKind::kGetRequest, Found::kFailure, Returns(Errno::kInval), true, true, {"rdma-core 44 cma.c rdma_get_request", ""}},
  {"sync-10", CallKind::kGetRequest, Found::kRequestWithoutQp, Returns(Errno::kInval), false, true, {"rdma-core 44 cma.c rdma_get_request, rdma_create_qp_ex", "lab 6.1-rxe, seed 1"}},
  {"sync-11", CallKind::kResolveAddrInfo, Set<Found>(Found::kRejected) | Found::kFailure, ReturnsOdd(-1), false, true, {"rdma-core 65 cma.c rdma_resolve_addrinfo, ucma_complete", ""}, Need::kLaterCalls},
});

constexpr auto kEndpointsRows = std::to_array<EndpointRule>({
  {"ep-1", EpStep::kBind, EpEnd::kRefused, Returns(Errno::kInval), true, true, {"rdma-core 44 cma.c rdma_create_ep, ucma_passive_ep", "lab 6.1-rxe, seed 1"}},
  {"ep-2", EpStep::kBind, EpEnd::kDone, Returns(), false, false, {"man rdma_create_ep(3), rdma-core 44 cma.c ucma_passive_ep", "lab 6.1-rxe, seed 1"}},
  {"ep-3", EpStep::kAddress, EpEnd::kRefused, Returns(Errno::kInval), true, true, {"rdma-core 44 cma.c rdma_create_ep", "lab 6.1-rxe, seed 1"}},
  {"ep-4", Set<EpStep>(EpStep::kAddress) | EpStep::kRoute, EpEnd::kWaits, kBlocks, false, false, {"rdma-core 44 cma.c rdma_create_ep, ucma_complete", "lab 6.1-rxe, seed 1"}},
  {"ep-5", Set<EpStep>(EpStep::kAddress) | EpStep::kRoute, EpEnd::kFailed, Returns(Errno::kInval), true, true, {"rdma-core 44 cma.c rdma_create_ep, ucma_complete", "lab 6.1-rxe, seed 1"}},
  {"ep-6", EpStep::kRoute, EpEnd::kRefused, Returns(Errno::kInval), true, true, {"rdma-core 44 cma.c rdma_create_ep, rdma_resolve_route", "lab 6.1-rxe, seed 1"}},
  {"ep-7", EpStep::kQueuePair, EpEnd::kRefused, Returns(Errno::kInval), true, true, {"rdma-core 44 cma.c rdma_create_ep, rdma_create_qp", ""}},
  {"ep-8", Set<EpStep>(EpStep::kRoute) | EpStep::kQueuePair, EpEnd::kDone, Returns(), false, false, {"man rdma_create_ep(3), rdma-core 44 cma.c rdma_create_ep", "lab 6.1-rxe, seed 1"}},
});
// clang-format on

}  // namespace

constinit const std::span<const ChannelRule> kChannels = kChannelsRows;
constinit const std::span<const ReportRule> kReports = kReportsRows;
constinit const std::span<const FetchRule> kFetches = kFetchesRows;
constinit const std::span<const CompletionRule> kCompletions = kCompletionsRows;
constinit const std::span<const EndpointRule> kEndpoints = kEndpointsRows;

}  // namespace cm::model::rules
