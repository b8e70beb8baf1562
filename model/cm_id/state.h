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
  kEventsUnacked,       // events of the id are fetched and not acknowledged
};
inline constexpr int kGuardCount = 33;

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
  kEndsUnsaid,  // DREQ or DREP is due and cannot be sent
  kGivesUp,     // REJ is due and cannot be sent
  kDestroys,    // the IB CM's id, the port, unfetched events and requests
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
inline constexpr auto kDestroyId = std::to_array<Guard>({kMessageOutstanding, kEventsUnacked});
inline constexpr auto kBindAddr =
    std::to_array<Guard>({kFamilyUnsupported, kDeviceRemoved, kAddressNotLocal, kInterfaceDiffers,
                          kDeviceGone, kPortInUse, kPortInUseByWildcard});
inline constexpr auto kListen = std::to_array<Guard>({kDeviceRemoved});
inline constexpr auto kResolveAddr = std::to_array<Guard>(
    {kFamilyUnsupported, kDeviceRemoved, kAddressNotLocal, kInterfaceDiffers, kDeviceGone,
     kPortInUse, kPortInUseByWildcard, kFamiliesDiffer, kFromLoopback, kNoRoute, kNoDeviceAtAll});
inline constexpr auto kResolveRoute =
    std::to_array<Guard>({kDeviceUnknown, kDeviceRemoved, kTimeoutZero, kNoInterface});
inline constexpr auto kCreateQp =
    std::to_array<Guard>({kQpPresent, kDeviceUnknown, kDeviceRemoved, kInitRefused});
inline constexpr auto kDestroyQp = std::to_array<Guard>({kQpAbsent});
inline constexpr auto kConnect = std::to_array<Guard>(
    {kNoQpNoParam, kDeviceUnknown, kDepthTooLarge, kDeviceRemoved, kDataTooLong, kSourceLost});
inline constexpr auto kAccept = std::to_array<Guard>(
    {kNoQpNoParam, kDeviceUnknown, kDepthTooLarge, kDeviceRemoved, kQpCannotComeUp, kQpSourceLost,
     kQpWithoutRoute, kDataTooLong, kRepRefused, kSourceLost});
inline constexpr auto kReject =
    std::to_array<Guard>({kDeviceRemoved, kDataTooLong, kRejRefused, kSourceLost});
inline constexpr auto kEstablish =
    std::to_array<Guard>({kQpPresent, kDeviceRemoved, kRtuRefused, kSourceLost});
inline constexpr auto kDisconnect = std::to_array<Guard>(
    {kDeviceUnknown, kDeviceRemoved, kSourceLost, kDreqPossible, kDrepPossible});

}  // namespace cm::model::internal

namespace cm::model {

constexpr std::span<const Guard> GuardsOf(CallKind call) {
  switch (call) {
    case CallKind::kCreateId:
      return internal::kCreateId;
    case CallKind::kDestroyId:
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
      return internal::kReject;
    case CallKind::kEstablish:
      return internal::kEstablish;
    case CallKind::kDisconnect:
      return internal::kDisconnect;
    default:
      return {};
  }
}

}  // namespace cm::model

#endif  // MODEL_CM_ID_STATE_H_
