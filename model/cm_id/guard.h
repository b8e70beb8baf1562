// What may stand in the way of a call, or which of its ways a call takes.
//
// For each call GuardsOf lists the guards that are looked at, in order; the first that holds is the
// call's guard, kFine when none does. The oracle has a predicate for each (model/oracle).
#ifndef MODEL_CM_ID_GUARD_H_
#define MODEL_CM_ID_GUARD_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "model/rules/rule.h"
#include "model/rules/transports.h"
#include "model/vocabulary/call.h"

namespace cm::model {

// Every guard: enumerator, name, transports over which it can hold, and when it holds.
// clang-format off
#define CM_MODEL_GUARDS(X) \
  X(kFine, "fine", over::kAll, "nothing stands in the way") \
  X(kFamilyUnsupported, "family-unsupported", over::kAll, "the address is null or of a family that the library does not know") \
  X(kSpaceUnknown, "space-unknown", over::kAll, "there is no such port space") \
  X(kDeviceUnknown, "device-unknown", over::kAll, "the library does not know a device of the id yet") \
  X(kDeviceRemoved, "device-removed", over::kAll, "the kernel's id is gone with its device") \
  X(kQpPresent, "qp-present", over::kAll, "the id has a queue pair") \
  X(kQpAbsent, "qp-absent", over::kAll, "the id has no queue pair") \
  X(kNoQpNoParam, "no-qp-no-param", over::kAll, "there is neither a queue pair nor parameters") \
  X(kDepthTooLarge, "depth-too-large", over::kAll, "a depth is above the device's maximum") \
  X(kQpCannotComeUp, "qp-cannot-come-up", over::kIbCm, "the queue pair is not in INIT, or there are no attributes for it") \
  X(kTimeoutZero, "timeout-zero", over::kAll, "the timeout is 0") \
  X(kAddressNotLocal, "address-not-local", over::kAll, "no interface of the kernel has the address") \
  X(kInterfaceDiffers, "interface-differs", over::kAll, "the id has met another interface before, and that sticks") \
  X(kDeviceGone, "device-gone", over::kAll, "the interface has no RDMA device") \
  X(kPortInUse, "port-in-use", over::kAll, "another id owns the same address and port") \
  X(kPortInUseByWildcard, "port-in-use-by-wildcard", over::kAll, "another id owns the port, and one of the addresses is a wildcard") \
  X(kFamiliesDiffer, "families-differ", over::kAll, "source and destination are of different families") \
  X(kNoRoute, "no-route", over::kAll, "no route leads to the destination") \
  X(kNoDeviceAtAll, "no-device-at-all", over::kAll, "the destination is loopback, and there is no device to serve it") \
  X(kNoInterface, "no-interface", over::kRoce, "the address was resolved without an interface") \
  X(kDataTooLong, "data-too-long", over::kIbCm, "the private data is longer than the message has room for") \
  X(kQpSourceLost, "qp-source-lost", over::kIbCm, "it has a queue pair, and the GID is gone that this would send from") \
  X(kQpWithoutRoute, "qp-without-route", over::kRoce, "it has a queue pair, and the interface is down that this would send over") \
  X(kQpLacksDepth, "qp-lacks-depth", over::kIbCm, "it has a queue pair, and its device cannot ask as deep as the call says") \
  X(kFromLoopback, "from-loopback", over::kAll, "from an IPv4 loopback address to another host") \
  X(kSourceLost, "source-lost", over::kIbCm, "the GID that the id was bound to went when its bond failed over") \
  X(kHandlesTaken, "handles-taken", over::kIbCm, "each address handle of the device is in use") \
  X(kInitRefused, "init-refused", over::kAll, "the IB CM has no attributes for INIT in its state") \
  X(kRepRefused, "rep-refused", over::kAll, "the IB CM cannot send REP in its state") \
  X(kRtuRefused, "rtu-refused", over::kAll, "the IB CM cannot send RTU in its state") \
  X(kRejRefused, "rej-refused", over::kAll, "the IB CM cannot send REJ in its state") \
  X(kDreqPossible, "dreq-possible", over::kIbCm, "the IB CM can send DREQ") \
  X(kDrepPossible, "drep-possible", over::kIbCm, "the IB CM can send DREP") \
  X(kMessageOutstanding, "message-outstanding", over::kAll, "a message that was given up is still being transmitted") \
  X(kTypeDiffers, "type-differs", over::kIbCm, "the queue pair is to be of another type than the id") \
  X(kPathForeign, "path-foreign", over::kIbCm, "the application has made up the path, and its partition key is none of the port") \
  X(kDatagram, "datagram", over::kAll, "the id is one of datagrams") \
  X(kOtherLink, "other-link", over::kEthernet, "the port space is one of InfiniBand links, and the interface is none") \
  X(kEventsUnacked, "events-unacked", over::kAll, "events of the id are fetched and not acknowledged") \
  X(kQpStateUnknown, "qp-state-unknown", over::kAll, "a queue pair has no such state") \
  X(kWithoutDevice, "without-device", over::kAll, "the kernel's id is on no device") \
  X(kAttrsRefused, "attrs-refused", over::kAll, "the IB CM has no attributes in its state for the one that is asked for") \
  X(kEstablishedAlready, "established-already", over::kIbCm, "it reports a connection that the IB CM knows of") \
  X(kCommEstPossible, "comm-est-possible", over::kIbCm, "it reports a connection, and the IB CM takes the report for RTU") \
  X(kPathMigPossible, "path-mig-possible", over::kIbCm, "it reports another path, and there is a connection") \
  X(kEceMalformed, "ece-malformed", over::kAll, "the options name no vendor, or have a mask") \
  X(kAsynchronous, "asynchronous", over::kAll, "the id has a channel of the application's") \
  X(kOptionTooLong, "option-too-long", over::kAll, "the option is longer than the kernel copies anything") \
  X(kOptionUnknown, "option-unknown", over::kAll, "there is no option of that level and name") \
  X(kOptionMalformed, "option-malformed", over::kAll, "the option has another length, or does not hold what it is to hold") \
  X(kReuseWanted, "reuse-wanted", over::kAll, "the port is to be shared with others") \
  X(kReuseUnwanted, "reuse-unwanted", over::kAll, "the port is not to be shared with others") \
  X(kFamilyOnlyWanted, "family-only-wanted", over::kAll, "a wildcard is to be for its own address family alone, or for both") \
  X(kTimeoutWanted, "timeout-wanted", over::kAll, "the acknowledgement time-out is to be another") \
  X(kPathWanted, "path-wanted", over::kAll, "the path is to be the application's own") \
  X(kSynchronousAlready, "synchronous-already", over::kAll, "the id is to have a channel of its own, and has one") \
  X(kMaskUnknown, "mask-unknown", over::kAll, "the mask has bits that the library does not know") \
  X(kMaskIncomplete, "mask-incomplete", over::kAll, "address or flags are not given, or the flags are unknown") \
  X(kNotDatagram, "not-datagram", over::kAll, "the id is none of datagrams") \
  X(kAddressZero, "address-zero", over::kRoce, "the address is 0.0.0.0 or ::") \
  X(kGroupV6, "group-v6", over::kRoce, "it is an IPv6 group, which RoCE v2 does not take") \
  X(kGidGone, "gid-gone", over::kRoce, "the interface has lost the GID of the id's address") \
  X(kNotJoined, "not-joined", over::kAll, "the id is in no group of this address and port") \
  X(kGroupUnacked, "group-unacked", over::kAll, "an event of the membership is fetched and not acknowledged") \
  X(kNothingAsked, "nothing-asked", over::kAll, "there is neither a node nor a service, and there are no hints") \
  X(kHintsAlone, "hints-alone", over::kAll, "there are hints, and neither a node nor a service") \
  X(kFamilyForeign, "family-foreign", over::kAll, "the hints want a family that the resolver does not know") \
  X(kTypeAgainstSpace, "type-against-space", over::kAll, "the hints want a type that their port space is not of") \
  X(kNodeOfOtherFamily, "node-of-other-family", over::kAll, "the node is of another family than the hints want") \
  X(kInfoUnderWay, "info-under-way", over::kAll, "the result of the id's last look-up is not queried yet") \
  X(kTwoWaysAsked, "two-ways-asked", over::kAll, "records of services are wanted, with a node or from the resolver") \
  X(kServiceRecords, "service-records", over::kAll, "records of services are wanted, which no RoCE port has") \
  X(kNotServed, "not-served", over::kAll, "the kernel is older than the library's map 1.4") \
  X(kNotAccepted, "not-accepted", over::kAll, "the id is that of a request that is not accepted") \
  X(kNoInfo, "no-info", over::kAll, "the id has no look-up result that is not queried yet") \
  X(kNotUserEvent, "not-user-event", over::kAll, "the event is to be of another type than USER") \
  X(kSrqUntyped, "srq-untyped", over::kAll, "the attributes do not say of which type the queue is to be") \
  X(kSrqAbsent, "srq-absent", over::kAll, "the id has no shared receive queue") \
  X(kQueueAbsent, "queue-absent", over::kAll, "the id has neither a queue pair nor a shared receive queue") \
  X(kServiceUnknown, "service-unknown", over::kAll, "no ESTABLISHED of the id has named a datagram service") \
  X(kPiecesTooMany, "pieces-too-many", over::kAll, "the list has more pieces than the queue was asked for") \
  X(kInlineTooLong, "inline-too-long", over::kAll, "the inline bytes are more than the queue was asked for") \
  X(kQueueFull, "queue-full", over::kAll, "the queue holds as many requests as it was asked for") \
  X(kQpNotReady, "qp-not-ready", over::kAll, "the queue pair is in INIT or RTR") \
  X(kNothingCompleted, "nothing-completed", over::kAll, "no request has completed") \
  X(kNoCqEvent, "no-cq-event", over::kAll, "no completion event is on the channel") \
  X(kCqEventsUnacked, "cq-events-unacked", over::kAll, "completion events are read and not acknowledged") \
  X(kOverIwarp, "over-iwarp", over::kIwarp, "the id's device is one of iWARP") \
  X(kTypeUnsupported, "type-unsupported", over::kIwarp, "iWARP has no queue pairs of the type that is wanted") \
  X(kNoKeys, "no-keys", over::kIwarp, "the destination is loopback, which is found by a P_Key, and iWARP has none") \
  X(kQpUnknown, "qp-unknown", over::kIwarp, "the id has no queue pair, and the number given is that of none") \
  X(kConnectionRefused, "connection-refused", over::kIwarp, "the port has no listener, and TCP refuses the connection immediately") \
  X(kPeerUnreachable, "peer-unreachable", over::kIwarp, "no host accepts or refuses the TCP connection") \
  X(kTcpPortTaken, "tcp-port-taken", over::kIwarp, "an id of another port space listens on the port, and TCP knows no port spaces") \
  X(kReplyAwaited, "reply-awaited", over::kIwarp, "the request is sent, and not answered yet") \
  X(kConnectionLost, "connection-lost", over::kIwarp, "the request is there, and its connection is gone") \
  X(kNoBroadcast, "no-broadcast", over::kInfiniband, "the id is on no interface, whose broadcast group a join goes by")
// clang-format on

#define CM_MODEL_ENUMERATOR(guard, name, over, sentence) guard,
enum class Guard : uint8_t { CM_MODEL_GUARDS(CM_MODEL_ENUMERATOR) };
#undef CM_MODEL_ENUMERATOR
using Guards = Set<Guard>;

struct GuardInfo {
  std::string_view name;
  Transports over;
  std::string_view sentence;
};

// By value.
#define CM_MODEL_ROW(guard, name, over, sentence) GuardInfo{name, over, sentence},
inline constexpr auto kGuards = std::to_array<GuardInfo>({CM_MODEL_GUARDS(CM_MODEL_ROW)});
#undef CM_MODEL_ROW
inline constexpr int kGuardCount = kGuards.size();

constexpr const GuardInfo& InfoOf(Guard guard) { return kGuards[static_cast<size_t>(guard)]; }
constexpr std::string_view ToString(Guard guard) { return InfoOf(guard).name; }
constexpr std::string_view SentenceOf(Guard guard) { return InfoOf(guard).sentence; }

using Calls = Set<CallKind>;

namespace internal {

using enum Guard;

struct GuardList {
  constexpr GuardList(std::initializer_list<Guard> list) {
    for (const Guard guard : list) items[size++] = guard;
  }
  std::array<Guard, 16> items{};
  size_t size = 0;
};

struct LookedAt {
  Calls on;
  GuardList guards;
};

// clang-format off
inline constexpr auto kLookedAt = std::to_array<LookedAt>({
  // source: rdma-core 44 librdmacm/cma.c, linux 6.1 ucma.c, cma.c, in the order of the code.
  {CallKind::kCreateId, {kSpaceUnknown}},
  {Calls(CallKind::kDestroyId) | CallKind::kDestroyEp, {kMessageOutstanding, kReplyAwaited, kEventsUnacked}},
  {CallKind::kBindAddr, {kFamilyUnsupported, kDeviceRemoved, kAddressNotLocal, kInterfaceDiffers, kOtherLink, kDeviceGone, kPortInUse, kPortInUseByWildcard}},
  {CallKind::kListen, {kDeviceRemoved, kPortInUse, kPortInUseByWildcard, kTcpPortTaken}},
  {CallKind::kResolveAddr, {kFamilyUnsupported, kDeviceRemoved, kAddressNotLocal, kInterfaceDiffers, kOtherLink, kDeviceGone, kPortInUse, kPortInUseByWildcard, kFamiliesDiffer, kFromLoopback, kNoRoute, kNoDeviceAtAll, kNoKeys}},
  {CallKind::kResolveRoute, {kDeviceUnknown, kDeviceRemoved, kTimeoutZero, kNoInterface}},
  {Calls(CallKind::kCreateQp) | CallKind::kCreateQpEx, {kQpPresent, kDeviceUnknown, kTypeUnsupported, kDeviceRemoved, kTypeDiffers, kDatagram, kInitRefused}},
  {CallKind::kDestroyQp, {kQpAbsent, kCqEventsUnacked}},
  {CallKind::kConnect, {kNoQpNoParam, kDeviceUnknown, kDepthTooLarge, kDeviceRemoved, kDataTooLong, kSourceLost, kHandlesTaken, kPathForeign, kQpUnknown, kPeerUnreachable, kConnectionRefused, kDatagram}},
  {CallKind::kAccept, {kNoQpNoParam, kDeviceUnknown, kDepthTooLarge, kDeviceRemoved, kQpCannotComeUp, kQpSourceLost, kQpWithoutRoute, kQpLacksDepth, kDataTooLong, kRepRefused, kQpUnknown, kConnectionLost, kSourceLost, kHandlesTaken, kDatagram}},
  {Calls(CallKind::kReject) | CallKind::kRejectEce, {kDeviceRemoved, kDataTooLong, kRejRefused, kConnectionLost, kSourceLost, kHandlesTaken, kDatagram}},
  {CallKind::kEstablish, {kQpPresent, kDeviceRemoved, kRtuRefused, kSourceLost, kHandlesTaken, kDatagram}},
  {CallKind::kDisconnect, {kDeviceUnknown, kDeviceRemoved, kReplyAwaited, kOverIwarp, kSourceLost, kHandlesTaken, kDreqPossible, kDrepPossible}},
  {CallKind::kNotify, {kDeviceRemoved, kOverIwarp, kEstablishedAlready, kCommEstPossible, kPathMigPossible}},
  {CallKind::kInitQpAttr, {kQpStateUnknown, kDeviceRemoved, kWithoutDevice, kDatagram, kAttrsRefused}},
  {CallKind::kSetLocalEce, {kQpPresent, kEceMalformed}},
  {CallKind::kGetRemoteEce, {kQpPresent}},
  {CallKind::kGetRequest, {kAsynchronous}},
  // Beside refusals, which option it is; kFine is TOS.
  {CallKind::kSetOption, {kOptionTooLong, kDeviceRemoved, kOptionUnknown, kOptionMalformed, kDatagram, kWithoutDevice, kNoInterface, kReuseWanted, kReuseUnwanted, kFamilyOnlyWanted, kTimeoutWanted, kPathWanted}},
  {CallKind::kMigrateId, {kSynchronousAlready, kDeviceRemoved, kEventsUnacked}},
  {CallKind::kJoinMulticast, {kFamilyUnsupported, kDeviceRemoved, kWithoutDevice, kNotDatagram, kOverIwarp, kNoBroadcast, kAddressZero, kNoInterface, kGroupV6, kGidGone}},
  {CallKind::kJoinMulticastEx, {kMaskUnknown, kMaskIncomplete, kFamilyUnsupported, kDeviceRemoved, kWithoutDevice, kNotDatagram, kOverIwarp, kNoBroadcast, kAddressZero, kNoInterface, kGroupV6, kGidGone}},
  {CallKind::kLeaveMulticast, {kFamilyUnsupported, kNotJoined, kDeviceRemoved, kGroupUnacked}},
  // source: rdma-core 44 addrinfo.c rdma_getaddrinfo, glibc 2.36 getaddrinfo.c
  {CallKind::kGetAddrInfo, {kNothingAsked, kHintsAlone, kFamilyForeign, kTypeAgainstSpace, kNodeOfOtherFamily}},
  {CallKind::kGetDevices, {kNoDeviceAtAll}},
  // source: rdma-core 65 cma.c rdma_resolve_addrinfo, rdma_write_cm_event, linux 7.2 ucma.c
  {CallKind::kResolveAddrInfo, {kInfoUnderWay, kTwoWaysAsked, kServiceRecords, kNothingAsked, kFamilyForeign, kTypeAgainstSpace, kNodeOfOtherFamily, kNotServed, kDeviceRemoved, kNotAccepted}},
  {CallKind::kQueryAddrInfo, {kNoInfo}},
  {CallKind::kWriteCmEvent, {kNotUserEvent, kNotServed, kDeviceRemoved, kNotAccepted}},
  // source: <rdma/rdma_verbs.h>, rdma-core 44 rxe.c post_one_send, rxe_post_one_recv
  {CallKind::kCreateSrq, {kDeviceUnknown}},
  {CallKind::kCreateSrqEx, {kSrqUntyped, kDeviceUnknown}},
  {CallKind::kDestroySrq, {kSrqAbsent}},
  {Calls(CallKind::kRegMsgs) | CallKind::kRegRead | CallKind::kRegWrite, {kDeviceUnknown}},
  {CallKind::kPostRecv, {kQueueAbsent, kQueueFull}},
  {CallKind::kPostRecvv, {kQueueAbsent, kQueueFull, kPiecesTooMany}},
  {Calls(CallKind::kPostSend) | CallKind::kPostRead | CallKind::kPostWrite, {kQpAbsent, kDatagram, kInlineTooLong, kQueueFull, kQpNotReady}},
  {Calls(CallKind::kPostSendv) | CallKind::kPostReadv | CallKind::kPostWritev, {kQpAbsent, kDatagram, kPiecesTooMany, kInlineTooLong, kQueueFull, kQpNotReady}},
  {CallKind::kPostUdSend, {kQpAbsent, kServiceUnknown, kInlineTooLong, kQueueFull}},
  {Calls(CallKind::kGetSendComp) | CallKind::kGetRecvComp, {kQpAbsent, kNothingCompleted}},
  {Calls(CallKind::kReqNotifyCq) | CallKind::kAckCqEvents, {kQpAbsent}},
  {CallKind::kGetCqEvent, {kQpAbsent, kNoCqEvent}},
});
// clang-format on

// By call.
inline constexpr auto kGuardsOf = [] {
  std::array<std::span<const Guard>, kCallKindCount> guards;
  for (const LookedAt& row : kLookedAt)
    for (int call = 0; call < kCallKindCount; ++call)
      if (row.on.Has(static_cast<CallKind>(call)))
        guards[call] = std::span(row.guards.items).first(row.guards.size);
  return guards;
}();

}  // namespace internal

// What is looked at for a call on an id, in order; without kFine.
constexpr std::span<const Guard> GuardsOf(CallKind call) {
  return internal::kGuardsOf[static_cast<size_t>(call)];
}

// No row here answers these: they are of the channel table, made of other calls, or read fields.
constexpr bool InNoRowOfIds(CallKind call) {
  return call == CallKind::kCreateEventChannel || call == CallKind::kDestroyEventChannel ||
         call == CallKind::kGetCmEvent || call == CallKind::kAckCmEvent ||
         call == CallKind::kCreateEp || call == CallKind::kShow || call == CallKind::kShowEvent;
}

// It makes its id, or speaks of none: one state is enough for it.
constexpr bool WithoutId(CallKind call) {
  return call == CallKind::kCreateId || call == CallKind::kEventStr ||
         call == CallKind::kGetAddrInfo || call == CallKind::kFreeAddrInfo ||
         call == CallKind::kGetDevices || call == CallKind::kFreeDevices ||
         call == CallKind::kDeregMr;
}

}  // namespace cm::model

#endif  // MODEL_CM_ID_GUARD_H_
