#include "tools/rules/disagreements.h"

#include <array>

namespace cm::ruledoc {
namespace {

constexpr std::string_view kTwoThreads =
    "two threads within calls on one id, which no conversation has";
constexpr std::string_view kShown = "fields of an id: the oracle compares them without a row";
constexpr std::string_view kContents = "contents of events: the oracle compares them without a row";

// clang-format off
constexpr auto kDisagreements = std::to_array<Disagreement>({
    {"doc-1", "an id is bound before it listens", "an id that is not bound is bound by rdma_listen, to the IPv4 wildcard and a port of the kernel's choice", "listen-2", ""},
    {"doc-2", "the source of rdma_resolve_addr binds as rdma_bind_addr does", "it is ignored on an id that is bound", "resolve-addr-13 resolve-addr-14", ""},
    {"doc-3", "UNREACHABLE is for the active side", "the passive side hears it when its reply is given up, and any id with a route when a neighbour changes", "report-1 report-2 neighbour-1", ""},
    {"doc-4", "a status is 0, a negative errno or the transport's value", "it is -1 where the library has failed", "fetch-2 fetch-4 fetch-9 fetch-10", ""},
    {"doc-5", "ESTABLISHED carries the parameters of the connection", "on the passive side all of them are 0", "report-4 fetch-15", ""},
    {"doc-6", "private data is null when none was sent", "it has the whole length of the message, filled up with zeros", "", kContents},
    {"doc-7", "the depths of rdma_accept respect those of the request", "only the device's maximum is looked at", "accept-3 accept-9 accept-13", ""},
    {"doc-8", "the parameters are optional", "rdma_connect without a queue pair says EINVAL, rdma_accept crashes", "connect-1 accept-1", ""},
    {"doc-9", "rdma_disconnect disconnects, and both sides hear DISCONNECTED", "it returns 0 without effect unless the connection is established; the event of who called waits for the peer's application", "disconnect-4 disconnect-5 disconnect-7 report-6", ""},
    {"doc-10", "DISCONNECTED moves the queue pair to the error state", "only the own rdma_disconnect does", "fetch-13 disconnect-6", ""},
    {"doc-11", "TIMEWAIT_EXIT follows a disconnect", "only where the own side reached timewait after DISCONNECTED; never after REJECTED or UNREACHABLE", "report-8 report-11 ib-timewait-1", ""},
    {"doc-12", "both sides hear ESTABLISHED", "not the side that has called rdma_establish", "establish-5", ""},
    {"doc-13", "migration moves the events that are pending", "requests that are pending are lost", "fetch-24", ""},
    {"doc-14", "migration waits for the events of the channel", "only for those of the id", "migrate-id-3 migrate-id-4", ""},
    {"doc-15", "the event of rdma_get_request is kept until the request is answered", "rdma_reject does not release it, nor does accepting datagrams before release 52; a profile says which it is (`accept_releases_datagram_request`)", "sync-6 reject-5 sidr-accept-1", ""},
    {"doc-16", "the event of a synchronous id is there until the next call", "it outlives calls that make no event", "sync-2 sync-3 sync-4", ""},
    {"doc-17", "calls on synchronous ids wait for their completion", "several do not, and some wait for ever", "sync-1 sync-2", ""},
    {"doc-18", "a multicast group is joined by a bound or resolved id", "not once its route is resolved; nor need the address be that of a group", "join-multicast-4 join-multicast-10", ""},
    {"doc-19", "REUSEADDR lets others bind the same address", "while it is shared no id can listen on it", "listen-5 listen-6 set-option-6", ""},
    {"doc-20", "a listener is restricted to its address; the backlog is not explained", "127.0.0.1 listens everywhere; the backlog counts requests that are not read, and more are dropped in silence", "listen-3 request-4", ""},
    {"doc-21", "the peer's address is zero until there is a connection", "rdma_resolve_addr fills it in", "", kShown},
    {"doc-22", "ports are 0 until there is a connection", "rdma_resolve_addr sets them", "", kShown},
    {"doc-23", "rdma_notify makes a connection established", "only where a reply was sent and not yet answered", "notify-4 notify-6", ""},
    {"doc-24", "no limit of the private data of rdma_reject is given", "more than 148 bytes say EINVAL, and the request can still be answered", "reject-3", ""},
    {"doc-25", "the private data of rdma_accept has a limit", "more says EINVAL and refuses the request as well", "accept-7", ""},
    {"doc-26", "an id with DEVICE_REMOVAL is to be destroyed", "nothing else is left: every other call says ENXIO", "removal-1 removal-2 bind-2 listen-1 resolve-addr-2 resolve-route-2 create-qp-3 connect-4 accept-4 reject-1 establish-2 disconnect-2", ""},
    {"doc-27", "rdma_getaddrinfo returns a list", "the first result alone, and codes of its own", "getaddrinfo-3 getaddrinfo-4 getaddrinfo-5 getaddrinfo-6", ""},
    {"doc-28", "an error sets errno", "on an id without a device several calls crash", "resolve-route-1 connect-2 accept-2 create-qp-2", ""},
    {"doc-29", "rdma_resolve_route takes a time-out", "0 says EINVAL, any other is ignored on RoCE; over InfiniBand it is a tenth longer", "resolve-route-3 resolve-route-6 ib-route-1", ""},
    {"doc-30", "devices stay open while the library is loaded", "one that was unplugged is closed when the list is read anew", "get-devices-1 get-devices-2", ""},
    {"doc-31", "CONNECT_ERROR is for either side", "on the active side alone: the library makes it, with -1; over iWARP the kernel does, with -22, where the queue pair cannot take the connection", "fetch-9 fetch-10 iw-report-4 fetch-29", ""},
    {"doc-32", "rdma_set_local_ece after the queue pair is created", "an id with a queue pair says EINVAL", "set-local-ece-1", ""},
    {"doc-33", "every event has a name", "USER has none, and those of later libraries print as unknown", "event-str-1", ""},
    {"doc-34", "the number of AF_INET6 is 23", "10, as everywhere on Linux", "", "a number of the platform"},
    {"doc-35", "events report what becomes of a request", "over iWARP a port without a listener refuses rdma_connect itself, and a host that does not answer lets it wait for two minutes", "tcp-connect-2 tcp-connect-3 tcp-connect-4", ""},
    {"doc-36", "the status of REJECTED is the transport's reason", "over iWARP it is -104 for every rejection", "iw-rejection-1 iw-peer-closes-1 iw-report-2", ""},
    {"doc-37", "rdma_disconnect and rdma_destroy_id wait for acknowledgements at most", "over iWARP both wait for the reply to a request that is not answered, for up to 10 s", "iw-disconnect-call-2 iw-destroy-id-1 iw-no-reply-1", ""},
    {"doc-38", "a message that is too long for its receive ends in REM_INV_REQ_ERR, the receive in LOC_LEN_ERR", "Soft-RoCE says REM_OP_ERR and LOC_QP_OP_ERR; a profile says which it is (`long_messages_as_manual`)", "work-length-1 work-length-2 work-length-3 work-length-4", ""},
    {"doc-39", "what is posted to a queue pair in the error state is flushed", "a receive that is posted then waits until the queue pair is moved there once more", "work-flush-1 post-recv-3 post-recvv-4", ""},
    {"doc-40", "the rdma_post and rdma_reg functions return -1 and set errno", "without a queue pair or a device they crash", "reg-msgs-1 post-recv-1 post-send-1 post-read-1 post-write-1 post-ud-send-1", ""},
    {"doc-41", "rdma_resolve_addrinfo returns -1 and sets errno", "errno is -1, or a code of getaddrinfo(3)", "resolve-addrinfo-3 resolve-addrinfo-4 resolve-addrinfo-5 resolve-addrinfo-6 resolve-addrinfo-7", ""},
    {"doc-42", "a call on a synchronous id sets errno to what went wrong", "to the status with its sign turned, and to ECONNREFUSED for every rejection", "sync-3 sync-4 sync-9", ""},
    {"doc-43", "a resolved route has path records", "over iWARP it has none", "", kShown},
});

constexpr auto kRaces = std::to_array<Race>({
    {"race-1", "rdma_accept, and the peer gives up", "0, then REJECTED or UNREACHABLE; EINVAL without an event", "accept-8 accept-9 ib-rej-received-1 report-9 report-10", ""},
    {"race-2", "both sides disconnect", "DISCONNECTED with 0 for each; TIMEWAIT_EXIT for both, one or none", "ib-dreq-1 ib-dreq-received-1 ib-drep-received-1 report-5 report-6 report-12", ""},
    {"race-3", "the passive side disconnects while the RTU is under way", "no effect, then ESTABLISHED; or a disconnect; 0 in both", "disconnect-5 disconnect-7 ib-rtu-received-1", ""},
    {"race-4", "rdma_reject or a second rdma_accept while the RTU is under way", "the peer hears REJECTED, perhaps after its ESTABLISHED; or EINVAL without harm", "reject-4 reject-5 accept-8 ib-rej-3 ib-rej-received-3", ""},
    {"race-5", "rdma_notify while the RTU is under way", "0 or EISCONN", "notify-3 notify-4 ib-rtu-received-1", ""},
    {"race-6", "rdma_establish, and rdma_disconnect at once", "ESTABLISHED and DISCONNECTED; only DISCONNECTED where the RTU was lost", "ib-rtu-received-1 ib-dreq-received-1", ""},
    {"race-7", "the reply is read late", "before its repetitions are over: as always; after: ESTABLISHED here and UNREACHABLE there", "ib-rep-again-1 ib-exhausted-2 ib-rep-again-2", ""},
    {"race-8", "rdma_destroy_id, and an event of that id", "it was fetched, or it is gone", "destroy-id-2 destroy-id-3 get-event-2 fetch-6", ""},
    {"race-9", "an established id is destroyed where messages are lost", "DISCONNECTED with 0, or nothing", "ib-destroy-5", ""},
    {"race-10", "more requests than the backlog holds", "CONNECT_REQUEST after some repetitions, or UNREACHABLE", "request-4 ib-retry-1 ib-exhausted-1", ""},
    {"race-11", "calls around DEVICE_REMOVAL", "as before, EINVAL, ENXIO; once ENXIO, always ENXIO", "removal-1 removal-2 create-qp-7 create-qp-8 disconnect-7 disconnect-8", ""},
    {"race-12", "binding to an address that was just added", "0 or ENODEV", "bind-6 bind-9", ""},
    {"race-13", "ports and devices of the kernel's choice", "any of the range; the first device that works", "", kShown},
    {"race-14", "resolving an address whose neighbour is not known", "ADDR_RESOLVED before the time is over, ADDR_ERROR with -110 after it", "addr-1 addr-2", ""},
    {"race-15", "a neighbour's hardware address changes after a route was resolved", "no UNREACHABLE, or several", "neighbour-1", ""},
    {"race-16", "the link goes down before rdma_disconnect", "DISCONNECTED with -110 at once, after all repetitions, or with 0 when the link comes back", "ib-send-fails-3 ib-exhausted-3 ib-drep-received-1", ""},
    {"race-17", "events of different ids on one channel", "any order in which those of each id are in theirs", "get-event-1", ""},
    {"race-18", "a listener is destroyed, and a request arrives", "REJECTED with 8 or with 28", "request-2 request-3 ib-destroy-2", ""},
    {"race-19", "a path is set while the id is migrated, on Linux 6.12", "the event on either channel, or lost", "", kTwoThreads},
    {"race-20", "a late DREP, and the last repetition of a DREQ", "DISCONNECTED with 0 or -110, once", "report-6 report-7", ""},
    {"race-21", "over iWARP: rdma_accept or rdma_reject, and the peer gives up", "0, then DISCONNECTED; ECONNRESET without an event", "iw-accept-1 iw-accept-lost-1 iw-reject-lost-1 iw-no-reply-1", ""},
    {"race-22", "a message arrives, and its receive is posted", "success, at once or after repetitions; RNR_RETRY_EXC_ERR where these are over first", "work-done-1 work-rnr-1", ""},
    {"race-23", "work is under way, and its queue pair is moved to the error state or its peer is gone", "success, WR_FLUSH_ERR, RETRY_EXC_ERR; each piece of work once, and in order", "work-done-1 work-flush-1 work-silent-1", ""},
});
// clang-format on

}  // namespace

std::span<const Disagreement> Disagreements() { return kDisagreements; }

std::span<const Race> Races() { return kRaces; }

}  // namespace cm::ruledoc
