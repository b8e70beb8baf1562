#include "sim/core/defects.h"

#include <array>

namespace cm::sim {
namespace {

constexpr auto kDefects = std::to_array<DefectInfo>({
    {Defect::kForgetsTimewait, "forgets-timewait", "The end of timewait is never reported."},
    {Defect::kTimewaitTooShort, "timewait-too-short", "Timewait ends at once."},
    {Defect::kEstablishedTwice, "established-twice",
     "The passive side reports ESTABLISHED a second time."},
    {Defect::kDestroyIgnoresAcks, "destroy-ignores-acks",
     "rdma_destroy_id returns although an event of the id is not acknowledged."},
    {Defect::kConnectWrongErrno, "connect-wrong-errno",
     "rdma_connect before the route is resolved fails with ENOTCONN."},
    {Defect::kConnectWithoutRoute, "connect-without-route",
     "rdma_connect is accepted as soon as the address is resolved."},
    {Defect::kRemovalSkipsListener, "removal-skips-listener",
     "DEVICE_REMOVAL is not delivered to a listening id."},
    {Defect::kRejectDropsData, "reject-drops-data", "The private data of rdma_reject is lost."},
    {Defect::kNoListenerIsConsumer, "no-listener-is-consumer",
     "A request that nobody listens for is rejected with reason 28."},
    {Defect::kPortNeverFreed, "port-never-freed", "Destroying an id does not free its port."},
    {Defect::kWildcardSharesPort, "wildcard-shares-port",
     "A specific address can be bound to a port that a wildcard address holds."},
    {Defect::kRequestTimerRunsOn, "request-timer-runs-on",
     "A reply does not stop the timer of the request."},
    {Defect::kDisconnectStatusLost, "disconnect-status-lost",
     "A disconnect that was never answered reports status 0."},
    {Defect::kDepthsNotSwapped, "depths-not-swapped",
     "CONNECT_REQUEST carries responder resources and initiator depth as the peer gave them."},
    {Defect::kAddrChangeLost, "addr-change-lost", "A fail-over of the bond is not reported."},
    {Defect::kRejectAfterEstablished, "reject-after-established",
     "rdma_reject of an established connection succeeds and tears it down."},
    {Defect::kDestroyKeepsEvents, "destroy-keeps-events",
     "Events of a destroyed id stay in the channel."},
    {Defect::kListenerTakesChildren, "listener-takes-children",
     "Destroying a listener destroys the requests that were already fetched."},
    {Defect::kDuplicateRequestTwice, "duplicate-request-twice",
     "A repeated REQ makes a second CONNECT_REQUEST."},
    {Defect::kIgnoresRtu, "ignores-rtu", "The passive side ignores RTU."},
    {Defect::kUnreachablePositive, "unreachable-positive", "UNREACHABLE carries +110."},
    {Defect::kRequestDataTooLong, "request-data-too-long",
     "rdma_connect takes 57 bytes of private data and cuts them to 56."},
    {Defect::kAcceptDataTooLong, "accept-data-too-long",
     "rdma_accept takes 197 bytes of private data and cuts them to 196."},
    {Defect::kLateFetchOverwrites, "late-fetch-overwrites",
     "A second unfetched CONNECT_REQUEST overwrites the private data of the first."},
    {Defect::kBacklogIgnored, "backlog-ignored", "Requests beyond the backlog are delivered."},
    {Defect::kRemovalTwice, "removal-twice",
     "DEVICE_REMOVAL is delivered twice to an id with a connection."},
    {Defect::kDisconnectSilent, "disconnect-silent",
     "rdma_disconnect returns 0 and sends nothing."},
    {Defect::kListenAfterResolve, "listen-after-resolve",
     "rdma_listen is accepted on an id that has resolved an address."},
    {Defect::kNoticeDoubled, "notice-doubled",
     "RTU reports ESTABLISHED of a connection that rdma_notify has reported."},
    {Defect::kAttrsInTimewait, "attrs-in-timewait",
     "rdma_init_qp_attr hands out the attributes for INIT of a connection that is over."},
    {Defect::kEceOverQp, "ece-over-qp",
     "rdma_set_local_ece is accepted on an id with a queue pair."},
    {Defect::kRejectEceIsConsumer, "reject-ece-is-consumer",
     "rdma_reject_ece rejects with reason 28."},
    {Defect::kSyncIgnoresReject, "sync-ignores-reject",
     "rdma_connect on a synchronous id returns 0 although it was rejected."},
    {Defect::kSyncKeepsEvents, "sync-keeps-events",
     "A call on a synchronous id does not acknowledge the event that the one before has left."},
    {Defect::kServiceWithoutKey, "service-without-key",
     "ESTABLISHED of a datagram id carries no Q_Key."},
    {Defect::kServiceEstablished, "service-established",
     "The accepting side of a datagram service reports ESTABLISHED."},
    {Defect::kRefusalTimesOut, "refusal-times-out",
     "A refused request for a datagram service reports -ETIMEDOUT."},
    {Defect::kAcksCollide, "acks-collide",
     "Of two events of an id that threads acknowledge at once only one is counted."},
    {Defect::kReuseIgnored, "reuse-ignored", "REUSEADDR is taken and has no effect."},
    {Defect::kSharedListens, "shared-listens", "An id listens on a port that it shares."},
    {Defect::kOptionLengthUnchecked, "option-length-unchecked",
     "rdma_set_option takes an option of any length."},
    {Defect::kAckTimeoutIgnored, "ack-timeout-ignored", "ACK_TIMEOUT is taken and has no effect."},
    {Defect::kMigrationLeavesEvents, "migration-leaves-events",
     "An unread ADDR_RESOLVED of an id that migrates stays on its old channel."},
    {Defect::kMigrationIgnoresAcks, "migration-ignores-acks",
     "rdma_migrate_id of an id with a destination returns although an event is not acknowledged."},
    {Defect::kGroupWithoutQpNumber, "group-without-qp-number",
     "MULTICAST_JOIN names queue pair 0 and not that of groups."},
    {Defect::kJoinReportedTwice, "join-reported-twice", "A join is reported twice."},
    {Defect::kJoinWithRoute, "join-with-route",
     "A group can be joined once the route is resolved."},
    {Defect::kLeaveUnknownGroup, "leave-unknown-group",
     "Leaving a group that was never joined returns 0."},
    {Defect::kLeaveKeepsEvents, "leave-keeps-events",
     "Unread events of a group stay in the channel when it is left."},
    {Defect::kLeaveIgnoresAcks, "leave-ignores-acks",
     "rdma_leave_multicast returns although an event of the group is not acknowledged."},
    {Defect::kEpLeaks, "ep-leaks", "rdma_create_ep that fails leaves its id and its port behind."},
    {Defect::kEpForgetsQps, "ep-forgets-qps",
     "rdma_get_request of a passive endpoint makes no queue pair."},
    {Defect::kAddrInfoDropsService, "addrinfo-drops-service",
     "rdma_getaddrinfo hands out port 0, whatever the service."},
    {Defect::kDevicesCached, "devices-cached",
     "rdma_get_devices hands out the devices that it found first."},
    {Defect::kInfoHandedTwice, "info-handed-twice",
     "rdma_query_addrinfo hands out again what it has handed out."},
    {Defect::kUserArgumentCut, "user-argument-cut",
     "The argument of rdma_write_cm_event loses its upper half."},
    {Defect::kFlushForgetsReceives, "flush-forgets-receives",
     "Receives are not flushed when their queue pair is in error."},
    {Defect::kFlushTwice, "flush-twice", "The last send request that is flushed completes twice."},
    {Defect::kCompletionsReversed, "completions-reversed",
     "Of several completions the newest is handed out first."},
    {Defect::kReceivesReversed, "receives-reversed",
     "A message goes to the receive that was posted last."},
    {Defect::kSendCorrupts, "send-corrupts", "The last byte of a message is altered."},
    {Defect::kWriteBeyond, "write-beyond", "An RDMA write clears the byte behind its range."},
    {Defect::kWriteIgnoresKey, "write-ignores-key",
     "An RDMA write reaches regions that allow none."},
    {Defect::kRouteErrorPositive, "route-error-positive", "ROUTE_ERROR carries +110."},
});

}  // namespace

std::span<const DefectInfo> Defects() { return kDefects; }

std::optional<Defect> ParseDefect(std::string_view name) {
  for (const DefectInfo& info : kDefects)
    if (info.name == name) return info.defect;
  return std::nullopt;
}

std::string_view ToString(Defect defect) {
  for (const DefectInfo& info : kDefects)
    if (info.defect == defect) return info.name;
  return "none";
}

}  // namespace cm::sim
