// The cm_id table: what a conforming implementation may answer to each call on an id, in each
// state, under each guard. A refusal is a row, not an absence; rows that share (state, call, guard)
// are alternatives.
//
// Example: rdma_connect on an id whose route is resolved, with private data that fits, returns 0,
// moves the id to CONNECT and sends REQ (connect-7); with too much data it returns -1 EINVAL and
// may be tried again (connect-6).
#ifndef MODEL_CM_ID_RULES_H_
#define MODEL_CM_ID_RULES_H_

#include <array>

#include "model/cm_id/state.h"

namespace cm::model {

using Guards = Set<Guard>;

struct CallRule {
  std::string_view id;  // permanent
  States from;
  CallKind on;
  Guards when;
  Outcome outcome;
  State to;
  Effects effects;
  Evidence evidence;
};

namespace rules {

using enum State;
using enum Guard;
using enum Effect;

inline constexpr States kAnyState = States::All(kStateCount);
inline constexpr States kUnconnected =
    States(kIdle) | kAddrBound | kAddrQuery | kAddrResolved | kRouteQuery | kRouteResolved;
inline constexpr States kWithIbCm = States(kConnect) | kDisconnect | kDeviceRemoval;
inline constexpr Guards kBindTrouble =
    Guards(kAddressNotLocal) | kInterfaceDiffers | kDeviceGone | kPortInUse | kPortInUseByWildcard;

// clang-format off
inline constexpr auto kCalls = std::to_array<CallRule>({
  {"create-id-1", kIdle, CallKind::kCreateId, kSpaceUnknown, Returns(Errno::kInval), kSame, {}, {"linux 6.1 ucma.c ucma_get_qp_type", "lab 6.1-rxe, seed 1"}},
  {"create-id-2", kIdle, CallKind::kCreateId, kFine, Returns(), kIdle, {}, {"man rdma_create_id(3)", "6.1-rxe/01-connect_disconnect_by_active:3"}},

  {"bind-1", kAnyState, CallKind::kBindAddr, kFamilyUnsupported, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_bind_addr", "6.1-rxe/27-bind_misuse:12"}},
  {"bind-2", kAnyState, CallKind::kBindAddr, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "lab 6.1-rxe, seed 1"}},
  {"bind-3", kAnyState.Except(kIdle), CallKind::kBindAddr, kBindTrouble | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_bind_addr_dst", "6.1-rxe/23-resolve_misuse:14"}},
  {"bind-4", kIdle, CallKind::kBindAddr, kAddressNotLocal, Returns(Errno::kAddrNotAvail), kSame, {}, {"linux 6.1 addr.c rdma_translate_ip", "6.1-rxe/27-bind_misuse:11"}},
  {"bind-5", kIdle, CallKind::kBindAddr, kInterfaceDiffers, Returns(Errno::kNoDev), kSame, {}, {"linux 6.1 addr.c rdma_translate_ip", "lab 6.1-rxe, seed 1"}},
  {"bind-6", kIdle, CallKind::kBindAddr, kDeviceGone, Returns(Errno::kNoDev), kSame, {kMeetsInterface}, {"linux 6.1 cma.c cma_acquire_dev_by_src_ip", "6.1-rxe/69-device_removal_by_state:72"}},
  {"bind-7", kIdle, CallKind::kBindAddr, kPortInUse, Returns(Errno::kAddrInUse), kSame, {kMeetsInterface}, {"linux 6.1 cma.c cma_check_port", "6.1-rxe/27-bind_misuse:8"}},
  {"bind-8", kIdle, CallKind::kBindAddr, kPortInUseByWildcard, Returns(Errno::kAddrNotAvail), kSame, {kMeetsInterface}, {"linux 6.1 cma.c cma_check_port", "6.1-rxe/27-bind_misuse:18"}},
  {"bind-9", kIdle, CallKind::kBindAddr, kFine, Returns(), kAddrBound, {kBindsAddress}, {"man rdma_bind_addr(3)", "6.1-rxe/01-connect_disconnect_by_active:4"}},

  {"listen-1", kAnyState, CallKind::kListen, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "6.1-rxe/69-device_removal_by_state:54"}},
  {"listen-2", kIdle, CallKind::kListen, kFine, Returns(), kListen, {kSetsBacklog, kBindsAny}, {"linux 6.1 cma.c rdma_listen", "lab 6.1-rxe, seed 1"}},
  {"listen-3", kAddrBound, CallKind::kListen, kFine, Returns(), kListen, {kSetsBacklog}, {"man rdma_listen(3)", "6.1-rxe/01-connect_disconnect_by_active:5"}},
  {"listen-4", kAnyState.Except(States(kIdle) | kAddrBound), CallKind::kListen, kFine, Returns(Errno::kInval), kSame, {kSetsBacklog}, {"linux 6.1 cma.c rdma_listen, ucma.c ucma_listen", "lab 6.1-rxe, seed 1"}},

  {"resolve-addr-1", kAnyState, CallKind::kResolveAddr, kFamilyUnsupported, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_resolve_addr", "6.1-rxe/23-resolve_misuse:6"}},
  {"resolve-addr-2", kAnyState, CallKind::kResolveAddr, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-3", kAnyState.Except(States(kIdle) | kAddrBound), CallKind::kResolveAddr, kBindTrouble | kFamiliesDiffer | kFromLoopback | kNoRoute | kNoDeviceAtAll | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c resolve_prepare_src", "6.1-rxe/21-addr_no_route:8"}},
  {"resolve-addr-4", kIdle, CallKind::kResolveAddr, kAddressNotLocal, Returns(Errno::kAddrNotAvail), kSame, {}, {"linux 6.1 addr.c rdma_translate_ip", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-5", kIdle, CallKind::kResolveAddr, kInterfaceDiffers, Returns(Errno::kNoDev), kSame, {}, {"linux 6.1 addr.c rdma_translate_ip", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-6", kIdle, CallKind::kResolveAddr, kDeviceGone, Returns(Errno::kNoDev), kSame, {kMeetsInterface}, {"linux 6.1 cma.c cma_acquire_dev_by_src_ip", "6.1-rxe/69-device_removal_by_state:60"}},
  {"resolve-addr-7", kIdle, CallKind::kResolveAddr, kPortInUse, Returns(Errno::kAddrInUse), kSame, {kMeetsInterface}, {"linux 6.1 cma.c cma_check_port", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-8", kIdle, CallKind::kResolveAddr, kPortInUseByWildcard, Returns(Errno::kAddrNotAvail), kSame, {kMeetsInterface}, {"linux 6.1 cma.c cma_check_port", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-9", kIdle, CallKind::kResolveAddr, kFamiliesDiffer, Returns(Errno::kInval), kAddrBound, {kBindsSource, kSetsDestination}, {"linux 6.1 cma.c resolve_prepare_src", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-10", kAddrBound, CallKind::kResolveAddr, kFamiliesDiffer, Returns(Errno::kInval), kSame, {kSetsDestination}, {"linux 6.1 cma.c resolve_prepare_src", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-11", kIdle, CallKind::kResolveAddr, kNoRoute, Returns(Errno::kNetUnreach), kAddrBound, {kBindsSource, kSetsDestination}, {"linux 6.1 addr.c addr_resolve", "6.1-rxe/21-addr_no_route:4"}},
  {"resolve-addr-12", kAddrBound, CallKind::kResolveAddr, kNoRoute, Returns(Errno::kNetUnreach), kSame, {kSetsDestination}, {"linux 6.1 addr.c addr_resolve", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-17", kIdle, CallKind::kResolveAddr, kFromLoopback, Returns(Errno::kInval), kAddrBound, {kBindsSource, kSetsDestination}, {"linux 6.1 route.c ip_route_output_key_hash_rcu", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-18", kAddrBound, CallKind::kResolveAddr, kFromLoopback, Returns(Errno::kInval), kSame, {kSetsDestination}, {"linux 6.1 route.c ip_route_output_key_hash_rcu", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-15", kIdle, CallKind::kResolveAddr, kNoDeviceAtAll, Returns(Errno::kNoDev), kAddrBound, {kBindsSource, kSetsDestination}, {"linux 6.1 cma.c cma_bind_loopback", ""}},
  {"resolve-addr-16", kAddrBound, CallKind::kResolveAddr, kNoDeviceAtAll, Returns(Errno::kNoDev), kSame, {kSetsDestination}, {"linux 6.1 cma.c cma_bind_loopback", ""}},
  {"resolve-addr-13", kIdle, CallKind::kResolveAddr, kFine, Returns(), kAddrQuery, {kBindsSource, kSetsDestination, kStartsAddress}, {"man rdma_resolve_addr(3)", "6.1-rxe/01-connect_disconnect_by_active:7"}},
  // The source argument of an id that is bound is ignored, whatever it says.
  {"resolve-addr-14", kAddrBound, CallKind::kResolveAddr, kBindTrouble | kFine, Returns(), kAddrQuery, {kSetsDestination, kStartsAddress}, {"man rdma_resolve_addr(3)", "6.1-rxe/21-addr_no_route:6"}},

  {"resolve-route-1", kAnyState, CallKind::kResolveRoute, kDeviceUnknown, kCrashes, kSame, {}, {"rdma-core 44 cma.c rdma_resolve_route", "6.1-rxe/23-resolve_misuse:4"}},
  {"resolve-route-2", kAnyState, CallKind::kResolveRoute, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "6.1-rxe/69-device_removal_by_state:55"}},
  {"resolve-route-3", kAnyState, CallKind::kResolveRoute, kTimeoutZero, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_resolve_route", "lab 6.1-rxe, seed 1"}},
  {"resolve-route-4", kAnyState.Except(kAddrResolved), CallKind::kResolveRoute, Guards(kNoInterface) | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_resolve_route", "6.1-rxe/23-resolve_misuse:16"}},
  {"resolve-route-5", kAddrResolved, CallKind::kResolveRoute, kNoInterface, Returns(Errno::kNoDev), kSame, {}, {"linux 6.1 cma.c cma_iboe_set_path_rec_l2_fields", "lab 6.1-rxe, seed 1"}},
  {"resolve-route-6", kAddrResolved, CallKind::kResolveRoute, kFine, Returns(), kRouteQuery, {kStartsRoute}, {"man rdma_resolve_route(3)", "6.1-rxe/01-connect_disconnect_by_active:9"}},

  {"create-qp-1", kAnyState, CallKind::kCreateQp, kQpPresent, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_create_qp_ex", "6.1-rxe/49-qp_misuse:18"}},
  {"create-qp-2", kAnyState, CallKind::kCreateQp, kDeviceUnknown, kCrashes, kSame, {}, {"rdma-core 44 cma.c ucma_create_cqs", "6.1-rxe/49-qp_misuse:7"}},
  {"create-qp-3", kAnyState, CallKind::kCreateQp, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "6.1-rxe/69-device_removal_by_state:59"}},
  {"create-qp-4", kListen, CallKind::kCreateQp, Guards(kInitRefused) | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c ib_cm_init_qp_attr", "lab 6.1-rxe, seed 1"}},
  {"create-qp-5", kWithIbCm, CallKind::kCreateQp, kInitRefused, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c ib_cm_init_qp_attr", "lab 6.1-rxe, seed 1"}},
  {"create-qp-6", kUnconnected, CallKind::kCreateQp, Guards(kInitRefused) | kFine, Returns(), kSame, {kQpCreated}, {"man rdma_create_qp(3)", "6.1-rxe/01-connect_disconnect_by_active:11"}},
  {"create-qp-7", kWithIbCm, CallKind::kCreateQp, kFine, Returns(), kSame, {kQpCreated}, {"man rdma_create_qp(3)", "6.1-rxe/01-connect_disconnect_by_active:14"}},

  {"create-qp-8", kDeviceRemoval, CallKind::kCreateQp, kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c ib_cm_init_qp_attr: it was listening", ""}},

  {"destroy-qp-1", kAnyState, CallKind::kDestroyQp, kQpAbsent, kCrashes, kSame, {}, {"rdma-core 44 cma.c rdma_destroy_qp", ""}},
  {"destroy-qp-2", kAnyState, CallKind::kDestroyQp, kFine, Returns(), kSame, {kQpDestroyed}, {"man rdma_destroy_qp(3)", "6.1-rxe/15-connecting_id_destroyed_after_accept:17"}},

  {"connect-1", kAnyState, CallKind::kConnect, kNoQpNoParam, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c ucma_valid_param", ""}},
  {"connect-2", kAnyState, CallKind::kConnect, kDeviceUnknown, kCrashes, kSame, {}, {"rdma-core 44 cma.c ucma_valid_param", "6.1-rxe/23-resolve_misuse:5"}},
  {"connect-3", kAnyState, CallKind::kConnect, kDepthTooLarge, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c ucma_valid_param", "6.1-rxe/43-conn_param_limits:12"}},
  {"connect-4", kAnyState, CallKind::kConnect, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "6.1-rxe/69-device_removal_by_state:56"}},
  {"connect-5", kAnyState.Except(kRouteResolved), CallKind::kConnect, Guards(kDataTooLong) | kSourceLost | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_connect_locked", "6.1-rxe/11-reject_by_consumer:19"}},
  {"connect-6", kRouteResolved, CallKind::kConnect, kDataTooLong, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c cma_connect_ib", "6.1-rxe/41-private_data_lengths:12"}},
  {"connect-8", kRouteResolved, CallKind::kConnect, kSourceLost, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c cma_connect_ib, sa_query.c roce_resolve_route_from_path", "6.1-rxe/77-bond_failover_addr_change:38"}},
  {"connect-7", kRouteResolved, CallKind::kConnect, kFine, Returns(), kConnect, {kSendsReq}, {"man rdma_connect(3)", "6.1-rxe/01-connect_disconnect_by_active:12"}},

  {"accept-1", kAnyState, CallKind::kAccept, kNoQpNoParam, kCrashes, kSame, {}, {"rdma-core 44 cma.c rdma_accept", ""}},
  {"accept-2", kAnyState, CallKind::kAccept, kDeviceUnknown, kCrashes, kSame, {}, {"rdma-core 44 cma.c ucma_valid_param", ""}},
  {"accept-3", kAnyState, CallKind::kAccept, kDepthTooLarge, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c ucma_valid_param", "6.1-rxe/43-conn_param_limits:17"}},
  {"accept-4", kAnyState, CallKind::kAccept, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "6.1-rxe/71-device_removal_of_passive_side:35"}},
  {"accept-5", kAnyState, CallKind::kAccept, kQpCannotComeUp, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c ucma_modify_qp_rtr", "lab 6.1-rxe, seed 1"}},
  {"accept-6", kAnyState.Except(kConnect), CallKind::kAccept, Guards(kDataTooLong) | kRepRefused | kSourceLost | kFine, Returns(Errno::kInval), kSame, {kQpError}, {"linux 6.1 cma.c rdma_accept", "lab 6.1-rxe, seed 1"}},
  {"accept-7", kConnect, CallKind::kAccept, kDataTooLong, Returns(Errno::kInval), kSame, {kQpError, kRejects}, {"linux 6.1 cm.c ib_send_cm_rep, cma.c rdma_accept", "lab 6.1-rxe, seed 1"}},
  {"accept-8", kConnect, CallKind::kAccept, kRepRefused, Returns(Errno::kInval), kSame, {kQpError, kRejects}, {"linux 6.1 cm.c ib_send_cm_rep, cma.c rdma_accept", "6.1-rxe/11-reject_by_consumer:18"}},
  {"accept-9", kConnect, CallKind::kAccept, kFine, Returns(), kSame, {kQpUp, kSendsRep}, {"man rdma_accept(3)", "6.1-rxe/01-connect_disconnect_by_active:15"}},
  {"accept-10", kAnyState, CallKind::kAccept, kQpSourceLost, Returns(Errno::kNoData), kSame, {}, {"linux 6.1 cma.c rdma_init_qp_attr", "lab 6.1-rxe, seed 1"}},
  {"accept-11", kAnyState, CallKind::kAccept, kQpWithoutRoute, Returns(Errno::kNetUnreach), kSame, {}, {"linux 6.1 verbs.c ib_resolve_eth_dmac", "lab 6.1-rxe, seed 1"}},
  {"accept-12", kConnect, CallKind::kAccept, kSourceLost, Returns(Errno::kInval), kSame, {kGivesUp}, {"linux 6.1 cm.c ib_send_cm_rep, cma.c rdma_accept", ""}},

  {"reject-1", kAnyState, CallKind::kReject, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "6.1-rxe/71-device_removal_of_passive_side:36"}},
  {"reject-2", kUnconnected | kListen, CallKind::kReject, Guards(kDataTooLong) | kRejRefused | kSourceLost | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_reject", "6.1-rxe/35-reject_misuse:7"}},
  {"reject-3", kWithIbCm, CallKind::kReject, kDataTooLong, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c ib_send_cm_rej", "6.1-rxe/41-private_data_lengths:30"}},
  {"reject-4", kWithIbCm, CallKind::kReject, kRejRefused, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c cm_send_rej_locked", "6.1-rxe/11-reject_by_consumer:17"}},
  {"reject-5", kWithIbCm, CallKind::kReject, kFine, Returns(), kSame, {kSendsRej}, {"man rdma_reject(3)", "6.1-rxe/09-reply_rejected_by_connecting_side:17"}},
  {"reject-6", kWithIbCm, CallKind::kReject, kSourceLost, Returns(Errno::kInval), kSame, {kGivesUp}, {"linux 6.1 cm.c cm_send_rej_locked", "lab 6.1-rxe, seed 1"}},

  {"establish-1", kAnyState, CallKind::kEstablish, kQpPresent, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_establish", "lab 6.1-rxe, seed 1"}},
  {"establish-2", kAnyState, CallKind::kEstablish, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "lab 6.1-rxe, seed 1"}},
  {"establish-3", kAnyState.Except(kConnect), CallKind::kEstablish, Guards(kRtuRefused) | kSourceLost | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_accept", "lab 6.1-rxe, seed 1"}},
  {"establish-4", kConnect, CallKind::kEstablish, kRtuRefused, Returns(Errno::kInval), kSame, {kRejects}, {"linux 6.1 cm.c ib_send_cm_rtu, cma.c rdma_accept", "6.1-rxe/05-connect_without_qp_then_establish:20"}},
  {"establish-5", kConnect, CallKind::kEstablish, kFine, Returns(), kSame, {kSendsRtu}, {"man rdma_establish(3)", "6.1-rxe/05-connect_without_qp_then_establish:18"}},
  {"establish-6", kConnect, CallKind::kEstablish, kSourceLost, Returns(Errno::kInval), kSame, {kGivesUp}, {"linux 6.1 cm.c ib_send_cm_rtu, cma.c rdma_accept", ""}},

  {"disconnect-1", kAnyState, CallKind::kDisconnect, kDeviceUnknown, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c ucma_shutdown", "lab 6.1-rxe, seed 1"}},
  {"disconnect-2", kAnyState, CallKind::kDisconnect, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {kQpError}, {"rdma-core 44 cma.c rdma_disconnect, linux 6.1 ucma.c ucma_get_ctx", "6.1-rxe/69-device_removal_by_state:57"}},
  {"disconnect-3", kUnconnected, CallKind::kDisconnect, Guards(kSourceLost) | kDreqPossible | kDrepPossible | kFine, Returns(Errno::kInval), kSame, {kQpError}, {"linux 6.1 cma.c rdma_disconnect", "lab 6.1-rxe, seed 1"}},
  {"disconnect-4", kListen, CallKind::kDisconnect, Guards(kSourceLost) | kDreqPossible | kDrepPossible | kFine, Returns(), kSame, {kQpError}, {"linux 6.1 cma.c rdma_disconnect", "lab 6.1-rxe, seed 1"}},
  {"disconnect-5", kWithIbCm, CallKind::kDisconnect, kDreqPossible, Returns(), kSame, {kQpError, kSendsDreq}, {"man rdma_disconnect(3)", "6.1-rxe/01-connect_disconnect_by_active:20"}},
  {"disconnect-6", kWithIbCm, CallKind::kDisconnect, kDrepPossible, Returns(), kSame, {kQpError, kSendsDrep}, {"linux 6.1 cma.c rdma_disconnect", "6.1-rxe/01-connect_disconnect_by_active:22"}},
  {"disconnect-9", kWithIbCm, CallKind::kDisconnect, kSourceLost, Returns(), kSame, {kQpError, kEndsUnsaid}, {"linux 6.1 cm.c ib_send_cm_dreq", "lab 6.1-rxe, seed 1"}},
  {"disconnect-7", kWithIbCm, CallKind::kDisconnect, kFine, Returns(), kSame, {kQpError}, {"linux 6.1 cma.c rdma_disconnect", "6.1-rxe/09-reply_rejected_by_connecting_side:22"}},

  {"disconnect-8", kDeviceRemoval, CallKind::kDisconnect, kFine, Returns(Errno::kInval), kSame, {kQpError}, {"linux 6.1 cma.c rdma_disconnect: it was never connected", ""}},

  {"destroy-id-1", kAnyState, CallKind::kDestroyId, kMessageOutstanding, kBlocks, kSame, {kDestroys}, {"linux 6.1 cm.c cm_destroy_id", "lab 6.1-rxe, seed 1"}},
  {"destroy-id-2", kAnyState, CallKind::kDestroyId, kEventsUnacked, kBlocks, kSame, {kDestroys}, {"man rdma_destroy_id(3)", "6.1-rxe/51-destroy_waits_for_unacked_event:9"}},
  {"destroy-id-3", kAnyState, CallKind::kDestroyId, kFine, Returns(), kSame, {kDestroys}, {"man rdma_destroy_id(3)", "6.1-rxe/01-connect_disconnect_by_active:29"}},
});
// clang-format on

}  // namespace rules

// What happens to an id from below: resolution, the environment. Hidden: only events tell.
enum class Below : uint8_t {
  kAddressFound,
  kAddressTimesOut,       // nobody answers for the destination
  kAddressWithoutDevice,  // the interface found has no RDMA device
  kRouteFound,
  kDeviceGoes,        // its device is being removed
  kKernelIdClosed,    // after that
  kAddressChanges,    // the bond under it has failed over
  kNeighbourChanges,  // its peer's hardware address has changed
};
inline constexpr int kBelowCount = 8;
std::string_view ToString(Below below);

struct BelowRule {
  std::string_view id;
  States from;
  Below on;
  State to;
  EventType reports;
  int32_t status;
  bool silent;  // nothing is reported
  Evidence evidence;
};

namespace rules {

// clang-format off
inline constexpr auto kFromBelow = std::to_array<BelowRule>({
  {"addr-1", kAddrQuery, Below::kAddressFound, kAddrResolved, EventType::kAddrResolved, 0, false, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:8"}},
  {"addr-2", kAddrQuery, Below::kAddressTimesOut, kAddrBound, EventType::kAddrError, -110, false, {"linux 6.1 addr.c process_one_req, cma.c addr_handler", "lab 6.1-rxe, seed 1"}},
  {"addr-3", kAddrQuery, Below::kAddressWithoutDevice, kAddrBound, EventType::kAddrError, -19, false, {"linux 6.1 cma.c addr_handler", "6.1-rxe/69-device_removal_by_state:74"}},
  {"route-1", kRouteQuery, Below::kRouteFound, kRouteResolved, EventType::kRouteResolved, 0, false, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:10"}},
  {"removal-1", kAnyState.Except(kDeviceRemoval), Below::kDeviceGoes, kDeviceRemoval, EventType::kDeviceRemoval, 0, false, {"linux 6.1 cma.c cma_send_device_removal_put", "6.1-rxe/69-device_removal_by_state:45"}},
  {"removal-2", kDeviceRemoval, Below::kKernelIdClosed, kSame, EventType::kDeviceRemoval, 0, true, {"linux 6.1 ucma.c ucma_close_id", "6.1-rxe/69-device_removal_by_state:45"}},
  {"addr-change-1", kAnyState.Except(kDeviceRemoval), Below::kAddressChanges, kSame, EventType::kAddrChange, 0, false, {"linux 6.1 cma.c cma_netdev_change", "6.1-rxe/77-bond_failover_addr_change:29"}},
  {"neighbour-1", kAnyState.Except(kDeviceRemoval), Below::kNeighbourChanges, kSame, EventType::kUnreachable, -110, false, {"linux 6.1 cma.c cma_netevent_work_handler", "6.1-rxe/75-peer_hardware_address_changes:19"}},
});
// clang-format on

}  // namespace rules

// Total over (state, call, guard): some row says what happens.
template <size_t N>
constexpr bool EveryCallIsAnswered(const std::array<CallRule, N>& table) {
  for (int c = 0; c < kCallKindCount; ++c) {
    const auto call = static_cast<CallKind>(c);
    const std::span<const Guard> guards = GuardsOf(call);
    if (guards.empty()) continue;  // not a call on an id; see the channel table
    const int states = call == CallKind::kCreateId ? 1 : kStateCount;
    for (int s = 0; s < states; ++s) {
      for (size_t g = 0; g <= guards.size(); ++g) {
        const Guard guard = g < guards.size() ? guards[g] : Guard::kFine;
        bool answered = false;
        for (const CallRule& rule : table) {
          answered = answered || (rule.on == call && rule.from.Has(static_cast<State>(s)) &&
                                  rule.when.Has(guard));
        }
        if (!answered) return false;
      }
    }
  }
  return true;
}

// No row speaks of a guard that its call never looks at.
template <size_t N>
constexpr bool EveryGuardIsLookedAt(const std::array<CallRule, N>& table) {
  for (const CallRule& rule : table) {
    for (int g = 1; g < kGuardCount; ++g) {
      if (!rule.when.Has(static_cast<Guard>(g))) continue;
      bool known = false;
      for (const Guard guard : GuardsOf(rule.on)) known = known || guard == static_cast<Guard>(g);
      if (!known) return false;
    }
  }
  return true;
}

template <typename Table>
constexpr bool IdsAreUnique(const Table& table) {
  for (size_t i = 0; i < table.size(); ++i)
    for (size_t j = i + 1; j < table.size(); ++j)
      if (table[i].id == table[j].id) return false;
  return true;
}

static_assert(EveryCallIsAnswered(rules::kCalls));
static_assert(EveryGuardIsLookedAt(rules::kCalls));
static_assert(IdsAreUnique(rules::kCalls));
static_assert(IdsAreUnique(rules::kFromBelow));

}  // namespace cm::model

#endif  // MODEL_CM_ID_RULES_H_
