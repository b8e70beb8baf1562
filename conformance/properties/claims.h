// Helpers of the families of properties: their lists, and texts for observations.
#ifndef CONFORMANCE_PROPERTIES_CLAIMS_H_
#define CONFORMANCE_PROPERTIES_CLAIMS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/properties/property.h"

namespace cm::claims {

std::span<const Property> Lifecycle();
std::span<const Property> Events();
std::span<const Property> Acknowledgement();
std::span<const Property> Addressing();
std::span<const Property> Establishment();
std::span<const Property> Rejection();
std::span<const Property> Disconnection();
std::span<const Property> DeviceRemoval();
std::span<const Property> AddressChange();
std::span<const Property> Loss();
std::span<const Property> Attributes();
std::span<const Property> Synchronous();
std::span<const Property> Datagrams();
std::span<const Property> Options();
std::span<const Property> Migration();
std::span<const Property> Multicast();
std::span<const Property> Endpoints();
std::span<const Property> Lookups();
std::span<const Property> Data();

// "a2 heard RDMA_CM_EVENT_ESTABLISHED"
std::string Heard(const HistoryIndex& account, const HeardEvent& heard);
// "rdma_connect a2 ... -> -1 EINVAL"
std::string Made(const HistoryIndex& account, const MadeCall& call);
const std::string& NameOf(const HistoryIndex& account, IdRef id);

// Calls a function for every created id of RDMA_PS_TCP.
template <typename Each>
void ForEachId(const HistoryIndex& account, Each each) {
  for (uint16_t i = 0; i < account.id_count(); ++i)
    if (account.Exists(IdRef{i}) && account.IsTcp(IdRef{i})) each(IdRef{i});
}

// The Q_Key of an application's datagram id: that of its port space.
uint32_t QkeyOf(const HistoryIndex& account, IdRef id);
// At most one event of the type for each id.
void AtMostOnce(const HistoryIndex& account, PropertyResult& result, EventType type);
// For kSometimes: an event of the type was fetched.
void IsHeard(const HistoryIndex& account, PropertyResult& result, EventType type);
// A call that succeeded on the id between the two records.
bool Succeeded(const HistoryIndex& account, IdRef id, CallKind kind, size_t from, size_t until);
// The id or endpoint was created in a datagram port space, or is a request to one that was.
bool IsOfDatagrams(const HistoryIndex& account, IdRef id);
// It has sent a request before the record, or it is one.
bool Negotiates(const HistoryIndex& account, IdRef id, size_t record);
// The library has created a queue pair for it at some time.
bool HasOwnQp(const HistoryIndex& account, IdRef id);
// rdma_notify has reported a path migration of its connection before the record.
bool PathMigrated(const HistoryIndex& account, IdRef id, size_t record);
// Faults that a sender detects immediately, without waiting for its timers.
bool ToldAtOnce(const HistoryIndex& account);
// The status of an UNREACHABLE for a refused datagram service.
bool IsSidrRefusal(int32_t status);
// Outputs of the call besides its value.
const std::optional<HandedOut>& HandedBy(const HistoryIndex& account, const MadeCall& call);
// The result of the call, and its record: for a blocked call a later one.
std::pair<Reply, size_t> EndOf(const HistoryIndex& account, const MadeCall& call);
// A call that changes the id was made between the two records.
bool Touched(const HistoryIndex& account, IdRef id, size_t from, size_t until);
// Whether before the silence the id has reported that it gives up, or, if the expected message was
// sent at `sent`, may have stopped waiting for it.
bool MayHaveGivenUp(const HistoryIndex& account, IdRef id, Instant patient_until, Instant sent,
                    const Silence& silence);

// rdma_set_option has succeeded on the id with it before the record.
bool HasSet(const HistoryIndex& account, IdRef id, IdOption option, size_t record);
// The timers of the connections that the id requests.
Timing TimingOf(const HistoryIndex& account, IdRef active);

}  // namespace cm::claims

#endif  // CONFORMANCE_PROPERTIES_CLAIMS_H_
