#include <array>
#include <cstddef>
#include <cstdint>

#include "model/cm_id/proofs.h"
#include "model/cm_id/rules.h"

namespace cm::model::rules {
namespace {

using enum State;
using enum Guard;
using enum Effect;

constexpr States kAnyState = States::All(kStateCount);
constexpr States kUnconnected =
    States(kIdle) | kAddrBound | kAddrQuery | kAddrResolved | kRouteQuery | kRouteResolved;
constexpr States kWithIbCm = States(kConnect) | kDisconnect | kDeviceRemoval;
// Over iWARP: what the TCP connection comes to within rdma_connect.
constexpr Guards kTcpTrouble = Guards(kQpUnknown) | kConnectionRefused | kPeerUnreachable;
// No message of the id can be made.
constexpr Guards kCannotSend = Guards(kSourceLost) | kHandlesTaken;
constexpr States kMayJoin = States(kAddrBound) | kAddrResolved;
constexpr Guards kJoinTrouble = Guards(kNotDatagram) | kOverIwarp | kNoBroadcast | kAddressZero |
                                kNoInterface | kGroupV6 | kGidGone;

// clang-format off
constexpr auto kCallsRows = std::to_array<CallRule>({
  {"create-id-1", kIdle, CallKind::kCreateId, kSpaceUnknown, Returns(Errno::kInval), kSame, {}, {"linux 6.1 ucma.c ucma_get_qp_type", "6.1-rxe/85-port_spaces:7"}},
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
  {"bind-10", kIdle, CallKind::kBindAddr, kOtherLink, Returns(Errno::kInval), kSame, {kMeetsInterface}, {"linux 6.1 cma.c cma_acquire_dev_by_src_ip", "6.1-rxe/85-port_spaces:13"}},

  {"listen-1", kAnyState, CallKind::kListen, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "6.1-rxe/69-device_removal_by_state:54"}},
  {"listen-2", kIdle, CallKind::kListen, Guards(kPortInUse) | kPortInUseByWildcard | kTcpPortTaken | kFine, Returns(), kListen, {kSetsBacklog, kBindsAny}, {"linux 6.1 cma.c rdma_listen, cm.c ib_cm_insert_listen (L0)", "lab 6.1-rxe, seed 1"}},
  {"listen-3", kAddrBound, CallKind::kListen, kFine, Returns(), kListen, {kSetsBacklog}, {"man rdma_listen(3), linux 6.1 cm.c ib_cm_insert_listen (L0)", "6.1-rxe/01-connect_disconnect_by_active:5"}},
  {"listen-4", kAnyState.Except(States(kIdle) | kAddrBound), CallKind::kListen, Guards(kPortInUse) | kPortInUseByWildcard | kTcpPortTaken | kFine, Returns(Errno::kInval), kSame, {kSetsBacklog}, {"linux 6.1 cma.c rdma_listen, ucma.c ucma_listen", "lab 6.1-rxe datagrams, seed 1"}},
  // A listener does not share its port.
  {"listen-5", kAddrBound, CallKind::kListen, kPortInUse, Returns(Errno::kAddrInUse), kSame, {kSetsBacklog}, {"linux 6.1 cma.c rdma_listen, cma_check_port", "lab 6.1-rxe, seed 1"}},
  {"listen-6", kAddrBound, CallKind::kListen, kPortInUseByWildcard, Returns(Errno::kAddrNotAvail), kSame, {kSetsBacklog}, {"linux 6.1 cma.c rdma_listen, cma_check_port", "lab 6.1-rxe, seed 1"}},
  {"iw-listen-1", kAddrBound, CallKind::kListen, kTcpPortTaken, Returns(Errno::kAddrInUse), kSame, {kSetsBacklog}, {"linux 6.1 cma.c rdma_listen, siw_cm.c siw_create_listen", ""}},

  {"resolve-addr-1", kAnyState, CallKind::kResolveAddr, kFamilyUnsupported, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_resolve_addr", "6.1-rxe/23-resolve_misuse:6"}},
  {"resolve-addr-2", kAnyState, CallKind::kResolveAddr, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-3", kAnyState.Except(States(kIdle) | kAddrBound), CallKind::kResolveAddr, kBindTrouble | kFamiliesDiffer | kFromLoopback | kNoRoute | kNoDeviceAtAll | kNoKeys | kFine, Returns(Errno::kInval), kSame, {kClearsDestination}, {"linux 6.1 cma.c resolve_prepare_src", "6.1-rxe/21-addr_no_route:8"}},
  {"resolve-addr-4", kIdle, CallKind::kResolveAddr, kAddressNotLocal, Returns(Errno::kAddrNotAvail), kSame, {kClearsDestination}, {"linux 6.1 addr.c rdma_translate_ip", ""}},
  {"resolve-addr-5", kIdle, CallKind::kResolveAddr, kInterfaceDiffers, Returns(Errno::kNoDev), kSame, {kClearsDestination}, {"linux 6.1 addr.c rdma_translate_ip", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-6", kIdle, CallKind::kResolveAddr, kDeviceGone, Returns(Errno::kNoDev), kSame, {kMeetsInterface, kClearsDestination}, {"linux 6.1 cma.c cma_acquire_dev_by_src_ip", "6.1-rxe/69-device_removal_by_state:60"}},
  {"resolve-addr-7", kIdle, CallKind::kResolveAddr, kPortInUse, Returns(Errno::kAddrInUse), kSame, {kMeetsInterface, kSetsDestination, kClearsDestination}, {"linux 6.1 cma.c cma_check_port", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-8", kIdle, CallKind::kResolveAddr, kPortInUseByWildcard, Returns(Errno::kAddrNotAvail), kSame, {kMeetsInterface, kSetsDestination, kClearsDestination}, {"linux 6.1 cma.c cma_check_port", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-9", kIdle, CallKind::kResolveAddr, kFamiliesDiffer, Returns(Errno::kInval), kAddrBound, {kSetsDestination, kBindsSource, kClearsDestination}, {"linux 6.1 cma.c resolve_prepare_src", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-10", kAddrBound, CallKind::kResolveAddr, kFamiliesDiffer, Returns(Errno::kInval), kSame, {kSetsDestination, kClearsDestination}, {"linux 6.1 cma.c resolve_prepare_src", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-11", kIdle, CallKind::kResolveAddr, kNoRoute, Returns(Errno::kNetUnreach), kAddrBound, {kSetsDestination, kBindsSource}, {"linux 6.1 addr.c addr_resolve", "6.1-rxe/21-addr_no_route:4"}},
  {"resolve-addr-12", kAddrBound, CallKind::kResolveAddr, kNoRoute, Returns(Errno::kNetUnreach), kSame, {kSetsDestination}, {"linux 6.1 addr.c addr_resolve", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-17", kIdle, CallKind::kResolveAddr, kFromLoopback, Returns(Errno::kInval), kAddrBound, {kSetsDestination, kBindsSource}, {"linux 6.1 route.c ip_route_output_key_hash_rcu", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-18", kAddrBound, CallKind::kResolveAddr, kFromLoopback, Returns(Errno::kInval), kSame, {kSetsDestination}, {"linux 6.1 route.c ip_route_output_key_hash_rcu", "lab 6.1-rxe, seed 1"}},
  {"resolve-addr-15", kIdle, CallKind::kResolveAddr, kNoDeviceAtAll, Returns(Errno::kNoDev), kAddrBound, {kSetsDestination, kBindsSource}, {"linux 6.1 cma.c cma_bind_loopback", ""}},
  {"resolve-addr-16", kAddrBound, CallKind::kResolveAddr, kNoDeviceAtAll, Returns(Errno::kNoDev), kSame, {kSetsDestination}, {"linux 6.1 cma.c cma_bind_loopback", ""}},
  {"resolve-addr-13", kIdle, CallKind::kResolveAddr, kFine, Returns(), kAddrQuery, {kSetsDestination, kBindsSource, kStartsAddress}, {"man rdma_resolve_addr(3)", "6.1-rxe/01-connect_disconnect_by_active:7"}},
  // The source argument of an id that is bound is ignored, whatever it says.
  {"resolve-addr-14", kAddrBound, CallKind::kResolveAddr, kBindTrouble | kFine, Returns(), kAddrQuery, {kSetsDestination, kStartsAddress}, {"man rdma_resolve_addr(3)", "6.1-rxe/21-addr_no_route:6"}},
  {"resolve-addr-19", kIdle, CallKind::kResolveAddr, kOtherLink, Returns(Errno::kInval), kSame, {kMeetsInterface, kClearsDestination}, {"linux 6.1 cma.c cma_acquire_dev_by_src_ip", "lab 6.1-rxe datagrams, seed 1"}},
  {"iw-resolve-addr-1", kIdle, CallKind::kResolveAddr, kNoKeys, Returns(Errno::kInval), kAddrBound, {kSetsDestination, kBindsSource}, {"linux 6.1 cma.c cma_bind_loopback, cache.c ib_get_cached_pkey", "6.1-siw/25-resolve_to_own_address:8"}},
  {"iw-resolve-addr-2", kAddrBound, CallKind::kResolveAddr, kNoKeys, Returns(Errno::kInval), kSame, {kSetsDestination}, {"linux 6.1 cma.c cma_bind_loopback, cache.c ib_get_cached_pkey", ""}},

  {"resolve-route-1", kAnyState, CallKind::kResolveRoute, kDeviceUnknown, kCrashes, kSame, {}, {"rdma-core 44 cma.c rdma_resolve_route", "6.1-rxe/23-resolve_misuse:4"}},
  {"resolve-route-2", kAnyState, CallKind::kResolveRoute, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "6.1-rxe/69-device_removal_by_state:55"}},
  {"resolve-route-3", kAnyState, CallKind::kResolveRoute, kTimeoutZero, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_resolve_route", "lab 6.1-rxe, seed 1"}, Need::kTimedRoutes},
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

  {"sidr-qp-1", kAnyState, CallKind::kCreateQp, kTypeDiffers, Returns(Errno::kInval), kSame, {}, {"linux 6.1 verbs.c ib_modify_qp_is_ok: INIT of another type has other attributes", "6.1-rxe/49-qp_misuse:16"}},
  {"sidr-qp-2", kAnyState, CallKind::kCreateQp, kDatagram, Returns(), kSame, {kDatagramQpCreated}, {"rdma-core 44 cma.c ucma_init_ud_qp", "6.1-rxe/49-qp_misuse:11"}},
  {"iw-qp-type-1", kAnyState, CallKind::kCreateQp, kTypeUnsupported, Returns(Errno::kNotSup), kSame, {}, {"linux 6.1 siw_verbs.c siw_create_qp", "6.1-siw/49-qp_misuse:11"}},

  {"destroy-qp-1", kAnyState, CallKind::kDestroyQp, kQpAbsent, kCrashes, kSame, {}, {"rdma-core 44 cma.c rdma_destroy_qp", ""}},
  {"destroy-qp-3", kAnyState, CallKind::kDestroyQp, kCqEventsUnacked, kBlocks, kSame, {kQpDestroyed}, {"rdma-core 44 cma.c ucma_destroy_cqs, man ibv_ack_cq_events(3)", ""}},
  {"destroy-qp-2", kAnyState, CallKind::kDestroyQp, kFine, Returns(), kSame, {kQpDestroyed}, {"man rdma_destroy_qp(3)", "6.1-rxe/15-connecting_id_destroyed_after_accept:17"}},

  {"connect-1", kAnyState, CallKind::kConnect, kNoQpNoParam, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c ucma_valid_param", "lab 6.1-rxe, seed 1"}},
  {"connect-2", kAnyState, CallKind::kConnect, kDeviceUnknown, kCrashes, kSame, {}, {"rdma-core 44 cma.c ucma_valid_param", "6.1-rxe/23-resolve_misuse:5"}},
  {"connect-3", kAnyState, CallKind::kConnect, kDepthTooLarge, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c ucma_valid_param", "6.1-rxe/43-conn_param_limits:12"}},
  {"connect-4", kAnyState, CallKind::kConnect, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "6.1-rxe/69-device_removal_by_state:56"}},
  {"connect-5", kAnyState.Except(kRouteResolved), CallKind::kConnect, Guards(kDataTooLong) | kCannotSend | kPathForeign | kTcpTrouble | kDatagram | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_connect_locked", "6.1-rxe/11-reject_by_consumer:19"}},
  {"connect-6", kRouteResolved, CallKind::kConnect, kDataTooLong, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c cma_connect_ib", "6.1-rxe/41-private_data_lengths:12"}},
  {"connect-8", kRouteResolved, CallKind::kConnect, kCannotSend, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c cma_connect_ib, sa_query.c roce_resolve_route_from_path", "6.1-rxe/77-bond_failover_addr_change:38"}},
  {"connect-9", kRouteResolved, CallKind::kConnect, kPathForeign, Returns(Errno::kNoEnt), kSame, {}, {"linux 6.1 cm.c cm_init_av_by_path, cache.c ib_find_cached_pkey", ""}},
  {"connect-7", kRouteResolved, CallKind::kConnect, kFine, Returns(), kConnect, {kSendsReq}, {"man rdma_connect(3)", "6.1-rxe/01-connect_disconnect_by_active:12"}},
  {"sidr-connect-1", kRouteResolved, CallKind::kConnect, kDatagram, Returns(), kConnect, {kSendsSidrReq}, {"linux 6.1 cma.c cma_resolve_ib_udp", "6.1-rxe/79-datagram_refusals:9"}},
  {"tcp-connect-1", kRouteResolved, CallKind::kConnect, kQpUnknown, Returns(Errno::kInval), kSame, {}, {"linux 6.1 iwcm.c iw_cm_connect", "6.1-siw/79-datagram_refusals:9"}},
  {"tcp-connect-2", kRouteResolved, CallKind::kConnect, kConnectionRefused, Returns(Errno::kConnRefused), kSame, {}, {"linux 6.1 siw_cm.c siw_connect, kernel_bindconnect", "6.1-siw/55-synchronous_id:32"}},
  {"tcp-connect-3", kRouteResolved, CallKind::kConnect, kPeerUnreachable, Returns(Errno::kTimedOut), kSame, {}, {"linux 6.1 siw_cm.c siw_connect, kernel_bindconnect: after 131 s", "6.1-siw/73-link_down_when_resolving:24"}},
  {"tcp-connect-4", kRouteResolved, CallKind::kConnect, kPeerUnreachable, Returns(Errno::kHostUnreach), kSame, {}, {"linux 6.1 siw_cm.c siw_connect, kernel_bindconnect: after 3 s, the neighbour being unknown", "6.1-siw/77-bond_failover_addr_change:38"}},

  {"accept-1", kAnyState, CallKind::kAccept, kNoQpNoParam, kCrashes, kSame, {}, {"rdma-core 44 cma.c rdma_accept", ""}},
  {"accept-2", kAnyState, CallKind::kAccept, kDeviceUnknown, kCrashes, kSame, {}, {"rdma-core 44 cma.c ucma_valid_param", ""}},
  {"accept-3", kAnyState, CallKind::kAccept, kDepthTooLarge, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c ucma_valid_param", "6.1-rxe/43-conn_param_limits:17"}},
  {"accept-4", kAnyState, CallKind::kAccept, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "6.1-rxe/71-device_removal_of_passive_side:35"}},
  {"accept-5", kAnyState, CallKind::kAccept, kQpCannotComeUp, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c ucma_modify_qp_rtr", "lab 6.1-rxe depth, seed 1"}},
  {"accept-6", kAnyState.Except(kConnect), CallKind::kAccept, Guards(kDataTooLong) | kRepRefused | kQpUnknown | kConnectionLost | kCannotSend | kDatagram | kFine, Returns(Errno::kInval), kSame, {kQpError}, {"linux 6.1 cma.c rdma_accept", "lab 6.1-rxe datagrams, seed 1"}},
  {"accept-7", kConnect, CallKind::kAccept, kDataTooLong, Returns(Errno::kInval), kSame, {kQpError, kRejects}, {"linux 6.1 cm.c ib_send_cm_rep, cma.c rdma_accept", "6.1-rxe/81-datagram_private_data_lengths:27"}},
  {"accept-8", kConnect, CallKind::kAccept, kRepRefused, Returns(Errno::kInval), kSame, {kQpError, kRejects}, {"linux 6.1 cm.c ib_send_cm_rep, cma.c rdma_accept", "6.1-rxe/11-reject_by_consumer:18"}},
  {"accept-9", kConnect, CallKind::kAccept, kFine, Returns(), kSame, {kQpUp, kSendsRep}, {"man rdma_accept(3)", "6.1-rxe/01-connect_disconnect_by_active:15"}},
  {"accept-10", kAnyState, CallKind::kAccept, kQpSourceLost, Returns(Errno::kNoData), kSame, {}, {"linux 6.1 cma.c rdma_init_qp_attr", ""}},
  {"accept-11", kAnyState, CallKind::kAccept, kQpWithoutRoute, Returns(Errno::kNetUnreach), kSame, {}, {"linux 6.1 verbs.c ib_resolve_eth_dmac", "lab 6.1-rxe, seed 1"}},
  {"accept-13", kAnyState, CallKind::kAccept, kQpLacksDepth, Returns(Errno::kInval), kSame, {kQpHalfUp}, {"linux 6.1 rxe_qp.c rxe_qp_chk_attr", "lab 6.1-rxe depth, seed 1"}},
  {"accept-12", kConnect, CallKind::kAccept, kCannotSend, Returns(Errno::kInval), kSame, {kGivesUp}, {"linux 6.1 cm.c ib_send_cm_rep, cma.c rdma_accept", ""}},
  {"sidr-accept-1", kConnect, CallKind::kAccept, kDatagram, Returns(), kSame, {kAnswersSidr}, {"linux 6.1 cma.c rdma_accept, cma_send_sidr_rep", "6.1-rxe/81-datagram_private_data_lengths:16"}},
  {"iw-accept-unknown-1", kConnect, CallKind::kAccept, kQpUnknown, Returns(Errno::kInval), kSame, {kQpError, kRejects}, {"linux 6.1 iwcm.c iw_cm_accept, cma.c rdma_accept", ""}},
  {"iw-accept-lost-1", kConnect, CallKind::kAccept, kConnectionLost, Returns(Errno::kConnReset), kSame, {kQpError, kRejects}, {"linux 6.1 siw_cm.c siw_accept", "6.1-siw/65-slow_consumer_answer:16"}},

  {"reject-1", kAnyState, CallKind::kReject, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "6.1-rxe/71-device_removal_of_passive_side:36"}},
  {"reject-2", kUnconnected | kListen, CallKind::kReject, Guards(kDataTooLong) | kRejRefused | kConnectionLost | kCannotSend | kDatagram | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_reject", "6.1-rxe/35-reject_misuse:7"}},
  {"reject-3", kWithIbCm, CallKind::kReject, kDataTooLong, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c ib_send_cm_rej", "6.1-rxe/41-private_data_lengths:30"}},
  {"reject-4", kWithIbCm, CallKind::kReject, kRejRefused, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c cm_send_rej_locked", "6.1-rxe/11-reject_by_consumer:17"}},
  {"reject-5", kWithIbCm, CallKind::kReject, kFine, Returns(), kSame, {kSendsRej}, {"man rdma_reject(3)", "6.1-rxe/09-reply_rejected_by_connecting_side:17"}},
  {"reject-6", kWithIbCm, CallKind::kReject, kCannotSend, Returns(Errno::kInval), kSame, {kGivesUp}, {"linux 6.1 cm.c cm_send_rej_locked", "lab 6.1-rxe, seed 1"}},
  {"sidr-reject-1", kWithIbCm, CallKind::kReject, kDatagram, Returns(), kSame, {kRefusesSidr}, {"linux 6.1 cma.c rdma_reject, cma_send_sidr_rep", "6.1-rxe/79-datagram_refusals:22"}},
  {"iw-reject-lost-1", kWithIbCm, CallKind::kReject, kConnectionLost, Returns(Errno::kConnReset), kSame, {kRejects}, {"linux 6.1 siw_cm.c siw_reject", ""}},

  {"establish-1", kAnyState, CallKind::kEstablish, kQpPresent, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_establish", "lab 6.1-rxe datagrams, seed 1"}},
  {"establish-2", kAnyState, CallKind::kEstablish, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "lab 6.1-rxe, seed 1"}},
  {"establish-3", kAnyState.Except(kConnect), CallKind::kEstablish, Guards(kRtuRefused) | kCannotSend | kDatagram | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_accept", "lab 6.1-rxe datagrams, seed 1"}},
  {"establish-4", kConnect, CallKind::kEstablish, kRtuRefused, Returns(Errno::kInval), kSame, {kRejects}, {"linux 6.1 cm.c ib_send_cm_rtu, cma.c rdma_accept", "6.1-rxe/05-connect_without_qp_then_establish:20"}},
  {"establish-5", kConnect, CallKind::kEstablish, kFine, Returns(), kSame, {kSendsRtu}, {"man rdma_establish(3)", "6.1-rxe/05-connect_without_qp_then_establish:18"}},
  {"establish-6", kConnect, CallKind::kEstablish, kCannotSend, Returns(Errno::kInval), kSame, {kGivesUp}, {"linux 6.1 cm.c ib_send_cm_rtu, cma.c rdma_accept", ""}},
  {"sidr-establish-1", kConnect, CallKind::kEstablish, kDatagram, Returns(), kSame, {kAnswersSidr}, {"linux 6.1 cma.c rdma_accept: without parameters it answers with queue pair 0", "lab 6.1-rxe datagrams, seed 1"}},

  {"disconnect-1", kAnyState, CallKind::kDisconnect, kDeviceUnknown, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c ucma_shutdown", "lab 6.1-rxe datagrams, seed 1"}},
  {"disconnect-2", kAnyState, CallKind::kDisconnect, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {kQpError}, {"rdma-core 44 cma.c rdma_disconnect, linux 6.1 ucma.c ucma_get_ctx", "6.1-rxe/69-device_removal_by_state:57"}},
  {"disconnect-3", kUnconnected, CallKind::kDisconnect, kCannotSend | kDreqPossible | kDrepPossible | kFine, Returns(Errno::kInval), kSame, {kQpError}, {"linux 6.1 cma.c rdma_disconnect", "lab 6.1-rxe datagrams, seed 1"}},
  {"disconnect-4", kListen, CallKind::kDisconnect, kCannotSend | kDreqPossible | kDrepPossible | kFine, Returns(), kSame, {kQpError}, {"linux 6.1 cma.c rdma_disconnect", "lab 6.1-rxe data, seed 1"}},
  {"disconnect-5", kWithIbCm, CallKind::kDisconnect, kDreqPossible, Returns(), kSame, {kQpError, kSendsDreq}, {"man rdma_disconnect(3)", "6.1-rxe/01-connect_disconnect_by_active:20"}},
  {"disconnect-6", kWithIbCm, CallKind::kDisconnect, kDrepPossible, Returns(), kSame, {kQpError, kSendsDrep}, {"linux 6.1 cma.c rdma_disconnect", "6.1-rxe/01-connect_disconnect_by_active:22"}},
  {"disconnect-9", kWithIbCm, CallKind::kDisconnect, kCannotSend, Returns(), kSame, {kQpError, kEndsUnsaid}, {"linux 6.1 cm.c ib_send_cm_dreq", "lab 6.1-rxe, seed 1"}},
  {"disconnect-7", kWithIbCm, CallKind::kDisconnect, kFine, Returns(), kSame, {kQpError}, {"linux 6.1 cma.c rdma_disconnect", "6.1-rxe/09-reply_rejected_by_connecting_side:22"}},

  {"disconnect-8", kDeviceRemoval, CallKind::kDisconnect, kFine, Returns(Errno::kInval), kSame, {kQpError}, {"linux 6.1 cma.c rdma_disconnect: it was never connected", ""}},
  {"iw-disconnect-call-1", kUnconnected | kListen, CallKind::kDisconnect, Guards(kReplyAwaited) | kOverIwarp, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_disconnect, iwcm.c iw_cm_disconnect", ""}},
  {"iw-disconnect-call-2", kWithIbCm, CallKind::kDisconnect, kReplyAwaited, kBlocks, kSame, {kEndsLater}, {"linux 6.1 iwcm.c iw_cm_disconnect", ""}},
  {"iw-disconnect-call-3", kWithIbCm, CallKind::kDisconnect, kOverIwarp, Returns(), kSame, {kCloses}, {"man rdma_disconnect(3), linux 6.1 iwcm.c iw_cm_disconnect", "6.1-siw/01-connect_disconnect_by_active:20"}},
  {"iw-disconnect-call-4", kDeviceRemoval, CallKind::kDisconnect, kOverIwarp, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_disconnect: it was never connected", ""}},

  {"get-request-1", kAnyState, CallKind::kGetRequest, kAsynchronous, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_get_request", "lab 6.1-rxe, seed 1"}},
  {"get-request-2", kAnyState, CallKind::kGetRequest, kFine, Returns(), kSame, {}, {"rdma-core 44 cma.c rdma_get_request", "6.1-rxe/55-synchronous_id:11"}},

  {"destroy-id-1", kAnyState, CallKind::kDestroyId, kMessageOutstanding, kBlocks, kSame, {kDestroys}, {"linux 6.1 cm.c cm_destroy_id", "lab 6.1-rxe, seed 1"}},
  {"iw-destroy-id-1", kAnyState, CallKind::kDestroyId, kReplyAwaited, kBlocks, kSame, {kDestroys}, {"linux 6.1 iwcm.c destroy_cm_id", ""}},
  {"destroy-id-2", kAnyState, CallKind::kDestroyId, kEventsUnacked, kBlocks, kSame, {kDestroys}, {"man rdma_destroy_id(3)", "6.1-rxe/51-destroy_waits_for_unacked_event:9"}},
  {"destroy-id-3", kAnyState, CallKind::kDestroyId, kFine, Returns(), kSame, {kDestroys}, {"man rdma_destroy_id(3), linux 6.1 cm.c cm_destroy_id (D1)", "6.1-rxe/01-connect_disconnect_by_active:29"}},
  {"destroy-ep-1", kAnyState, CallKind::kDestroyEp, kMessageOutstanding, kBlocks, kSame, {kDestroys}, {"linux 6.1 cm.c cm_destroy_id", "lab 6.1-rxe, seed 1"}},
  {"iw-destroy-ep-1", kAnyState, CallKind::kDestroyEp, kReplyAwaited, kBlocks, kSame, {kDestroys}, {"linux 6.1 iwcm.c destroy_cm_id", ""}},
  {"destroy-ep-2", kAnyState, CallKind::kDestroyEp, kEventsUnacked, kBlocks, kSame, {kDestroys}, {"man rdma_destroy_ep(3), rdma-core 44 cma.c rdma_destroy_id", "lab 6.1-rxe, seed 1"}},
  {"destroy-ep-3", kAnyState, CallKind::kDestroyEp, kFine, Returns(), kSame, {kDestroys}, {"man rdma_destroy_ep(3)", "lab 6.1-rxe, seed 1"}},

  {"notify-1", kAnyState, CallKind::kNotify, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "lab 6.1-rxe, seed 1"}},
  {"notify-2", kUnconnected | kListen, CallKind::kNotify, Guards(kEstablishedAlready) | kCommEstPossible | kPathMigPossible | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 ucma.c ucma_notify, cma.c rdma_notify", "lab 6.1-rxe, seed 1"}},
  {"notify-3", kWithIbCm, CallKind::kNotify, kEstablishedAlready, Returns(Errno::kIsConn), kSame, {}, {"linux 6.1 cm.c cm_establish", "lab 6.1-rxe, seed 1"}},
  {"notify-4", kWithIbCm, CallKind::kNotify, kCommEstPossible, Returns(), kSame, {kEstablishes}, {"man rdma_notify(3)", "lab 6.1-rxe, seed 1"}},
  {"notify-5", kWithIbCm, CallKind::kNotify, kPathMigPossible, Returns(), kSame, {kMigratesPath}, {"linux 6.1 cm.c cm_migrate", ""}},
  {"notify-6", kWithIbCm, CallKind::kNotify, kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c ib_cm_notify", "lab 6.1-rxe, seed 1"}},
  {"iw-notify-1", kUnconnected, CallKind::kNotify, kOverIwarp, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_notify", ""}},
  {"iw-notify-2", kWithIbCm | kListen, CallKind::kNotify, kOverIwarp, Returns(), kSame, {}, {"linux 6.1 cma.c rdma_notify: no effect on a device that is no InfiniBand channel adapter", ""}},
  {"iw-notify-3", kDeviceRemoval, CallKind::kNotify, kOverIwarp, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_notify: it was never connected", ""}},

  {"init-qp-attr-1", kAnyState, CallKind::kInitQpAttr, kQpStateUnknown, Returns(Errno::kInval), kSame, {}, {"linux 6.1 ucma.c ucma_init_qp_attr", "lab 6.1-rxe, seed 1"}},
  {"init-qp-attr-2", kAnyState, CallKind::kInitQpAttr, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx_dev", "lab 6.1-rxe, seed 1"}},
  {"init-qp-attr-3", kAnyState, CallKind::kInitQpAttr, kWithoutDevice, Returns(Errno::kInval), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx_dev", "6.1-rxe/47-init_qp_attr_in_each_state:7"}},
  {"init-qp-attr-4", kListen, CallKind::kInitQpAttr, Guards(kAttrsRefused) | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c ib_cm_init_qp_attr", "6.1-rxe/47-init_qp_attr_in_each_state:34"}},
  // Without an identifier of the IB CM there are the attributes for INIT, whatever is asked for.
  {"init-qp-attr-5", kUnconnected, CallKind::kInitQpAttr, Guards(kAttrsRefused) | kFine, Returns(), kSame, {}, {"man rdma_init_qp_attr(3), linux 6.1 cma.c cma_ib_init_qp_attr", "6.1-rxe/47-init_qp_attr_in_each_state:11"}},
  {"init-qp-attr-6", kWithIbCm, CallKind::kInitQpAttr, kAttrsRefused, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c ib_cm_init_qp_attr", "6.1-rxe/47-init_qp_attr_in_each_state:20"}},
  {"init-qp-attr-7", kWithIbCm, CallKind::kInitQpAttr, kFine, Returns(), kSame, {}, {"man rdma_init_qp_attr(3)", "6.1-rxe/47-init_qp_attr_in_each_state:19"}},
  {"sidr-attr-1", kAnyState, CallKind::kInitQpAttr, kDatagram, Returns(), kSame, {}, {"linux 6.1 cma.c rdma_init_qp_attr: those of a datagram need no identifier of the IB CM", ""}},
  {"init-qp-attr-8", kDeviceRemoval, CallKind::kInitQpAttr, kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c ib_cm_init_qp_attr: it was listening", ""}},

  {"set-local-ece-1", kAnyState, CallKind::kSetLocalEce, kQpPresent, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_set_local_ece", "lab 6.1-rxe, seed 1"}},
  {"set-local-ece-2", kAnyState, CallKind::kSetLocalEce, kEceMalformed, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_set_local_ece", "lab 6.1-rxe, seed 1"}},
  {"set-local-ece-3", kAnyState, CallKind::kSetLocalEce, kFine, Returns(), kSame, {kSetsEce}, {"man rdma_set_local_ece(3)", "lab 6.1-rxe, seed 1"}},
  {"get-remote-ece-1", kAnyState, CallKind::kGetRemoteEce, kQpPresent, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_get_remote_ece", "lab 6.1-rxe, seed 1"}},
  {"get-remote-ece-2", kAnyState, CallKind::kGetRemoteEce, kFine, Returns(), kSame, {}, {"man rdma_get_remote_ece(3)", "lab 6.1-rxe, seed 1"}},

  {"reject-ece-1", kAnyState, CallKind::kRejectEce, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "lab 6.1-rxe, seed 1"}},
  {"reject-ece-2", kUnconnected | kListen, CallKind::kRejectEce, Guards(kDataTooLong) | kRejRefused | kConnectionLost | kCannotSend | kDatagram | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_reject", "lab 6.1-rxe datagrams, seed 1"}},
  {"reject-ece-3", kWithIbCm, CallKind::kRejectEce, kDataTooLong, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c ib_send_cm_rej", "lab 6.1-rxe datagrams, seed 1"}},
  {"reject-ece-4", kWithIbCm, CallKind::kRejectEce, kRejRefused, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c cm_send_rej_locked", "lab 6.1-rxe datagrams, seed 1"}},
  {"reject-ece-5", kWithIbCm, CallKind::kRejectEce, kFine, Returns(), kSame, {kSendsRej}, {"man rdma_reject(3), rdma-core 44 cma.c rdma_reject_ece", "lab 6.1-rxe, seed 1"}},
  {"reject-ece-6", kWithIbCm, CallKind::kRejectEce, kCannotSend, Returns(Errno::kInval), kSame, {kGivesUp}, {"linux 6.1 cm.c cm_send_rej_locked", "lab 6.1-rxe, seed 1"}},
  {"sidr-reject-ece-1", kWithIbCm, CallKind::kRejectEce, kDatagram, Returns(), kSame, {kRefusesSidr}, {"linux 6.1 cma.c rdma_reject, cma_send_sidr_rep", "lab 6.1-rxe datagrams, seed 1"}},
  {"iw-reject-ece-lost-1", kWithIbCm, CallKind::kRejectEce, kConnectionLost, Returns(Errno::kConnReset), kSame, {kRejects}, {"linux 6.1 siw_cm.c siw_reject", ""}},

  {"set-option-1", kAnyState, CallKind::kSetOption, kOptionTooLong, Returns(Errno::kInval), kSame, {}, {"linux 6.1 ucma.c ucma_set_option", "lab 6.1-rxe, seed 1"}},
  {"set-option-2", kAnyState, CallKind::kSetOption, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", ""}},
  {"set-option-3", kAnyState, CallKind::kSetOption, kOptionUnknown, Returns(Errno::kNoSys), kSame, {}, {"linux 6.1 ucma.c ucma_set_option_level", "lab 6.1-rxe, seed 1"}},
  {"set-option-4", kAnyState, CallKind::kSetOption, kOptionMalformed, Returns(Errno::kInval), kSame, {}, {"linux 6.1 ucma.c ucma_set_option_id, ucma_set_ib_path", "lab 6.1-rxe, seed 1"}},
  {"set-option-5", kAnyState, CallKind::kSetOption, kFine, Returns(), kSame, {}, {"linux 6.1 cma.c rdma_set_service_type: whatever the type of service", "lab 6.1-rxe, seed 1"}},
  {"set-option-6", kAnyState.Except(kListen), CallKind::kSetOption, kReuseWanted, Returns(), kSame, {kSharesPort}, {"linux 6.1 cma.c rdma_set_reuseaddr", "lab 6.1-rxe, seed 1"}},
  {"set-option-7", kListen, CallKind::kSetOption, kReuseWanted, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_set_reuseaddr", "lab 6.1-rxe, seed 1"}},
  {"set-option-8", kIdle, CallKind::kSetOption, kReuseUnwanted, Returns(), kSame, {kSharesPortNoMore}, {"linux 6.1 cma.c rdma_set_reuseaddr", "lab 6.1-rxe, seed 1"}},
  {"set-option-9", kAnyState.Except(kIdle), CallKind::kSetOption, kReuseUnwanted, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_set_reuseaddr", "lab 6.1-rxe, seed 1"}},
  {"set-option-10", States(kIdle) | kAddrBound, CallKind::kSetOption, kFamilyOnlyWanted, Returns(), kSame, {kLimitsFamily}, {"linux 6.1 cma.c rdma_set_afonly", "lab 6.1-rxe, seed 1"}},
  {"set-option-11", kAnyState.Except(States(kIdle) | kAddrBound), CallKind::kSetOption, kFamilyOnlyWanted, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_set_afonly", "lab 6.1-rxe, seed 1"}},
  {"set-option-12", kAnyState, CallKind::kSetOption, kTimeoutWanted, Returns(), kSame, {kSetsTimeout}, {"linux 6.1 cma.c rdma_set_ack_timeout", "lab 6.1-rxe, seed 1"}},
  {"set-option-13", kAnyState, CallKind::kSetOption, kDatagram, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_set_ack_timeout", ""}},
  {"set-option-14", kAnyState, CallKind::kSetOption, kWithoutDevice, Returns(Errno::kInval), kSame, {}, {"linux 6.1 ucma.c ucma_set_ib_path", ""}},
  {"set-option-15", kAddrResolved, CallKind::kSetOption, kPathWanted, Returns(), kRouteResolved, {kSetsPath}, {"linux 6.1 ucma.c ucma_set_ib_path, cma.c rdma_set_ib_path", "lab 6.1-rxe, seed 1"}},
  {"set-option-16", kAnyState.Except(kAddrResolved), CallKind::kSetOption, Guards(kNoInterface) | kPathWanted, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_set_ib_path", "lab 6.1-rxe, seed 1"}},
  {"set-option-17", kAddrResolved, CallKind::kSetOption, kNoInterface, Returns(Errno::kNoDev), kSame, {}, {"linux 6.1 cma.c rdma_set_ib_path, cma_iboe_set_path_rec_l2_fields", "lab 6.1-rxe, seed 1"}},

  {"migrate-id-1", kAnyState, CallKind::kMigrateId, kSynchronousAlready, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_migrate_id", "lab 6.1-rxe, seed 1"}},
  {"migrate-id-2", kAnyState, CallKind::kMigrateId, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "lab 6.1-rxe, seed 1"}},
  {"migrate-id-3", kAnyState, CallKind::kMigrateId, kEventsUnacked, kBlocks, kSame, {kMovesEvents}, {"rdma-core 44 cma.c rdma_migrate_id", "lab 6.1-rxe, seed 1"}},
  {"migrate-id-4", kAnyState, CallKind::kMigrateId, kFine, Returns(), kSame, {kMovesEvents}, {"man rdma_migrate_id(3)", "lab 6.1-rxe, seed 1"}},

  {"get-src-port-1", kAnyState, CallKind::kGetSrcPort, kFine, Returns(), kSame, {}, {"man rdma_get_src_port(3)", "lab 6.1-rxe, seed 1"}},
  {"get-dst-port-1", kAnyState, CallKind::kGetDstPort, kFine, Returns(), kSame, {}, {"man rdma_get_dst_port(3)", "lab 6.1-rxe, seed 1"}},
  {"event-str-1", kIdle, CallKind::kEventStr, kFine, Returns(), kSame, {}, {"man rdma_event_str(3)", "lab 6.1-rxe, seed 1"}},

  {"join-multicast-1", kAnyState, CallKind::kJoinMulticast, kFamilyUnsupported, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_join_multicast", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-2", kAnyState, CallKind::kJoinMulticast, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx_dev", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-3", kAnyState, CallKind::kJoinMulticast, kWithoutDevice, Returns(Errno::kInval), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx_dev", "6.1-rxe/83-multicast_on_wrong_ids:23"}},
  {"join-multicast-4", kAnyState.Except(kMayJoin), CallKind::kJoinMulticast, kJoinTrouble | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_join_multicast", "6.1-rxe/83-multicast_on_wrong_ids:28"}},
  {"join-multicast-5", kMayJoin, CallKind::kJoinMulticast, kNotDatagram, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_join_multicast", "6.1-rxe/83-multicast_on_wrong_ids:5"}},
  {"join-multicast-6", kMayJoin, CallKind::kJoinMulticast, kAddressZero, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c cma_iboe_join_multicast", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-7", kMayJoin, CallKind::kJoinMulticast, kNoInterface, Returns(Errno::kNoDev), kSame, {}, {"linux 6.1 cma.c cma_iboe_join_multicast", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-8", kMayJoin, CallKind::kJoinMulticast, kGroupV6, Returns(Errno::kNotSupp), kSame, {}, {"linux 6.1 cma.c cma_iboe_join_multicast", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-9", kMayJoin, CallKind::kJoinMulticast, kGidGone, Returns(), kSame, {kJoinsInVain}, {"linux 6.1 cma.c cma_make_mc_event", ""}},
  {"join-multicast-10", kMayJoin, CallKind::kJoinMulticast, kFine, Returns(), kSame, {kJoinsGroup}, {"man rdma_join_multicast(3)", "6.1-rxe/83-multicast_on_wrong_ids:10"}},
  {"iw-join-multicast-1", kMayJoin, CallKind::kJoinMulticast, kOverIwarp, Returns(Errno::kNoSys), kSame, {}, {"linux 6.1 cma.c rdma_join_multicast", "6.1-siw/83-multicast_on_wrong_ids:10"}},
  {"ib-join-multicast-1", kMayJoin, CallKind::kJoinMulticast, kNoBroadcast, Returns(Errno::kAddrNotAvail), kSame, {}, {"linux 6.1 cma.c cma_join_ib_multicast, multicast.c ib_sa_get_mcmember_rec", ""}},

  {"join-multicast-ex-1", kAnyState, CallKind::kJoinMulticastEx, kMaskUnknown, Returns(Errno::kNotSup), kSame, {}, {"rdma-core 44 cma.c rdma_join_multicast_ex", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-ex-2", kAnyState, CallKind::kJoinMulticastEx, kMaskIncomplete, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_join_multicast_ex", "6.1-rxe/83-multicast_on_wrong_ids:19"}},
  {"join-multicast-ex-3", kAnyState, CallKind::kJoinMulticastEx, kFamilyUnsupported, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_join_multicast_ex", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-ex-4", kAnyState, CallKind::kJoinMulticastEx, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx_dev", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-ex-5", kAnyState, CallKind::kJoinMulticastEx, kWithoutDevice, Returns(Errno::kInval), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx_dev", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-ex-6", kAnyState.Except(kMayJoin), CallKind::kJoinMulticastEx, kJoinTrouble | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_join_multicast", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-ex-7", kMayJoin, CallKind::kJoinMulticastEx, kNotDatagram, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c rdma_join_multicast", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-ex-8", kMayJoin, CallKind::kJoinMulticastEx, kAddressZero, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cma.c cma_iboe_join_multicast", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-ex-9", kMayJoin, CallKind::kJoinMulticastEx, kNoInterface, Returns(Errno::kNoDev), kSame, {}, {"linux 6.1 cma.c cma_iboe_join_multicast", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-ex-10", kMayJoin, CallKind::kJoinMulticastEx, kGroupV6, Returns(Errno::kNotSupp), kSame, {}, {"linux 6.1 cma.c cma_iboe_join_multicast", "lab 6.1-rxe, seed 1"}},
  {"join-multicast-ex-11", kMayJoin, CallKind::kJoinMulticastEx, kGidGone, Returns(), kSame, {kJoinsInVain}, {"linux 6.1 cma.c cma_make_mc_event", ""}},
  {"join-multicast-ex-12", kMayJoin, CallKind::kJoinMulticastEx, kFine, Returns(), kSame, {kJoinsGroup}, {"man rdma_join_multicast_ex(3)", "6.1-rxe/83-multicast_on_wrong_ids:15"}},
  {"iw-join-multicast-ex-1", kMayJoin, CallKind::kJoinMulticastEx, kOverIwarp, Returns(Errno::kNoSys), kSame, {}, {"linux 6.1 cma.c rdma_join_multicast", "6.1-siw/83-multicast_on_wrong_ids:15"}},
  {"ib-join-multicast-ex-1", kMayJoin, CallKind::kJoinMulticastEx, kNoBroadcast, Returns(Errno::kAddrNotAvail), kSame, {}, {"linux 6.1 cma.c cma_join_ib_multicast, multicast.c ib_sa_get_mcmember_rec", ""}},

  {"leave-multicast-1", kAnyState, CallKind::kLeaveMulticast, kFamilyUnsupported, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_leave_multicast", "lab 6.1-rxe, seed 1"}},
  {"leave-multicast-2", kAnyState, CallKind::kLeaveMulticast, kNotJoined, Returns(Errno::kAddrNotAvail), kSame, {}, {"rdma-core 44 cma.c rdma_leave_multicast", "lab 6.1-rxe, seed 1"}},
  {"leave-multicast-3", kAnyState, CallKind::kLeaveMulticast, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {kForgetsGroup}, {"linux 6.1 ucma.c ucma_leave_multicast", "lab 6.1-rxe, seed 1"}},
  {"leave-multicast-4", kAnyState, CallKind::kLeaveMulticast, kGroupUnacked, kBlocks, kSame, {kLeavesGroup}, {"rdma-core 44 cma.c rdma_leave_multicast", "lab 6.1-rxe, seed 1"}},
  {"leave-multicast-5", kAnyState, CallKind::kLeaveMulticast, kFine, Returns(), kSame, {kLeavesGroup}, {"man rdma_leave_multicast(3)", "lab 6.1-rxe, seed 1"}},
  {"getaddrinfo-1", kIdle, CallKind::kGetAddrInfo, kNothingAsked, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 addrinfo.c rdma_getaddrinfo", ""}},
  {"getaddrinfo-2", kIdle, CallKind::kGetAddrInfo, kHintsAlone, Returns(), kSame, {}, {"rdma-core 44 addrinfo.c rdma_getaddrinfo", "lab 6.1-rxe, seed 1"}},
  {"getaddrinfo-3", kIdle, CallKind::kGetAddrInfo, kFamilyForeign, ReturnsCode(kFamilyUnknownCode), kSame, {}, {"man getaddrinfo(3), rdma-core 44 addrinfo.c ucma_getaddrinfo", "lab 6.1-rxe, seed 1"}},
  {"getaddrinfo-4", kIdle, CallKind::kGetAddrInfo, kTypeAgainstSpace, ReturnsCode(kTypeUnknownCode), kSame, {}, {"man getaddrinfo(3), rdma-core 44 addrinfo.c ucma_convert_to_ai", "lab 6.1-rxe, seed 1"}},
  {"getaddrinfo-5", kIdle, CallKind::kGetAddrInfo, kNodeOfOtherFamily, ReturnsCode(kAddressFamilyCode), kSame, {}, {"man getaddrinfo(3), rdma-core 44 addrinfo.c ucma_getaddrinfo", "lab 6.1-rxe, seed 1"}},
  {"getaddrinfo-6", kIdle, CallKind::kGetAddrInfo, kFine, Returns(), kSame, {}, {"man rdma_getaddrinfo(3)", "lab 6.1-rxe, seed 1"}},
  {"freeaddrinfo-1", kIdle, CallKind::kFreeAddrInfo, kFine, Returns(), kSame, {}, {"man rdma_getaddrinfo(3)", "lab 6.1-rxe, seed 1"}},
  {"get-devices-1", kIdle, CallKind::kGetDevices, kNoDeviceAtAll, Returns(Errno::kNoDev), kSame, {}, {"rdma-core 44 cma.c sync_devices_list", "lab 6.1-rxe, seed 1"}},
  {"get-devices-2", kIdle, CallKind::kGetDevices, kFine, Returns(), kSame, {}, {"man rdma_get_devices(3)", "lab 6.1-rxe, seed 1"}},
  {"free-devices-1", kIdle, CallKind::kFreeDevices, kFine, Returns(), kSame, {}, {"man rdma_free_devices(3)", "lab 6.1-rxe, seed 1"}},

  // Of the library's map 1.4. What stops the look-up or its event comes back as an odd errno.
  {"resolve-addrinfo-1", kAnyState, CallKind::kResolveAddrInfo, kInfoUnderWay, Returns(Errno::kBusy), kSame, {}, {"rdma-core 65 cma.c rdma_resolve_addrinfo", ""}},
  {"resolve-addrinfo-2", kAnyState, CallKind::kResolveAddrInfo, kTwoWaysAsked, Returns(Errno::kNotSup), kSame, {}, {"rdma-core 65 cma.c __rdma_resolve_addrinfo", ""}},
  {"resolve-addrinfo-3", kAnyState, CallKind::kResolveAddrInfo, kServiceRecords, ReturnsOdd(-1), kSame, {}, {"rdma-core 65 cma.c resolve_ai_sa, linux 7.2 cma.c rdma_resolve_ib_service", ""}},
  {"resolve-addrinfo-4", kAnyState, CallKind::kResolveAddrInfo, kNothingAsked, ReturnsOdd(-1), kSame, {}, {"rdma-core 65 cma.c resolve_ai_dns, addrinfo.c rdma_getaddrinfo", ""}},
  {"resolve-addrinfo-5", kAnyState, CallKind::kResolveAddrInfo, kFamilyForeign, ReturnsOdd(kFamilyUnknownCode), kSame, {}, {"rdma-core 65 cma.c rdma_resolve_addrinfo, man getaddrinfo(3)", ""}},
  {"resolve-addrinfo-6", kAnyState, CallKind::kResolveAddrInfo, kTypeAgainstSpace, ReturnsOdd(kTypeUnknownCode), kSame, {}, {"rdma-core 65 cma.c rdma_resolve_addrinfo, man getaddrinfo(3)", ""}},
  {"resolve-addrinfo-7", kAnyState, CallKind::kResolveAddrInfo, kNodeOfOtherFamily, ReturnsOdd(kAddressFamilyCode), kSame, {}, {"rdma-core 65 cma.c rdma_resolve_addrinfo, man getaddrinfo(3)", ""}},
  {"resolve-addrinfo-8", kAnyState, CallKind::kResolveAddrInfo, kNotServed, ReturnsOdd(-1), kSame, {}, {"rdma-core 65 cma.c resolve_ai_dns, linux 6.1 ucma.c ucma_write", ""}, Need::kNoLaterCalls},
  {"resolve-addrinfo-9", kAnyState, CallKind::kResolveAddrInfo, Guards(kDeviceRemoved) | kNotAccepted, ReturnsOdd(-1), kSame, {}, {"rdma-core 65 cma.c resolve_ai_dns, linux 7.2 ucma.c ucma_write_cm_event", ""}},
  {"resolve-addrinfo-10", kAnyState, CallKind::kResolveAddrInfo, kFine, Returns(), kSame, {kLooksUp}, {"rdma-core 65 cma.c resolve_ai_dns, linux 7.2 ucma.c ucma_write_cm_event", ""}},
  // The event need not have been fetched.
  {"query-addrinfo-1", kAnyState, CallKind::kQueryAddrInfo, kNoInfo, Returns(Errno::kNoEnt), kSame, {}, {"rdma-core 65 cma.c rdma_query_addrinfo", ""}},
  {"query-addrinfo-2", kAnyState, CallKind::kQueryAddrInfo, kFine, Returns(), kSame, {kHandsInfo}, {"rdma-core 65 cma.c rdma_query_addrinfo", ""}},
  {"write-cm-event-1", kAnyState, CallKind::kWriteCmEvent, kNotUserEvent, Returns(Errno::kInval), kSame, {}, {"rdma-core 65 cma.c rdma_write_cm_event", ""}},
  {"write-cm-event-2", kAnyState, CallKind::kWriteCmEvent, kNotServed, Returns(Errno::kInval), kSame, {}, {"linux 6.1 ucma.c ucma_write", ""}, Need::kNoLaterCalls},
  {"write-cm-event-3", kAnyState, CallKind::kWriteCmEvent, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 7.2 ucma.c ucma_write_cm_event, ucma_get_ctx", ""}},
  {"write-cm-event-4", kAnyState, CallKind::kWriteCmEvent, kNotAccepted, Returns(Errno::kInval), kSame, {}, {"linux 7.2 ucma.c ucma_write_cm_event", ""}},
  {"write-cm-event-5", kAnyState, CallKind::kWriteCmEvent, kFine, Returns(), kSame, {kWritesEvent}, {"rdma-core 65 cma.c rdma_write_cm_event, linux 7.2 ucma.c ucma_write_cm_event", ""}},
  {"create-qp-ex-1", kAnyState, CallKind::kCreateQpEx, kQpPresent, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_create_qp_ex", "lab 6.1-rxe datagrams, seed 1"}},
  {"create-qp-ex-2", kAnyState, CallKind::kCreateQpEx, kDeviceUnknown, kCrashes, kSame, {}, {"rdma-core 44 cma.c ucma_create_cqs", ""}},
  {"create-qp-ex-3", kAnyState, CallKind::kCreateQpEx, kDeviceRemoved, Returns(Errno::kNxIo), kSame, {}, {"linux 6.1 ucma.c ucma_get_ctx", "lab 6.1-rxe, seed 1"}},
  {"create-qp-ex-4", kListen, CallKind::kCreateQpEx, Guards(kInitRefused) | kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c ib_cm_init_qp_attr", "lab 6.1-rxe, seed 1"}},
  {"create-qp-ex-5", kWithIbCm, CallKind::kCreateQpEx, kInitRefused, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c ib_cm_init_qp_attr", "lab 6.1-rxe, seed 1"}},
  {"create-qp-ex-6", kUnconnected, CallKind::kCreateQpEx, Guards(kInitRefused) | kFine, Returns(), kSame, {kQpCreated}, {"man rdma_create_qp(3)", "lab 6.1-rxe data, seed 1"}},
  {"create-qp-ex-7", kWithIbCm, CallKind::kCreateQpEx, kFine, Returns(), kSame, {kQpCreated}, {"man rdma_create_qp(3)", "lab 6.1-rxe data, seed 1"}},
  {"create-qp-ex-8", kDeviceRemoval, CallKind::kCreateQpEx, kFine, Returns(Errno::kInval), kSame, {}, {"linux 6.1 cm.c ib_cm_init_qp_attr: it was listening", ""}},
  {"create-qp-ex-9", kAnyState, CallKind::kCreateQpEx, kTypeDiffers, Returns(Errno::kInval), kSame, {}, {"linux 6.1 verbs.c ib_modify_qp_is_ok: INIT of another type has other attributes", "lab 6.1-rxe datagrams, seed 1"}},
  {"create-qp-ex-10", kAnyState, CallKind::kCreateQpEx, kDatagram, Returns(), kSame, {kDatagramQpCreated}, {"rdma-core 44 cma.c ucma_init_ud_qp", "lab 6.1-rxe data, seed 1"}},
  {"create-qp-ex-11", kAnyState, CallKind::kCreateQpEx, kTypeUnsupported, Returns(Errno::kNotSup), kSame, {}, {"linux 6.1 siw_verbs.c siw_create_qp", ""}},

  {"create-srq-1", kAnyState, CallKind::kCreateSrq, kDeviceUnknown, kCrashes, kSame, {}, {"rdma-core 44 cma.c rdma_create_srq_ex", ""}},
  {"create-srq-2", kAnyState, CallKind::kCreateSrq, kFine, Returns(), kSame, {}, {"man rdma_create_srq(3)", "lab 6.1-rxe data, seed 1"}},
  {"create-srq-ex-1", kAnyState, CallKind::kCreateSrqEx, kSrqUntyped, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 cma.c rdma_create_srq_ex", "lab 6.1-rxe data, seed 1"}},
  {"create-srq-ex-2", kAnyState, CallKind::kCreateSrqEx, kDeviceUnknown, kCrashes, kSame, {}, {"rdma-core 44 cma.c rdma_create_srq_ex", ""}},
  {"create-srq-ex-3", kAnyState, CallKind::kCreateSrqEx, kFine, Returns(), kSame, {}, {"rdma-core 44 cma.c rdma_create_srq_ex", "lab 6.1-rxe data, seed 1"}},
  {"destroy-srq-1", kAnyState, CallKind::kDestroySrq, kSrqAbsent, kCrashes, kSame, {}, {"rdma-core 44 cma.c rdma_destroy_srq", ""}},
  {"destroy-srq-2", kAnyState, CallKind::kDestroySrq, kFine, Returns(), kSame, {}, {"man rdma_destroy_srq(3)", "lab 6.1-rxe data, seed 1"}},
  {"reg-msgs-1", kAnyState, CallKind::kRegMsgs, kDeviceUnknown, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_reg_msgs: there is no protection domain", ""}},
  {"reg-msgs-2", kAnyState, CallKind::kRegMsgs, kFine, Returns(), kSame, {}, {"man rdma_reg_msgs(3)", "lab 6.1-rxe data, seed 1"}},
  {"reg-read-1", kAnyState, CallKind::kRegRead, kDeviceUnknown, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_reg_read: there is no protection domain", ""}},
  {"reg-read-2", kAnyState, CallKind::kRegRead, kFine, Returns(), kSame, {}, {"man rdma_reg_read(3)", "lab 6.1-rxe data, seed 1"}},
  {"reg-write-1", kAnyState, CallKind::kRegWrite, kDeviceUnknown, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_reg_write: there is no protection domain", ""}},
  {"reg-write-2", kAnyState, CallKind::kRegWrite, kFine, Returns(), kSame, {}, {"man rdma_reg_write(3)", "lab 6.1-rxe data, seed 1"}},
  {"dereg-mr-1", kIdle, CallKind::kDeregMr, kFine, Returns(), kSame, {}, {"man rdma_dereg_mr(3)", "lab 6.1-rxe data, seed 1"}},

  {"post-recv-1", kAnyState, CallKind::kPostRecv, kQueueAbsent, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_recvv", ""}},
  {"post-recv-2", kAnyState, CallKind::kPostRecv, kQueueFull, Returns(Errno::kNoMem), kSame, {}, {"rdma-core 44 rxe.c rxe_post_one_recv", "lab 6.1-rxe data, seed 1"}, Need::kPlainErrors},
  {"post-recv-3", kAnyState, CallKind::kPostRecv, kFine, Returns(), kSame, {}, {"man rdma_post_recv(3)", "lab 6.1-rxe data, seed 1"}},
  {"post-recv-4", kAnyState, CallKind::kPostRecv, kQueueFull, ReturnsOdd(-12), kSame, {}, {"rdma-core 33 rxe.c rxe_post_one_recv", ""}, Need::kNegativeErrors},
  {"post-recvv-1", kAnyState, CallKind::kPostRecvv, kQueueAbsent, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_recvv", ""}},
  {"post-recvv-2", kAnyState, CallKind::kPostRecvv, kQueueFull, Returns(Errno::kNoMem), kSame, {}, {"rdma-core 44 rxe.c rxe_post_one_recv", "lab 6.1-rxe data, seed 1"}, Need::kPlainErrors},
  {"post-recvv-3", kAnyState, CallKind::kPostRecvv, kPiecesTooMany, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 rxe.c rxe_post_one_recv", "lab 6.1-rxe data, seed 1"}, Need::kPlainErrors},
  {"post-recvv-4", kAnyState, CallKind::kPostRecvv, kFine, Returns(), kSame, {}, {"man rdma_post_recvv(3)", "lab 6.1-rxe data, seed 1"}},
  {"post-recvv-5", kAnyState, CallKind::kPostRecvv, kPiecesTooMany, ReturnsOdd(-22), kSame, {}, {"rdma-core 33 rxe.c rxe_post_one_recv", ""}, Need::kNegativeErrors},
  {"post-recvv-6", kAnyState, CallKind::kPostRecvv, kQueueFull, ReturnsOdd(-12), kSame, {}, {"rdma-core 33 rxe.c rxe_post_one_recv", ""}, Need::kNegativeErrors},
  {"post-send-1", kAnyState, CallKind::kPostSend, kQpAbsent, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_sendv", ""}},
  {"post-send-2", kAnyState, CallKind::kPostSend, kDatagram, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_sendv: it sets no address", ""}},
  {"post-send-3", kAnyState, CallKind::kPostSend, kInlineTooLong, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 rxe.c validate_send_wr", "lab 6.1-rxe, seed 1"}, Need::kPlainErrors},
  {"post-send-4", kAnyState, CallKind::kPostSend, kQueueFull, Returns(Errno::kNoMem), kSame, {}, {"rdma-core 44 rxe.c post_one_send", ""}, Need::kPlainErrors},
  {"post-send-5", kAnyState, CallKind::kPostSend, kQpNotReady, Returns(Errno::kInval), kSame, {}, {"linux 6.1 rxe_verbs.c rxe_post_send", "lab 6.1-rxe data, seed 1"}},
  {"post-send-6", kAnyState, CallKind::kPostSend, kFine, Returns(), kSame, {}, {"man rdma_post_send(3)", "lab 6.1-rxe data, seed 1"}},
  {"post-send-7", kAnyState, CallKind::kPostSend, kInlineTooLong, ReturnsOdd(-22), kSame, {}, {"rdma-core 33 rxe.c validate_send_wr", ""}, Need::kNegativeErrors},
  {"post-send-8", kAnyState, CallKind::kPostSend, kQueueFull, ReturnsOdd(-12), kSame, {}, {"rdma-core 33 rxe.c post_one_send", ""}, Need::kNegativeErrors},
  {"post-sendv-1", kAnyState, CallKind::kPostSendv, kQpAbsent, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_sendv", ""}},
  {"post-sendv-2", kAnyState, CallKind::kPostSendv, kDatagram, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_sendv: it sets no address", ""}},
  {"post-sendv-3", kAnyState, CallKind::kPostSendv, kPiecesTooMany, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 rxe.c validate_send_wr", "lab 6.1-rxe data, seed 1"}, Need::kPlainErrors},
  {"post-sendv-4", kAnyState, CallKind::kPostSendv, kInlineTooLong, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 rxe.c validate_send_wr", ""}, Need::kPlainErrors},
  {"post-sendv-5", kAnyState, CallKind::kPostSendv, kQueueFull, Returns(Errno::kNoMem), kSame, {}, {"rdma-core 44 rxe.c post_one_send", ""}, Need::kPlainErrors},
  {"post-sendv-6", kAnyState, CallKind::kPostSendv, kQpNotReady, Returns(Errno::kInval), kSame, {}, {"linux 6.1 rxe_verbs.c rxe_post_send", "lab 6.1-rxe data, seed 1"}},
  {"post-sendv-7", kAnyState, CallKind::kPostSendv, kFine, Returns(), kSame, {}, {"man rdma_post_sendv(3)", "lab 6.1-rxe data, seed 1"}},
  {"post-sendv-8", kAnyState, CallKind::kPostSendv, Guards(kPiecesTooMany) | kInlineTooLong, ReturnsOdd(-22), kSame, {}, {"rdma-core 33 rxe.c validate_send_wr", ""}, Need::kNegativeErrors},
  {"post-sendv-9", kAnyState, CallKind::kPostSendv, kQueueFull, ReturnsOdd(-12), kSame, {}, {"rdma-core 33 rxe.c post_one_send", ""}, Need::kNegativeErrors},
  {"post-read-1", kAnyState, CallKind::kPostRead, kQpAbsent, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_readv", ""}},
  {"post-read-2", kAnyState, CallKind::kPostRead, kDatagram, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_readv: it sets no address", ""}},
  {"post-read-3", kAnyState, CallKind::kPostRead, kInlineTooLong, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 rxe.c validate_send_wr", "lab 6.1-rxe, seed 1"}, Need::kPlainErrors},
  {"post-read-4", kAnyState, CallKind::kPostRead, kQueueFull, Returns(Errno::kNoMem), kSame, {}, {"rdma-core 44 rxe.c post_one_send", ""}, Need::kPlainErrors},
  {"post-read-5", kAnyState, CallKind::kPostRead, kQpNotReady, Returns(Errno::kInval), kSame, {}, {"linux 6.1 rxe_verbs.c rxe_post_send", "lab 6.1-rxe data, seed 1"}},
  {"post-read-6", kAnyState, CallKind::kPostRead, kFine, Returns(), kSame, {}, {"man rdma_post_read(3)", "lab 6.1-rxe data, seed 1"}},
  {"post-read-7", kAnyState, CallKind::kPostRead, kInlineTooLong, ReturnsOdd(-22), kSame, {}, {"rdma-core 33 rxe.c validate_send_wr", ""}, Need::kNegativeErrors},
  {"post-read-8", kAnyState, CallKind::kPostRead, kQueueFull, ReturnsOdd(-12), kSame, {}, {"rdma-core 33 rxe.c post_one_send", ""}, Need::kNegativeErrors},
  {"post-readv-1", kAnyState, CallKind::kPostReadv, kQpAbsent, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_readv", ""}},
  {"post-readv-2", kAnyState, CallKind::kPostReadv, kDatagram, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_readv: it sets no address", ""}},
  {"post-readv-3", kAnyState, CallKind::kPostReadv, kPiecesTooMany, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 rxe.c validate_send_wr", "lab 6.1-rxe data, seed 1"}, Need::kPlainErrors},
  {"post-readv-4", kAnyState, CallKind::kPostReadv, kInlineTooLong, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 rxe.c validate_send_wr", ""}, Need::kPlainErrors},
  {"post-readv-5", kAnyState, CallKind::kPostReadv, kQueueFull, Returns(Errno::kNoMem), kSame, {}, {"rdma-core 44 rxe.c post_one_send", ""}, Need::kPlainErrors},
  {"post-readv-6", kAnyState, CallKind::kPostReadv, kQpNotReady, Returns(Errno::kInval), kSame, {}, {"linux 6.1 rxe_verbs.c rxe_post_send", "lab 6.1-rxe, seed 1"}},
  {"post-readv-7", kAnyState, CallKind::kPostReadv, kFine, Returns(), kSame, {}, {"man rdma_post_readv(3)", "lab 6.1-rxe data, seed 1"}},
  {"post-readv-8", kAnyState, CallKind::kPostReadv, Guards(kPiecesTooMany) | kInlineTooLong, ReturnsOdd(-22), kSame, {}, {"rdma-core 33 rxe.c validate_send_wr", ""}, Need::kNegativeErrors},
  {"post-readv-9", kAnyState, CallKind::kPostReadv, kQueueFull, ReturnsOdd(-12), kSame, {}, {"rdma-core 33 rxe.c post_one_send", ""}, Need::kNegativeErrors},
  {"post-write-1", kAnyState, CallKind::kPostWrite, kQpAbsent, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_writev", ""}},
  {"post-write-2", kAnyState, CallKind::kPostWrite, kDatagram, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_writev: it sets no address", ""}},
  {"post-write-3", kAnyState, CallKind::kPostWrite, kInlineTooLong, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 rxe.c validate_send_wr", "lab 6.1-rxe, seed 1"}, Need::kPlainErrors},
  {"post-write-4", kAnyState, CallKind::kPostWrite, kQueueFull, Returns(Errno::kNoMem), kSame, {}, {"rdma-core 44 rxe.c post_one_send", ""}, Need::kPlainErrors},
  {"post-write-5", kAnyState, CallKind::kPostWrite, kQpNotReady, Returns(Errno::kInval), kSame, {}, {"linux 6.1 rxe_verbs.c rxe_post_send", "lab 6.1-rxe data, seed 1"}},
  {"post-write-6", kAnyState, CallKind::kPostWrite, kFine, Returns(), kSame, {}, {"man rdma_post_write(3)", "lab 6.1-rxe data, seed 1"}},
  {"post-write-7", kAnyState, CallKind::kPostWrite, kInlineTooLong, ReturnsOdd(-22), kSame, {}, {"rdma-core 33 rxe.c validate_send_wr", ""}, Need::kNegativeErrors},
  {"post-write-8", kAnyState, CallKind::kPostWrite, kQueueFull, ReturnsOdd(-12), kSame, {}, {"rdma-core 33 rxe.c post_one_send", ""}, Need::kNegativeErrors},
  {"post-writev-1", kAnyState, CallKind::kPostWritev, kQpAbsent, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_writev", ""}},
  {"post-writev-2", kAnyState, CallKind::kPostWritev, kDatagram, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_writev: it sets no address", ""}},
  {"post-writev-3", kAnyState, CallKind::kPostWritev, kPiecesTooMany, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 rxe.c validate_send_wr", "lab 6.1-rxe data, seed 1"}, Need::kPlainErrors},
  {"post-writev-4", kAnyState, CallKind::kPostWritev, kInlineTooLong, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 rxe.c validate_send_wr", ""}, Need::kPlainErrors},
  {"post-writev-5", kAnyState, CallKind::kPostWritev, kQueueFull, Returns(Errno::kNoMem), kSame, {}, {"rdma-core 44 rxe.c post_one_send", ""}, Need::kPlainErrors},
  {"post-writev-6", kAnyState, CallKind::kPostWritev, kQpNotReady, Returns(Errno::kInval), kSame, {}, {"linux 6.1 rxe_verbs.c rxe_post_send", "lab 6.1-rxe data, seed 1"}},
  {"post-writev-7", kAnyState, CallKind::kPostWritev, kFine, Returns(), kSame, {}, {"man rdma_post_writev(3)", "lab 6.1-rxe data, seed 1"}},
  {"post-writev-8", kAnyState, CallKind::kPostWritev, Guards(kPiecesTooMany) | kInlineTooLong, ReturnsOdd(-22), kSame, {}, {"rdma-core 33 rxe.c validate_send_wr", ""}, Need::kNegativeErrors},
  {"post-writev-9", kAnyState, CallKind::kPostWritev, kQueueFull, ReturnsOdd(-12), kSame, {}, {"rdma-core 33 rxe.c post_one_send", ""}, Need::kNegativeErrors},
  {"post-ud-send-1", kAnyState, CallKind::kPostUdSend, kQpAbsent, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_ud_send", ""}},
  {"post-ud-send-2", kAnyState, CallKind::kPostUdSend, kServiceUnknown, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_post_ud_send: there is no address handle", ""}},
  {"post-ud-send-3", kAnyState, CallKind::kPostUdSend, kInlineTooLong, Returns(Errno::kInval), kSame, {}, {"rdma-core 44 rxe.c validate_send_wr", "lab 6.1-rxe, seed 1"}, Need::kPlainErrors},
  {"post-ud-send-4", kAnyState, CallKind::kPostUdSend, kQueueFull, Returns(Errno::kNoMem), kSame, {}, {"rdma-core 44 rxe.c post_one_send", ""}, Need::kPlainErrors},
  {"post-ud-send-5", kAnyState, CallKind::kPostUdSend, kFine, Returns(), kSame, {}, {"man rdma_post_ud_send(3)", "lab 6.1-rxe data, seed 1"}},
  {"post-ud-send-6", kAnyState, CallKind::kPostUdSend, kInlineTooLong, ReturnsOdd(-22), kSame, {}, {"rdma-core 33 rxe.c validate_send_wr", ""}, Need::kNegativeErrors},
  {"post-ud-send-7", kAnyState, CallKind::kPostUdSend, kQueueFull, ReturnsOdd(-12), kSame, {}, {"rdma-core 33 rxe.c post_one_send", ""}, Need::kNegativeErrors},
  {"get-send-comp-1", kAnyState, CallKind::kGetSendComp, kQpAbsent, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_get_send_comp: there is no completion queue", ""}},
  {"get-send-comp-2", kAnyState, CallKind::kGetSendComp, kNothingCompleted, kBlocks, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_get_send_comp", "lab 6.1-rxe data, seed 1"}},
  {"get-send-comp-3", kAnyState, CallKind::kGetSendComp, kFine, Returns(), kSame, {}, {"man rdma_get_send_comp(3)", "lab 6.1-rxe data, seed 1"}},
  {"get-recv-comp-1", kAnyState, CallKind::kGetRecvComp, kQpAbsent, kCrashes, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_get_recv_comp: there is no completion queue", ""}},
  {"get-recv-comp-2", kAnyState, CallKind::kGetRecvComp, kNothingCompleted, kBlocks, kSame, {}, {"rdma-core 44 rdma_verbs.h rdma_get_recv_comp", "lab 6.1-rxe data, seed 1"}},
  {"get-recv-comp-3", kAnyState, CallKind::kGetRecvComp, kFine, Returns(), kSame, {}, {"man rdma_get_recv_comp(3)", "lab 6.1-rxe data, seed 1"}},
  {"req-notify-cq-1", kAnyState, CallKind::kReqNotifyCq, kQpAbsent, kCrashes, kSame, {}, {"man ibv_req_notify_cq(3): there is no completion queue", ""}},
  {"req-notify-cq-2", kAnyState, CallKind::kReqNotifyCq, kFine, Returns(), kSame, {}, {"man ibv_req_notify_cq(3)", ""}},
  {"get-cq-event-1", kAnyState, CallKind::kGetCqEvent, kQpAbsent, kCrashes, kSame, {}, {"man ibv_get_cq_event(3): there is no channel", ""}},
  {"get-cq-event-2", kAnyState, CallKind::kGetCqEvent, kNoCqEvent, kBlocks, kSame, {}, {"man ibv_get_cq_event(3)", ""}},
  {"get-cq-event-3", kAnyState, CallKind::kGetCqEvent, kFine, Returns(), kSame, {}, {"man ibv_get_cq_event(3)", ""}},
  {"ack-cq-events-1", kAnyState, CallKind::kAckCqEvents, kQpAbsent, kCrashes, kSame, {}, {"man ibv_ack_cq_events(3): there is no completion queue", ""}},
  {"ack-cq-events-2", kAnyState, CallKind::kAckCqEvents, kFine, Returns(), kSame, {}, {"man ibv_ack_cq_events(3)", ""}},
});

constexpr auto kFromBelowRows = std::to_array<BelowRule>({
  {"addr-1", kAddrQuery, Below::kAddressFound, kAddrResolved, EventType::kAddrResolved, 0, false, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:8"}},
  {"addr-2", kAddrQuery, Below::kAddressTimesOut, kAddrBound, EventType::kAddrError, -110, false, {"linux 6.1 addr.c process_one_req, cma.c addr_handler", "6.1-rxe/55-synchronous_id:26"}},
  {"addr-3", kAddrQuery, Below::kAddressWithoutDevice, kAddrBound, EventType::kAddrError, -19, false, {"linux 6.1 cma.c addr_handler", "6.1-rxe/69-device_removal_by_state:74"}},
  {"addr-4", kAddrQuery, Below::kAddressOfOtherLink, kAddrBound, EventType::kAddrError, -22, false, {"linux 6.1 cma.c cma_acquire_dev_by_src_ip", "6.1-rxe/85-port_spaces:18"}},
  {"route-1", kRouteQuery, Below::kRouteFound, kRouteResolved, EventType::kRouteResolved, 0, false, {"man rdma_get_cm_event(3)", "6.1-rxe/01-connect_disconnect_by_active:10"}},
  {"removal-1", kAnyState.Except(kDeviceRemoval), Below::kDeviceGoes, kDeviceRemoval, EventType::kDeviceRemoval, 0, false, {"linux 6.1 cma.c cma_send_device_removal_put", "6.1-rxe/69-device_removal_by_state:45"}},
  {"removal-2", kDeviceRemoval, Below::kKernelIdClosed, kSame, EventType::kDeviceRemoval, 0, true, {"linux 6.1 ucma.c ucma_close_id", "6.1-rxe/69-device_removal_by_state:45"}},
  {"addr-change-1", kAnyState.Except(kDeviceRemoval), Below::kAddressChanges, kSame, EventType::kAddrChange, 0, false, {"linux 6.1 cma.c cma_netdev_change", "6.1-rxe/77-bond_failover_addr_change:29"}},
  {"neighbour-1", kAnyState.Except(kDeviceRemoval), Below::kNeighbourChanges, kSame, EventType::kUnreachable, -110, false, {"linux 6.1 cma.c cma_netevent_work_handler", "6.1-rxe/75-peer_hardware_address_changes:19"}},
  {"group-1", kAnyState.Except(kDeviceRemoval), Below::kGroupJoined, kSame, EventType::kMulticastJoin, 0, false, {"man rdma_join_multicast(3)", "6.1-rxe/83-multicast_on_wrong_ids:11"}},
  {"group-2", kAnyState.Except(kDeviceRemoval), Below::kGroupWithoutGid, kSame, EventType::kMulticastError, 0, false, {"linux 6.1 cma.c cma_make_mc_event", ""}},
  // Over InfiniBand, where the SA is queried.
  {"ib-route-1", kRouteQuery, Below::kRouteTimesOut, kAddrResolved, EventType::kRouteError, -110, false, {"linux 6.1 sa_query.c send_handler, cma.c cma_query_handler", ""}},
  {"ib-route-2", kRouteQuery, Below::kRouteRefused, kAddrResolved, EventType::kRouteError, -22, false, {"linux 6.1 sa_query.c recv_handler, cma.c cma_query_handler", ""}},
  {"ib-group-1", kAnyState.Except(kDeviceRemoval), Below::kGroupTimesOut, kSame, EventType::kMulticastError, -110, false, {"linux 6.1 multicast.c join_handler, sa_query.c send_handler, cma.c cma_ib_mc_handler", ""}},
  {"group-3", kDeviceRemoval, Below::kGroupJoined, kSame, EventType::kMulticastJoin, 0, true, {"linux 6.1 cma.c cma_iboe_join_work_handler", ""}},
});
// clang-format on

static_assert(LacksARow<FirstUnanswered(kCallsRows)>::kNone);
static_assert(EveryGuardIsLookedAt(kCallsRows));

struct Range {
  uint16_t first = 0;
  uint16_t behind = 0;
};

constexpr std::array<Range, kCallKindCount> kRowsOn = [] {
  std::array<Range, kCallKindCount> rows{};
  for (uint16_t i = 0; i < kCallsRows.size(); ++i) {
    Range& of_kind = rows[static_cast<size_t>(kCallsRows[i].on)];
    if (of_kind.behind == 0) of_kind.first = i;
    of_kind.behind = i + 1;
  }
  return rows;
}();

// Rows on one call stand together.
static_assert([] {
  size_t rows = 0;
  for (const Range& of_kind : kRowsOn) rows += of_kind.behind - of_kind.first;
  return rows == kCallsRows.size();
}());

}  // namespace

constinit const std::span<const CallRule> kCalls = kCallsRows;
constinit const std::span<const BelowRule> kFromBelow = kFromBelowRows;

}  // namespace cm::model::rules

namespace cm::model {

std::span<const CallRule> RowsOn(CallKind call) {
  const rules::Range& rows = rules::kRowsOn[static_cast<size_t>(call)];
  return rules::kCalls.subspan(rows.first, rows.behind - rows.first);
}

}  // namespace cm::model
