// States of an rdma_cm_id, what may stand in a call's way, and what a call does besides answering.
#ifndef MODEL_CM_ID_STATE_H_
#define MODEL_CM_ID_STATE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/rules/rule.h"
#include "model/vocabulary/call.h"

namespace cm::model {

// source: linux 6.1 cma_priv.h enum rdma_cm_state. There is no state "established": everything
// after rdma_connect is kConnect, and the IB CM tells the rest.
enum class State : uint8_t {
  kIdle,
  kAddrBound,
  kAddrQuery,
  kAddrResolved,
  kRouteQuery,
  kRouteResolved,
  kConnect,
  kDisconnect,
  kListen,
  kDeviceRemoval,  // its device goes; the kernel's id is about to be destroyed
  kSame,           // as a row's `to`: unchanged
};
inline constexpr int kStateCount = 10;
using States = Set<State>;

// What stands in the way of a call, or which of its ways it takes. For each call GuardsOf lists
// what is looked at, in the order in which it is looked at; the first that holds is the call's
// guard, kFine when none does.
enum class Guard : uint8_t {
  kFine,
  kFamilyUnsupported,  // address null or of a family that the library does not know
  kSpaceUnknown,       // no such port space
  kDeviceUnknown,      // the library does not know a device of the id: id->verbs is null
  kDeviceRemoved,      // the kernel's id is gone with its device
  kQpPresent,
  kQpAbsent,
  kNoQpNoParam,     // neither a queue pair nor parameters
  kDepthTooLarge,   // responder resources or initiator depth above the device's maximum
  kQpCannotComeUp,  // the queue pair is not in INIT, or the kernel has no attributes for it
  kTimeoutZero,
  kAddressNotLocal,      // no interface of the kernel has it
  kInterfaceDiffers,     // the id has met another interface before; that sticks
  kDeviceGone,           // the interface has no RDMA device
  kPortInUse,            // the same address and port
  kPortInUseByWildcard,  // the port, where either address is a wildcard
  kFamiliesDiffer,       // source and destination
  kNoRoute,
  kNoDeviceAtAll,  // for a loopback destination
  kNoInterface,    // resolved without one, as loopback is
  kDataTooLong,
  kQpSourceLost,    // there is a queue pair, and the GID is gone that it would send from
  kQpWithoutRoute,  // there is one, and the interface is down that it would send over
  kFromLoopback,    // from an IPv4 loopback address to another host
  kSourceLost,      // the GID that the id was bound to went when its bond failed over
  kInitRefused,     // the IB CM has no attributes for INIT in its state
  kRepRefused,      // the IB CM cannot send REP in its state
  kRtuRefused,
  kRejRefused,
  kDreqPossible,        // the IB CM can send DREQ
  kDrepPossible,        // it cannot, and can send DREP
  kMessageOutstanding,  // a message that was given up is still being transmitted
  kTypeDiffers,         // the queue pair is to be of another type than the id
  kDatagram,            // the id is one of datagrams
  kOtherLink,           // its port space is one of links that the interface is none of
  kEventsUnacked,       // events of the id are fetched and not acknowledged
  kQpStateUnknown,      // a queue pair has no such state
  kWithoutDevice,       // the kernel's id is on no device
  kAttrsRefused,  // the IB CM has no attributes for the wanted state of a queue pair in its own
  kEstablishedAlready,  // the notice of a connection that the IB CM knows of
  kCommEstPossible,     // the notice of one that it takes the word for
  kPathMigPossible,     // the notice that the path has changed, of a connection
  kEceMalformed,        // no vendor, or a mask of what nobody knows
  kAsynchronous,        // the id has a channel of the application's
  kOptionTooLong,       // longer than the kernel copies anything
  kOptionUnknown,       // no such level, or no such name of it
  kOptionMalformed,     // of another length than the option, or without what it is to hold
  kReuseWanted,         // REUSEADDR, on
  kReuseUnwanted,       // and off
  kFamilyOnlyWanted,    // AFONLY, on or off
  kTimeoutWanted,       // ACK_TIMEOUT
  kPathWanted,          // IB_PATH
  kSynchronousAlready,  // it is to have a channel of its own, and has one
  kMaskUnknown,         // there is more than anybody knows in the mask
  kMaskIncomplete,      // address or flags are not given, or the flags are unknown
  kNotDatagram,         // the id is none of datagrams
  kAddressZero,         // 0.0.0.0 or ::
  kGroupV6,             // an IPv6 group, which RoCE v2 does not take
  kGidGone,             // the interface has lost the GID of the id's address
  kNotJoined,           // the id is in no group of this address and port
  kGroupUnacked,        // an event of the membership is fetched and not acknowledged
  kNothingAsked,        // neither node nor service nor hints
  kHintsAlone,          // hints without node and service
  kFamilyForeign,       // the hints want a family that the resolver does not know
  kTypeAgainstSpace,    // the hints want a type that their port space is not of
  kNodeOfOtherFamily,   // the node is of another family than the hints want
  kInfoUnderWay,        // what the id looked up before is not handed out
  kTwoWaysAsked,        // records of services, with a node or from the resolver
  kServiceRecords,      // records of services, which no RoCE port has
  kNotServed,           // the kernel is older than the library's map 1.4
  kNotAccepted,         // the id is that of a request that is not accepted
  kNoInfo,              // nothing that the id has looked up waits
  kNotUserEvent,        // the event is to be of another type than USER
  kSrqUntyped,          // the attributes do not say of which type it is to be
  kSrqAbsent,           // the id has no shared receive queue
  kQueueAbsent,         // nor a queue pair
  kServiceUnknown,      // no ESTABLISHED has named a datagram service
  kPiecesTooMany,       // more than the queue was asked for
  kInlineTooLong,       // more inline bytes than that
  kQueueFull,           // it holds as many requests as it was asked for
  kQpNotReady,          // the queue pair is in INIT
  kNothingCompleted,    // the completion queue is empty
  kOverIwarp,           // the id's device is one of iWARP
  kTypeUnsupported,     // the queue pair is to be of a type that such a device has none of
  kNoKeys,              // such a device has no P_Key, which a loopback destination is found by
  kQpUnknown,           // the id has no queue pair, and the number given is that of none
  kConnectionRefused,   // nobody listens there: TCP says so at once
  kPeerUnreachable,     // nobody is there to say so
  kReplyAwaited,        // the request is sent, and not answered yet
  kConnectionLost,      // the request is there, and its connection is gone
  kNoBroadcast,         // over InfiniBand: no interface of the id has a broadcast group
};
inline constexpr int kGuardCount = 91;
using Guards = Set<Guard>;

// Guards that hold over one transport alone; those of RoCE, but for the next, over InfiniBand too.
inline constexpr Guards kOfIwarpAlone = Guards(Guard::kOverIwarp) | Guard::kTypeUnsupported |
                                        Guard::kNoKeys | Guard::kQpUnknown |
                                        Guard::kConnectionRefused | Guard::kPeerUnreachable |
                                        Guard::kReplyAwaited | Guard::kConnectionLost;
inline constexpr Guards kOfRoceAlone =
    Guards(Guard::kSourceLost) | Guard::kQpSourceLost | Guard::kQpWithoutRoute |
    Guard::kQpCannotComeUp | Guard::kDreqPossible | Guard::kDrepPossible |
    Guard::kEstablishedAlready | Guard::kCommEstPossible | Guard::kPathMigPossible |
    Guard::kTypeDiffers | Guard::kGroupV6 | Guard::kAddressZero | Guard::kGidGone |
    Guard::kDataTooLong | Guard::kNoInterface;
inline constexpr Guards kOfEthernetAlone = Guards(Guard::kQpWithoutRoute) | Guard::kNoInterface |
                                           Guard::kOtherLink | Guard::kGroupV6 |
                                           Guard::kAddressZero | Guard::kGidGone;
inline constexpr Guards kOfInfinibandAlone = Guard::kNoBroadcast;

// What a call does besides answering; the oracle knows how.
enum class Effect : uint8_t {
  kNone,
  kBindsAddress,     // takes the address's port, interface and device
  kBindsAny,         // 0.0.0.0 and an ephemeral port
  kBindsSource,      // as kBindsAddress, with the source of rdma_resolve_addr
  kSetsDestination,  // remembers where it was to lead
  kMeetsInterface,   // the address's interface sticks, though the call fails
  kSetsBacklog,
  kStartsAddress,
  kStartsRoute,
  kQpCreated,  // in INIT
  kQpDestroyed,
  kQpUp,     // INIT to RTR to RTS
  kQpError,  // to ERR, if there is one
  kSendsReq,
  kSendsRep,
  kSendsRtu,
  kSendsRej,  // with the call's private data
  kRejects,   // REJ 28 without data, whatever there is to reject
  kSendsDreq,
  kSendsDrep,
  kEndsUnsaid,         // DREQ or DREP is due and cannot be sent
  kGivesUp,            // REJ is due and cannot be sent
  kDatagramQpCreated,  // in RTS
  kSendsSidrReq,
  kAnswersSidr,   // SIDR_REP with the service
  kRefusesSidr,   // SIDR_REP without it, with the call's private data
  kDestroys,      // the IB CM's id, the port, unfetched events and requests
  kEstablishes,   // the connection stands, without RTU
  kMigratesPath,  // the alternate path takes over, which is empty
  kSetsEce,
  kSharesPort,        // with ids that share theirs
  kSharesPortNoMore,  // with those that come
  kLimitsFamily,      // a wildcard is for its own address family alone, or for both
  kSetsTimeout,       // the packet lifetime of the route that is resolved next
  kSetsPath,          // the application's own path; ROUTE_RESOLVED is queued at once
  kMovesEvents,       // the id and its unread events go to the end of another channel
  kJoinsGroup,        // JOIN is due
  kJoinsInVain,       // ERROR is due; it is a membership all the same
  kLeavesGroup,       // and drops its unfetched events
  kForgetsGroup,
  kLooksUp,      // INTERNAL is queued, and the address info waits
  kHandsInfo,    // and waits no more
  kForgetsInfo,  // nor is it looked for
  kWritesEvent,  // USER is queued
  kCloses,       // the connection of an iWARP device, and its queue pair with it
  kEndsLater,    // the same as soon as it is answered
};

using Effects = std::array<Effect, 3>;

std::string_view ToString(State state);
std::string_view ToString(Guard guard);
std::string_view ToString(Effect effect);
std::string_view SentenceOf(Guard guard);

// What is looked at for a call on an id, in order; without kFine.
constexpr std::span<const Guard> GuardsOf(CallKind call);

}  // namespace cm::model

namespace cm::model::internal {

using enum Guard;
// source: rdma-core 44 librdmacm/cma.c, linux 6.1 ucma.c, cma.c, in the order of the code.
inline constexpr auto kCreateId = std::to_array<Guard>({kSpaceUnknown});
inline constexpr auto kDestroyId =
    std::to_array<Guard>({kMessageOutstanding, kReplyAwaited, kEventsUnacked});
inline constexpr auto kBindAddr =
    std::to_array<Guard>({kFamilyUnsupported, kDeviceRemoved, kAddressNotLocal, kInterfaceDiffers,
                          kOtherLink, kDeviceGone, kPortInUse, kPortInUseByWildcard});
inline constexpr auto kListen =
    std::to_array<Guard>({kDeviceRemoved, kPortInUse, kPortInUseByWildcard});
inline constexpr auto kResolveAddr =
    std::to_array<Guard>({kFamilyUnsupported, kDeviceRemoved, kAddressNotLocal, kInterfaceDiffers,
                          kOtherLink, kDeviceGone, kPortInUse, kPortInUseByWildcard,
                          kFamiliesDiffer, kFromLoopback, kNoRoute, kNoDeviceAtAll, kNoKeys});
inline constexpr auto kResolveRoute =
    std::to_array<Guard>({kDeviceUnknown, kDeviceRemoved, kTimeoutZero, kNoInterface});
inline constexpr auto kCreateQp =
    std::to_array<Guard>({kQpPresent, kDeviceUnknown, kTypeUnsupported, kDeviceRemoved,
                          kTypeDiffers, kDatagram, kInitRefused});
inline constexpr auto kDestroyQp = std::to_array<Guard>({kQpAbsent});
inline constexpr auto kConnect = std::to_array<Guard>(
    {kNoQpNoParam, kDeviceUnknown, kDepthTooLarge, kDeviceRemoved, kDataTooLong, kSourceLost,
     kQpUnknown, kPeerUnreachable, kConnectionRefused, kDatagram});
inline constexpr auto kAccept =
    std::to_array<Guard>({kNoQpNoParam, kDeviceUnknown, kDepthTooLarge, kDeviceRemoved,
                          kQpCannotComeUp, kQpSourceLost, kQpWithoutRoute, kDataTooLong,
                          kRepRefused, kQpUnknown, kConnectionLost, kSourceLost, kDatagram});
inline constexpr auto kReject = std::to_array<Guard>(
    {kDeviceRemoved, kDataTooLong, kRejRefused, kConnectionLost, kSourceLost, kDatagram});
inline constexpr auto kEstablish =
    std::to_array<Guard>({kQpPresent, kDeviceRemoved, kRtuRefused, kSourceLost, kDatagram});
inline constexpr auto kDisconnect =
    std::to_array<Guard>({kDeviceUnknown, kDeviceRemoved, kReplyAwaited, kOverIwarp, kSourceLost,
                          kDreqPossible, kDrepPossible});
inline constexpr auto kNotify = std::to_array<Guard>(
    {kDeviceRemoved, kOverIwarp, kEstablishedAlready, kCommEstPossible, kPathMigPossible});
inline constexpr auto kInitQpAttr =
    std::to_array<Guard>({kQpStateUnknown, kDeviceRemoved, kWithoutDevice, kAttrsRefused});
inline constexpr auto kSetLocalEce = std::to_array<Guard>({kQpPresent, kEceMalformed});
inline constexpr auto kGetRemoteEce = std::to_array<Guard>({kQpPresent});
inline constexpr auto kGetRequest = std::to_array<Guard>({kAsynchronous});
// Beside refusals, which option it is; kFine is TOS.
inline constexpr auto kSetOption = std::to_array<Guard>(
    {kOptionTooLong, kDeviceRemoved, kOptionUnknown, kOptionMalformed, kDatagram, kWithoutDevice,
     kNoInterface, kReuseWanted, kReuseUnwanted, kFamilyOnlyWanted, kTimeoutWanted, kPathWanted});
inline constexpr auto kMigrateId =
    std::to_array<Guard>({kSynchronousAlready, kDeviceRemoved, kEventsUnacked});
inline constexpr auto kJoinMulticast = std::to_array<Guard>(
    {kFamilyUnsupported, kDeviceRemoved, kWithoutDevice, kNotDatagram, kOverIwarp, kNoBroadcast,
     kAddressZero, kNoInterface, kGroupV6, kGidGone});
inline constexpr auto kJoinMulticastEx = std::to_array<Guard>(
    {kMaskUnknown, kMaskIncomplete, kFamilyUnsupported, kDeviceRemoved, kWithoutDevice,
     kNotDatagram, kOverIwarp, kNoBroadcast, kAddressZero, kNoInterface, kGroupV6, kGidGone});
inline constexpr auto kLeaveMulticast =
    std::to_array<Guard>({kFamilyUnsupported, kNotJoined, kDeviceRemoved, kGroupUnacked});
// source: rdma-core 44 addrinfo.c rdma_getaddrinfo, glibc 2.36 getaddrinfo.c
inline constexpr auto kGetAddrInfo = std::to_array<Guard>(
    {kNothingAsked, kHintsAlone, kFamilyForeign, kTypeAgainstSpace, kNodeOfOtherFamily});
inline constexpr auto kGetDevices = std::to_array<Guard>({kNoDeviceAtAll});
// source: rdma-core 65 cma.c rdma_resolve_addrinfo, rdma_write_cm_event, linux 7.2 ucma.c
inline constexpr auto kResolveAddrInfo = std::to_array<Guard>(
    {kInfoUnderWay, kTwoWaysAsked, kServiceRecords, kNothingAsked, kFamilyForeign,
     kTypeAgainstSpace, kNodeOfOtherFamily, kNotServed, kDeviceRemoved, kNotAccepted});
inline constexpr auto kQueryAddrInfo = std::to_array<Guard>({kNoInfo});
inline constexpr auto kWriteCmEvent =
    std::to_array<Guard>({kNotUserEvent, kNotServed, kDeviceRemoved, kNotAccepted});
// source: <rdma/rdma_verbs.h>, rdma-core 44 rxe.c post_one_send, rxe_post_one_recv
inline constexpr auto kCreateSrq = std::to_array<Guard>({kDeviceUnknown});
inline constexpr auto kCreateSrqEx = std::to_array<Guard>({kSrqUntyped, kDeviceUnknown});
inline constexpr auto kDestroySrq = std::to_array<Guard>({kSrqAbsent});
inline constexpr auto kRegister = std::to_array<Guard>({kDeviceUnknown});
inline constexpr auto kPostRecv = std::to_array<Guard>({kQueueAbsent, kQueueFull});
inline constexpr auto kPostRecvv = std::to_array<Guard>({kQueueAbsent, kQueueFull, kPiecesTooMany});
inline constexpr auto kPost =
    std::to_array<Guard>({kQpAbsent, kDatagram, kInlineTooLong, kQueueFull, kQpNotReady});
inline constexpr auto kPostList = std::to_array<Guard>(
    {kQpAbsent, kDatagram, kPiecesTooMany, kInlineTooLong, kQueueFull, kQpNotReady});
inline constexpr auto kPostUdSend =
    std::to_array<Guard>({kQpAbsent, kServiceUnknown, kInlineTooLong, kQueueFull});
inline constexpr auto kGetComp = std::to_array<Guard>({kQpAbsent, kNothingCompleted});

constexpr std::span<const Guard> OfQueueCall(CallKind call) {
  switch (call) {
    case CallKind::kCreateQpEx:
      return kCreateQp;
    case CallKind::kCreateSrq:
      return kCreateSrq;
    case CallKind::kCreateSrqEx:
      return kCreateSrqEx;
    case CallKind::kDestroySrq:
      return kDestroySrq;
    case CallKind::kRegMsgs:
    case CallKind::kRegRead:
    case CallKind::kRegWrite:
      return kRegister;
    case CallKind::kPostRecv:
      return kPostRecv;
    case CallKind::kPostRecvv:
      return kPostRecvv;
    case CallKind::kPostSend:
    case CallKind::kPostRead:
    case CallKind::kPostWrite:
      return kPost;
    case CallKind::kPostSendv:
    case CallKind::kPostReadv:
    case CallKind::kPostWritev:
      return kPostList;
    case CallKind::kPostUdSend:
      return kPostUdSend;
    case CallKind::kGetSendComp:
    case CallKind::kGetRecvComp:
      return kGetComp;
    default:
      return {};
  }
}

}  // namespace cm::model::internal

namespace cm::model {

constexpr std::span<const Guard> GuardsOf(CallKind call) {
  switch (call) {
    case CallKind::kCreateId:
      return internal::kCreateId;
    case CallKind::kDestroyId:
    case CallKind::kDestroyEp:
      return internal::kDestroyId;
    case CallKind::kBindAddr:
      return internal::kBindAddr;
    case CallKind::kListen:
      return internal::kListen;
    case CallKind::kResolveAddr:
      return internal::kResolveAddr;
    case CallKind::kResolveRoute:
      return internal::kResolveRoute;
    case CallKind::kCreateQp:
      return internal::kCreateQp;
    case CallKind::kDestroyQp:
      return internal::kDestroyQp;
    case CallKind::kConnect:
      return internal::kConnect;
    case CallKind::kAccept:
      return internal::kAccept;
    case CallKind::kReject:
    case CallKind::kRejectEce:
      return internal::kReject;
    case CallKind::kEstablish:
      return internal::kEstablish;
    case CallKind::kDisconnect:
      return internal::kDisconnect;
    case CallKind::kNotify:
      return internal::kNotify;
    case CallKind::kInitQpAttr:
      return internal::kInitQpAttr;
    case CallKind::kSetLocalEce:
      return internal::kSetLocalEce;
    case CallKind::kGetRemoteEce:
      return internal::kGetRemoteEce;
    case CallKind::kGetRequest:
      return internal::kGetRequest;
    case CallKind::kSetOption:
      return internal::kSetOption;
    case CallKind::kMigrateId:
      return internal::kMigrateId;
    case CallKind::kJoinMulticast:
      return internal::kJoinMulticast;
    case CallKind::kJoinMulticastEx:
      return internal::kJoinMulticastEx;
    case CallKind::kLeaveMulticast:
      return internal::kLeaveMulticast;
    case CallKind::kGetAddrInfo:
      return internal::kGetAddrInfo;
    case CallKind::kGetDevices:
      return internal::kGetDevices;
    case CallKind::kResolveAddrInfo:
      return internal::kResolveAddrInfo;
    case CallKind::kQueryAddrInfo:
      return internal::kQueryAddrInfo;
    case CallKind::kWriteCmEvent:
      return internal::kWriteCmEvent;
    default:
      return internal::OfQueueCall(call);
  }
}

// Nothing stands in the way of these: they read what the library has.
constexpr bool NeverRefused(CallKind call) {
  return call == CallKind::kGetSrcPort || call == CallKind::kGetDstPort ||
         call == CallKind::kEventStr || call == CallKind::kFreeAddrInfo ||
         call == CallKind::kFreeDevices || call == CallKind::kDeregMr;
}

// It makes its id, or speaks of none: one state is enough for it.
constexpr bool WithoutId(CallKind call) {
  switch (call) {
    case CallKind::kCreateId:
    case CallKind::kEventStr:
    case CallKind::kGetAddrInfo:
    case CallKind::kFreeAddrInfo:
    case CallKind::kGetDevices:
    case CallKind::kFreeDevices:
    case CallKind::kDeregMr:
      return true;
    default:
      return false;
  }
}

}  // namespace cm::model

#endif  // MODEL_CM_ID_STATE_H_
