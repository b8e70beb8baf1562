// What the families of properties have in common: the lists, and words for what was seen.
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
std::span<const Property> LaterCalls();
std::span<const Property> Data();

// "a2 heard RDMA_CM_EVENT_ESTABLISHED"
std::string Heard(const Account& account, const HeardEvent& heard);
// "rdma_connect a2 ... -> -1 EINVAL"
std::string Made(const Account& account, const MadeCall& call);
const std::string& NameOf(const Account& account, IdRef id);

// A function for every id that came to be and is of RDMA_PS_TCP.
template <typename Each>
void ForEachId(const Account& account, Each each) {
  for (uint16_t i = 0; i < account.id_count(); ++i)
    if (account.Exists(IdRef{i}) && account.IsTcp(IdRef{i})) each(IdRef{i});
}

// The Q_Key of datagrams of an id of the application's: that of its port space.
uint32_t QkeyOf(const Account& account, IdRef id);
// At most one event of the type for each id.
void AtMostOnce(const Account& account, Testimony& testimony, EventType type);
// Of kSometimes: an event of the type was heard.
void IsHeard(const Account& account, Testimony& testimony, EventType type);
// A call that succeeded on the id between two records.
bool Succeeded(const Account& account, IdRef id, CallKind kind, size_t from, size_t until);
// The id or endpoint was made in a port space of datagrams, or is a request to one that was.
bool IsOfDatagrams(const Account& account, IdRef id);
// It has asked somebody before the record, or it is a request.
bool Negotiates(const Account& account, IdRef id, size_t record);
// The library has made a queue pair for it some time.
bool HasOwnQp(const Account& account, IdRef id);
// rdma_notify has told its connection before the record that the path has changed.
bool PathMigrated(const Account& account, IdRef id, size_t record);
// Faults by which a sender finds out at once, without waiting for its timers.
bool ToldAtOnce(const Account& account);
// The status of an UNREACHABLE by which a datagram service was refused.
bool IsSidrRefusal(int32_t status);
// What the call handed out besides its value.
const std::optional<HandedOut>& HandedBy(const Account& account, const MadeCall& call);
// How the call ended, and at which record: where it had to wait that is a later one.
std::pair<Reply, size_t> EndOf(const Account& account, const MadeCall& call);
// Anything but looking was done to the id between two records.
bool Touched(const Account& account, IdRef id, size_t from, size_t until);
// Before the silence the id has said that it gives up, and when what it would have heard was sent,
// at `sent`, its patience may have been over.
bool MayHaveGivenUp(const Account& account, IdRef id, Instant patient_until, Instant sent,
                    const Silence& silence);

// rdma_set_option has succeeded on the id with it before the record.
bool HasSet(const Account& account, IdRef id, IdOption option, size_t record);
// The timers of the connections that the id asks for.
Timing TimingOf(const Account& account, IdRef active);

}  // namespace cm::claims

#endif  // CONFORMANCE_PROPERTIES_CLAIMS_H_
