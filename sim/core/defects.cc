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
