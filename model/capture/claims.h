// Rules of the judge besides the rows of model/ib_cm and of model/mad: permanent ids, and the
// source of each.
#ifndef MODEL_CAPTURE_CLAIMS_H_
#define MODEL_CAPTURE_CLAIMS_H_

#include <string_view>

namespace cm::wire {

struct Claim {
  std::string_view id;
  std::string_view says;
  std::string_view source;
};

namespace claims {

// clang-format off
inline constexpr Claim kForm{"wire-form", "A MAD is 256 bytes in one whole packet.", "linux 6.1 ib_mad.h IB_MGMT_MAD_SIZE"};
inline constexpr Claim kIcrc{"wire-icrc", "A packet arrives with the CRC that its bytes have.", "linux 6.1 rxe_icrc.c rxe_icrc_check"};
inline constexpr Claim kChecksum{"wire-checksum", "A packet arrives with the checksum that its IPv4 header has.", "linux 6.1 ip_input.c ip_rcv_core"};
inline constexpr Claim kKind{"wire-kind", "A CM message has a known attribute.", "linux 6.1 cm.c cm_recv_handler (R41)"};
inline constexpr Claim kNeverSent{"wire-never-sent", "Linux sends neither LAP, APR, SAP nor SPR.", "linux 6.1 cm.c"};
inline constexpr Claim kAddresses{"wire-addresses", "The GIDs of a REQ are the addresses that it travels between.", "linux 6.1 cma.c cma_resolve_iboe_route"};
inline constexpr Claim kCmaAddresses{"wire-cma-addresses", "The header of RDMA CM has the addresses that the message travels between.", "linux 6.1 cma.c cma_format_hdr"};
inline constexpr Claim kGuid{"wire-guid", "The messages of one address have the GUID of one CA.", "linux 6.1 cm.c cm_format_req, cm_format_rep"};
inline constexpr Claim kTid{"wire-tid", "Each request of a node has a TID of its own.", "linux 6.1 cm.c cm_form_tid"};
inline constexpr Claim kTidOfCid{"wire-tid-of-cid", "The low half of the TID of a request is the sender's communication id.", "linux 6.1 cm.c cm_form_tid"};
inline constexpr Claim kPeers{"wire-peers", "A message goes from one end of its connection to the other, and names both.", "linux 6.1 cm.c cm_acquire_id"};
inline constexpr Claim kKnown{"wire-known", "A message for a connection comes after its REQ.", "linux 6.1 cm.c cm_req_handler"};
inline constexpr Claim kRequestOver{"wire-request-over", "A REQ that was answered is not sent any more.", "linux 6.1 cm.c cm_rep_handler (R2)"};
inline constexpr Claim kCidInUse{"wire-cid-in-use", "The number of an id that is in use is not given to another id.", "linux 6.1 cm.c cm_alloc_id_priv"};
inline constexpr Claim kOnePeer{"wire-one-peer", "An id that has answered one REP is connected with its sender alone.", "linux 6.1 cm.c cm_rep_handler"};
inline constexpr Claim kService{"wire-service", "A service id of RDMA CM is a port of a port space: of TCP or IB in a REQ, of UDP, IPoIB or IB in a SIDR_REQ.", "linux 6.1 cma.c rdma_get_service_id, ucma.c ucma_get_qp_type"};
inline constexpr Claim kNoAlternate{"wire-no-alternate", "Over RoCE RDMA CM has no alternate path.", "linux 6.1 cma.c cma_resolve_iboe_route"};
inline constexpr Claim kFlowLabel{"wire-flow-label", "The flow label of a REQ is made of the ports of both ends.", "linux 6.1 cma.c cma_get_roce_udp_flow_label"};
inline constexpr Claim kNoData{"wire-no-data", "RDMA CM sends no private data in MRA, RTU, DREQ and DREP, nor in a REJ without an id.", "linux 6.1 cma.c cma_send_rtu, rdma_disconnect; cm.c cm_req_handler (N9)"};
inline constexpr Claim kEeContext{"wire-ee-context", "Only of XRC a reply has a number in place of the EE context.", "linux 6.1 cm.c cm_format_rep"};
inline constexpr Claim kClassPortInfo{"wire-class-port-info", "A ClassPortInfo is a Get, a Set or a response; only a response has a status.", "linux 6.1 ib_mad.h; mad.c generate_unmatched_resp (R42)"};
inline constexpr Claim kRejTimeout{"wire-rej-timeout", "A REJ with reason 4 gives up a REQ: it rejects neither message, has no remote id, and carries the GUID of its sender's CA.", "linux 6.1 cm.c cm_destroy_id (D2)"};
inline constexpr Claim kRejNoService{"wire-rej-no-service", "A REJ with reason 8 rejects a REQ without an id: it echoes the bytes behind the REQ's local id.", "linux 6.1 cm.c cm_match_req (N4)"};
inline constexpr Claim kRejStale{"wire-rej-stale", "A REJ with reason 10 rejects a REQ without an id, or a REP, or is sent in timewait.", "linux 6.1 cm.c cm_match_req, cm_rep_handler, cm_dup_req_handler (N3, R4, N2c)"};
inline constexpr Claim kRejStaleOf{"wire-rej-stale-of", "A REJ with reason 10 is about a queue pair of another connection.", "linux 6.1 cm.c cm_match_req (N3)"};
inline constexpr Claim kRejGid{"wire-rej-gid", "A REJ with reason 12 or 18 rejects a REQ, without an id, and carries a GID.", "linux 6.1 cm.c cm_req_handler (N5, N6)"};
inline constexpr Claim kRejWithoutId{"wire-rej-without-id", "A REJ that no id sends is about a REQ.", "linux 6.1 cm.c cm_issue_rej"};
inline constexpr Claim kRejReason{"wire-rej-reason", "Linux rejects with reasons 4, 8, 10, 12, 18, 28 and 35.", "linux 6.1 cm.c, cma.c, ucma.c"};
inline constexpr Claim kStale{"wire-stale", "A node does not accept a queue pair that one of its connections already has.", "linux 6.1 cm.c cm_match_req, cm_rep_handler (N3, R4)"};
inline constexpr Claim kRepetitions{"wire-repetitions", "A message is sent once, and then as often as the REQ says.", "linux 6.1 cm.c cm_alloc_msg (M2, M4, M6, M8)"};
inline constexpr Claim kTooEarly{"wire-too-early", "A message is repeated when its answer is overdue, not before.", "linux 6.1 mad.c wait_for_response, timeout_sends (M1, M3, M5, M7)"};
inline constexpr Claim kTooLate{"wire-too-late", "A message is repeated when its answer is overdue, not much later.", "linux 6.1 mad.c timeout_sends (M1, M3, M5, M7)"};
inline constexpr Claim kOneAnswer{"wire-one-answer", "A message that arrives is answered once.", "linux 6.1 cm.c cm_process_work"};
inline constexpr Claim kOneId{"wire-one-id", "While the id that a REQ created lives, no other id answers the REQ.", "linux 6.1 cm.c cm_insert_remote_id, cm_dup_req_handler (N2)"};
inline constexpr Claim kNumberNamed{"wire-number-named", "A REQ and a reply of an id without a queue pair carry the low 24 bits of the number that the call names.", "linux 6.1 cma.c cma_connect_ib, cma_accept_ib; cm_msgs.h IBA_SET"};
inline constexpr Claim kNumberShown{"wire-number-shown", "An event shows the queue pair number of the message that it reports.", "linux 6.1 cma.c cma_set_req_event_data, cma_set_rep_event_data, cma_sidr_rep_handler"};
// clang-format on

}  // namespace claims
}  // namespace cm::wire

#endif  // MODEL_CAPTURE_CLAIMS_H_
