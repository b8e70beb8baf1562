// What an alteration may put in place of an observation: kinds, and all values of a kind.
#ifndef CONFORMANCE_RECORDINGS_ALTERNATIVES_H_
#define CONFORMANCE_RECORDINGS_ALTERNATIVES_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/base/errno.h"

namespace cm {

enum class AlterationKind : uint8_t {
  kErrno,
  kEvent,
  kStatus,
  kReadable,
  kLate,
  kNever,
  kSlowCall,
  kAddressHandle,
  kQueuePair,
  kField,
  kMessageField,
  kMessageOrder,
  kMessageMadeUp,
};

struct AlterationKindRow {
  AlterationKind kind = AlterationKind::kField;
  std::string_view name;
  std::string_view sentence;
};

inline constexpr auto kAlterationKinds = std::to_array<AlterationKindRow>({
    {AlterationKind::kErrno, "errno",
     "a call returns another errno of the vocabulary, or success; or returns where it crashed"},
    {AlterationKind::kEvent, "event", "an event has any other type"},
    {AlterationKind::kStatus, "status",
     "an event has any other status: 0, an errno of the vocabulary, a REJ reason"},
    {AlterationKind::kReadable, "quiet or readable",
     "a descriptor is readable, or an event comes, where there was silence; or the other way "
     "round"},
    {AlterationKind::kLate, "late", "an event comes after one quiet wait beyond its bound"},
    {AlterationKind::kNever, "never", "one quiet wait of ten minutes in place of an event"},
    {AlterationKind::kSlowCall, "slow call", "a call returns 30 s later"},
    {AlterationKind::kAddressHandle, "address handle",
     "an attribute of the address handle in an event of a datagram id"},
    {AlterationKind::kQueuePair, "queue pair",
     "other attributes of rdma_init_qp_attr; another state of the queue pair, or none"},
    {AlterationKind::kField, "other field",
     "another id, channel, address, port, parameter of a connection, byte of private data"},
    {AlterationKind::kMessageField, "message field",
     "a field of a captured message that is not free has another value"},
    {AlterationKind::kMessageOrder, "message order",
     "a captured message is missing, or swapped with the next one, where that is impossible"},
    {AlterationKind::kMessageMadeUp, "message made up",
     "a captured message is reflected, repeated, or comes before its cause"},
});

// Success, and every errno with a name.
std::vector<Errno> AllErrnos();
// 0, the negative errnos, and the REJ reasons from 1 to 35. source: IBA 1.3, 12.6.7.2
std::vector<int32_t> AllStatuses();

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_ALTERNATIVES_H_
