// Facts about the calls and ids of a history that several families ask for.
#ifndef CONFORMANCE_PROPERTIES_FACTS_H_
#define CONFORMANCE_PROPERTIES_FACTS_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "conformance/properties/history_index.h"

namespace cm::families {

// Outputs of the call besides its value.
const std::optional<Output>& OutputOf(const HistoryIndex& index, const MadeCall& call);
// The result of the call, and its record: for a blocked call a later one.
std::pair<Reply, size_t> EndOf(const HistoryIndex& index, const MadeCall& call);
// The call binds its id to the port, or requests it in an address resolution or as an endpoint.
bool AsksForPort(const MadeCall& call, uint16_t port);
// A call that succeeded on the id between the two records.
bool Succeeded(const HistoryIndex& index, IdRef id, CallKind kind, size_t from, size_t until);
// Whether the id may own the port at the record: a call has asked for it, and the id may still
// exist.
bool MayOwn(const HistoryIndex& index, IdRef id, uint16_t port, size_t record);
// Whether the id may own a port at the record that the kernel has drawn for it.
bool MayOwnDrawnPort(const HistoryIndex& index, IdRef id, size_t record);
// The port space in which the id was created; empty for a request.
std::optional<PortSpace> SpaceOf(const HistoryIndex& index, IdRef id);
// A call that changes the id was made between the two records.
bool Touched(const HistoryIndex& index, IdRef id, size_t from, size_t until);

// The id or endpoint was created in a datagram port space, or is a request to one that was.
bool IsOfDatagrams(const HistoryIndex& index, IdRef id);
// The Q_Key of an application's datagram id: that of its port space.
uint32_t QkeyOf(const HistoryIndex& index, IdRef id);
// The status of the UNREACHABLE is that of a refusal of a datagram service: one that a kernel
// sends, or one that a tester has sent to the id.
bool IsSidrRefusal(const HistoryIndex& index, const HeardEvent& heard);

// The private data as the peer receives them: over IWARP as they were given, else padded to the
// size of their message.
PrivateData Received(const HistoryIndex& index, const PrivateData& given, uint8_t size);
// It has sent a request before the record, or it is one.
bool Negotiates(const HistoryIndex& index, IdRef id, size_t record);
// The library has created a queue pair for it, before it first connected or accepted.
bool HasOwnQp(const HistoryIndex& index, IdRef id);
// rdma_notify has reported a path migration of its connection before the record.
bool PathMigrated(const HistoryIndex& index, IdRef id, size_t record);
// rdma_set_option has succeeded on the id with it before the record.
bool HasSet(const HistoryIndex& index, IdRef id, IdOption option, size_t record);
// rdma_connect is refused with ENOENT, as the application has set the path of its id: no port has
// the partition key.
bool IsOfOwnPath(const HistoryIndex& index, const MadeCall& call);
// The ACK timeout that the id had when its route was resolved. Over InfiniBand it does not affect
// the path.
std::optional<uint8_t> AckTimeoutOf(const HistoryIndex& index, IdRef active);
// The timers of the connections that the id requests.
Timing TimingOf(const HistoryIndex& index, IdRef active);
// A tester has sent such a message to the id before the record. Its communication id identifies
// the id, and no two are equal; but a REJ for a timeout identifies it by the tester's GUID.
bool MadeByHand(const HistoryIndex& index, MadKind kind, IdRef to, size_t before);
// Whether before the silence the id has reported that it gives up, and may have done so before the
// expected message arrived, which was sent at `sent`.
bool MayHaveGivenUp(const HistoryIndex& index, IdRef id, Instant patient_until, Instant sent,
                    const Silence& silence);

}  // namespace cm::families

#endif  // CONFORMANCE_PROPERTIES_FACTS_H_
