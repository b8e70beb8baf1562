#include "model/mad/constraints.h"

#include <array>
#include <cstdint>
#include <span>

#include "model/mad/messages.h"
#include "model/mad/packet.h"
#include "model/vocabulary/protocol.h"

namespace cm::mad {
namespace {

using enum MadKind;
using enum Relation;

// Shorthand of the columns, so that a row is a line or two.
struct Words {
  std::string_view says;
  std::string_view source;
};

constexpr Constraint Range(std::string_view id, std::optional<MadKind> message,
                           std::string_view field, uint64_t low, uint64_t high, Words words,
                           Condition when = {}) {
  return {.id = id,
          .message = message,
          .field = field,
          .relation = kRange,
          .low = low,
          .high = high,
          .when = when,
          .says = words.says,
          .source = words.source};
}

constexpr Constraint To(std::string_view id, std::optional<MadKind> message, std::string_view field,
                        Relation relation, std::optional<MadKind> of, std::string_view of_field,
                        Words words, Condition when = {}) {
  return {.id = id,
          .message = message,
          .field = field,
          .relation = relation,
          .of = of,
          .of_field = of_field,
          .when = when,
          .says = words.says,
          .source = words.source};
}

constexpr Constraint Whole(std::string_view id, std::optional<MadKind> message, Relation relation,
                           Words words) {
  return {.id = id,
          .message = message,
          .relation = relation,
          .says = words.says,
          .source = words.source};
}

constexpr std::string_view kLayoutSource = "linux 6.1 ibta_vol1_c12.h";
constexpr Words kHeader = {"Headers of messages are those of the IB CM.",
                           "linux 6.1 cm.c cm_format_mad_hdr"};
constexpr Words kOwnId = {"A side keeps its communication id from its first message on.",
                          "linux 6.1 cm.c cm_alloc_id_priv"};
constexpr Words kPeerId = {"The communication id of the other side comes back as it was sent.",
                           "linux 6.1 cm.c cm_acquire_id"};
constexpr Words kSetupTid = {"Until the connection is there all say the TID of the REQ.",
                             "linux 6.1 cm.c cm_format_mad_hdr, cm_format_rep"};
constexpr Words kNewTid = {"What opens an exchange has a TID of its own.",
                           "linux 6.1 cm.c cm_form_tid"};
constexpr Words kDreqTid = {"The TID of a DREQ is formed of its sender's id, as that of a REQ is.",
                            "linux 6.1 cm.c cm_format_dreq, cm_form_tid"};
constexpr Words kDrepTid = {"A DREP says the TID of the DREQ that it answers.",
                            "linux 6.1 cm.c cm_format_drep, cm_issue_drep"};
constexpr Words kStoredTid = {"In timewait a DREP says the TID that the id has stored.",
                              "linux 6.1 cm.c cm_dreq_handler"};
constexpr Words kRejInfo = {"What a REJ says besides its reason fits its field.", kLayoutSource};
constexpr Words kRejReason = {"A REJ has a reason, of those that there are.",
                              "linux 6.1 ib_cm.h enum ib_cm_rej_reason"};
constexpr Words kRejPeer = {"A REJ names the id of the side that it rejects.",
                            "linux 6.1 cm.c cm_format_rej, cm_issue_rej"};
constexpr Words kAbandoned = {"Who abandons a REQ does not know the id of the other side.",
                              "linux 6.1 cm.c cm_destroy_id"};
constexpr Words kMraPeer = {"An MRA names the message that it is about, and its sender's id.",
                            "linux 6.1 cm.c cm_format_mra, cm_acquire_mraed_id"};
constexpr Words kQpn = {"A DREQ names the queue pair of the side that it is sent to.",
                        "linux 6.1 cm.c cm_dreq_handler"};
constexpr Words kSidrEcho = {"A SIDR_REP gives back what it was asked for.",
                             "linux 6.1 cm.c cm_format_sidr_rep"};
constexpr Words kCma = {"The header of RDMA CM is of version 0 and of IPv4 or IPv6.",
                        "linux 6.1 cma.c cma_format_hdr, cma_get_ip_ver"};
constexpr Words kModifier = {"Only REQ, REP and SIDR_REP have a modifier: options for ECE.",
                             "linux 6.1 cm.c cm_format_mad_hdr, cm_format_mad_ece_hdr"};
constexpr Words kSomeId = {"Who opens an exchange or accepts one has an id and a CA.",
                           "linux 6.1 cm.c cm_alloc_id_priv, cm_acquire_id"};
constexpr Words kReserved = {"Reserved bits are sent as 0.", kLayoutSource};
constexpr Words kRetry = {"A message that is sent again is the same to the byte.",
                          "linux 6.1 mad.c retry_send; cm.c cm_dup_rep_handler"};
constexpr Words kRoce = {"General services have a P_Key, Q_Key and queue pairs of their own.",
                         "linux 6.1 rxe_recv.c check_keys; ib_mad.h IB_QP1_QKEY"};

constexpr Condition kAboutReq = {"MRA.message_mraed", 0, 0};
constexpr Condition kAboutRep = {"MRA.message_mraed", 1, 1};
constexpr Condition kRejectsReq = {"REJ.message_rejected", 0, 0};
constexpr Condition kRejectsRep = {"REJ.message_rejected", 1, 1};
constexpr Condition kRejectsOther = {"REJ.message_rejected", 2, 2};

constexpr auto kRows = std::to_array<Constraint>({
    Range("roce-qkey", kEveryMessage, "deth.qkey", kGeneralServicesQkey, kGeneralServicesQkey,
          kRoce),
    // The default partition, either end may be a limited member.
    Range("roce-pkey", kEveryMessage, "bth.pkey", 0xffff, 0xffff, kRoce),
    Range("roce-pkey", kEveryMessage, "bth.pkey", 0x7fff, 0x7fff, kRoce),
    Range("roce-source-qp", kEveryMessage, "deth.source_qp", kGeneralServicesQp, kGeneralServicesQp,
          kRoce),

    Range("mad-class", kEveryMessage, "mad.mgmt_class", kCmClass, kCmClass, kHeader),
    Range("mad-class-version", kEveryMessage, "mad.class_version", kCmClassVersion, kCmClassVersion,
          kHeader),
    Range("mad-method", kEveryMessage, "mad.method", kSendMethod, kSendMethod, kHeader),
    Range("mad-status", kEveryMessage, "mad.status", 0, 0, kHeader),
    Whole("mad-reserved", kEveryMessage, kReservedZero, kReserved),
    Whole("mad-again", kEveryMessage, kConstant, kRetry),

    Range("req-local-cid", kReq, "REQ.local_cid", 1, UINT32_MAX, kSomeId),
    Range("req-guid", kReq, "REQ.local_ca_guid", 1, UINT64_MAX, kSomeId),
    To("req-tid", kReq, "mad.tid", kNew, kReq, "mad.tid", kNewTid),
    Range("req-transport", kReq, "REQ.transport_service_type", 0, 1,
          {"RDMA CM connects RC and UC, or XRC as an extended type.",
           "linux 6.1 cm_msgs.h cm_req_set_qp_type"}),
    Range("req-transport", kReq, "REQ.extended_transport_type", 1, 1,
          {"RDMA CM connects RC and UC, or XRC as an extended type.",
           "linux 6.1 cm_msgs.h cm_req_set_qp_type"},
          {"REQ.transport_service_type", 3, 3}),
    Range("req-extended-type", kReq, "REQ.extended_transport_type", 0, 0,
          {"Only a REQ that asks for an extended type names one.",
           "linux 6.1 cm_msgs.h cm_req_set_qp_type"},
          {"REQ.transport_service_type", 0, 2}),
    Range("req-mtu", kReq, "REQ.path_mtu", 1, 5,
          {"A path has an MTU of 256 bytes to 4096.", "linux 6.1 ib_verbs.h enum ib_mtu"}),
    Range("req-cma-version", kReq, "cma.cma_version", 0, 0, kCma, {"cma.ip_version", 4, 6}),
    Range("req-cma-ip", kReq, "cma.ip_version", 4, 4, kCma),
    Range("req-cma-ip", kReq, "cma.ip_version", 6, 6, kCma),

    Range("mra-modifier", kMra, "mad.attribute_modifier", 0, 0, kModifier),
    Range("mra-about", kMra, "MRA.message_mraed", 0, 2,
          {"An MRA is about a REQ, a REP or a LAP.", "linux 6.1 cm_msgs.h enum cm_msg_response"}),
    Range("mra-id", kMra, "MRA.local_cid", 1, UINT32_MAX, kSomeId),
    To("mra-remote-cid", kMra, "MRA.remote_cid", kEchoes, kReq, "REQ.local_cid", kMraPeer,
       kAboutReq),
    To("mra-remote-cid", kMra, "MRA.remote_cid", kEchoes, kRep, "REP.local_cid", kMraPeer,
       kAboutRep),
    To("mra-local-cid", kMra, "MRA.local_cid", kRepeats, kReq, "REQ.local_cid", kOwnId, kAboutRep),
    To("mra-tid", kMra, "mad.tid", kEchoes, kReq, "mad.tid", kSetupTid, kAboutReq),
    To("mra-tid", kMra, "mad.tid", kEchoes, kRep, "mad.tid", kSetupTid, kAboutRep),

    Range("rej-modifier", kRej, "mad.attribute_modifier", 0, 0, kModifier),
    Range("rej-about", kRej, "REJ.message_rejected", 0, 2,
          {"A REJ is about a REQ, a REP or neither.", "linux 6.1 cm_msgs.h enum cm_msg_response"}),
    Range("rej-reason", kRej, "REJ.reason", 1, 33, kRejReason),
    Range("rej-reason", kRej, "REJ.reason", 35, 35, kRejReason),
    Range("rej-info-length", kRej, "REJ.reject_info_length", 0, 72, kRejInfo),
    Range("rej-info-guid", kRej, "REJ.reject_info_length", 8, 8,
          {"Who times out says its CA GUID.", "linux 6.1 cm.c cm_destroy_id"},
          {"REJ.reason", 4, 4}),
    To("rej-remote-cid", kRej, "REJ.remote_cid", kEchoes, kReq, "REQ.local_cid", kRejPeer,
       kRejectsReq),
    To("rej-remote-cid", kRej, "REJ.remote_cid", kEchoes, kRep, "REP.local_cid", kRejPeer,
       kRejectsRep),
    To("rej-remote-cid", kRej, "REJ.remote_cid", kEchoes, kReq, "REQ.local_cid", kRejPeer,
       kRejectsOther),
    To("rej-remote-cid", kRej, "REJ.remote_cid", kEchoes, kRep, "REP.local_cid", kRejPeer,
       kRejectsOther),
    Range("rej-remote-cid", kRej, "REJ.remote_cid", 0, 0, kAbandoned, kRejectsOther),
    To("rej-local-cid", kRej, "REJ.local_cid", kRepeats, kReq, "REQ.local_cid", kOwnId,
       kRejectsRep),
    To("rej-local-cid", kRej, "REJ.local_cid", kRepeats, kReq, "REQ.local_cid", kOwnId,
       kRejectsOther),
    To("rej-local-cid", kRej, "REJ.local_cid", kRepeats, kRep, "REP.local_cid", kOwnId,
       kRejectsOther),
    To("rej-tid", kRej, "mad.tid", kEchoes, kReq, "mad.tid", kSetupTid),
    To("rej-tid", kRej, "mad.tid", kRepeats, kReq, "mad.tid", kSetupTid),

    Range("rep-local-cid", kRep, "REP.local_cid", 1, UINT32_MAX, kSomeId),
    Range("rep-guid", kRep, "REP.local_ca_guid", 1, UINT64_MAX, kSomeId),
    To("rep-remote-cid", kRep, "REP.remote_cid", kEchoes, kReq, "REQ.local_cid", kPeerId),
    To("rep-tid", kRep, "mad.tid", kEchoes, kReq, "mad.tid", kSetupTid),

    Range("rtu-modifier", kRtu, "mad.attribute_modifier", 0, 0, kModifier),
    To("rtu-local-cid", kRtu, "RTU.local_cid", kRepeats, kReq, "REQ.local_cid", kOwnId),
    To("rtu-remote-cid", kRtu, "RTU.remote_cid", kEchoes, kRep, "REP.local_cid", kPeerId),
    To("rtu-tid", kRtu, "mad.tid", kRepeats, kReq, "mad.tid", kSetupTid),

    Range("dreq-modifier", kDreq, "mad.attribute_modifier", 0, 0, kModifier),
    To("dreq-local-cid", kDreq, "DREQ.local_cid", kRepeats, kReq, "REQ.local_cid", kOwnId),
    To("dreq-local-cid", kDreq, "DREQ.local_cid", kRepeats, kRep, "REP.local_cid", kOwnId),
    To("dreq-remote-cid", kDreq, "DREQ.remote_cid", kEchoes, kReq, "REQ.local_cid", kPeerId),
    To("dreq-remote-cid", kDreq, "DREQ.remote_cid", kEchoes, kRep, "REP.local_cid", kPeerId),
    To("dreq-qpn", kDreq, "DREQ.remote_qpn_eecn", kEchoes, kReq, "REQ.local_qpn", kQpn),
    To("dreq-qpn", kDreq, "DREQ.remote_qpn_eecn", kEchoes, kRep, "REP.local_qpn", kQpn),
    To("dreq-tid", kDreq, "mad.tid", kRepeats, kReq, "mad.tid", kDreqTid),
    To("dreq-tid", kDreq, "mad.tid", kNew, kRep, "mad.tid", kDreqTid),
    // Ids of two hosts may be equal, and so may the TIDs.
    To("dreq-tid", kDreq, "DREQ.local_cid", kEchoes, kReq, "REQ.local_cid", kDreqTid),

    Range("drep-modifier", kDrep, "mad.attribute_modifier", 0, 0, kModifier),
    To("drep-local-cid", kDrep, "DREP.local_cid", kEchoes, kDreq, "DREQ.remote_cid", kOwnId),
    To("drep-remote-cid", kDrep, "DREP.remote_cid", kEchoes, kDreq, "DREQ.local_cid", kPeerId),
    To("drep-tid", kDrep, "mad.tid", kEchoes, kDreq, "mad.tid", kDrepTid),
    To("drep-tid", kDrep, "mad.tid", kEchoes, kReq, "mad.tid", kStoredTid),
    To("drep-tid", kDrep, "mad.tid", kRepeats, kReq, "mad.tid", kStoredTid),

    Range("sidr-req-modifier", kSidrReq, "mad.attribute_modifier", 0, 0, kModifier),
    Range("sidr-req-id", kSidrReq, "SIDR_REQ.request_id", 1, UINT32_MAX, kSomeId),
    To("sidr-req-tid", kSidrReq, "mad.tid", kNew, kSidrReq, "mad.tid", kNewTid),
    Range("sidr-req-cma-version", kSidrReq, "cma.cma_version", 0, 0, kCma,
          {"cma.ip_version", 4, 6}),
    Range("sidr-req-cma-ip", kSidrReq, "cma.ip_version", 4, 4, kCma),
    Range("sidr-req-cma-ip", kSidrReq, "cma.ip_version", 6, 6, kCma),

    To("sidr-rep-id", kSidrRep, "SIDR_REP.request_id", kEchoes, kSidrReq, "SIDR_REQ.request_id",
       kSidrEcho),
    To("sidr-rep-service", kSidrRep, "SIDR_REP.service_id", kEchoes, kSidrReq,
       "SIDR_REQ.service_id", kSidrEcho),
    To("sidr-rep-tid", kSidrRep, "mad.tid", kEchoes, kSidrReq, "mad.tid", kSidrEcho),
    Range("sidr-rep-status", kSidrRep, "SIDR_REP.status", 0, 5,
          {"A SIDR_REP has a status, of those that there are.",
           "linux 6.1 ib_cm.h enum ib_cm_sidr_status"}),
    Range("sidr-rep-info-length", kSidrRep, "SIDR_REP.additional_info_length", 0, 72,
          {"What it says besides its status fits its field.", kLayoutSource}),

    Range("lap-modifier", kLap, "mad.attribute_modifier", 0, 0, kModifier),
    To("lap-local-cid", kLap, "LAP.local_cid", kRepeats, kReq, "REQ.local_cid", kOwnId),
    To("lap-remote-cid", kLap, "LAP.remote_cid", kEchoes, kRep, "REP.local_cid", kPeerId),
    Range("apr-modifier", kApr, "mad.attribute_modifier", 0, 0, kModifier),
    To("apr-local-cid", kApr, "APR.local_cid", kEchoes, kLap, "LAP.remote_cid", kOwnId),
    To("apr-remote-cid", kApr, "APR.remote_cid", kEchoes, kLap, "LAP.local_cid", kPeerId),
    To("apr-tid", kApr, "mad.tid", kEchoes, kLap, "mad.tid",
       {"An APR says the TID of the LAP that it answers.", "linux 6.1 cm.c cm_lap_handler"}),
    Range("apr-status", kApr, "APR.ap_status", 0, 13,
          {"An APR has a status, of those that there are.",
           "linux 6.1 ib_cm.h enum ib_cm_apr_status"}),
    Range("apr-info-length", kApr, "APR.additional_info_length", 0, 72,
          {"What it says besides its status fits its field.", kLayoutSource}),
});

}  // namespace

std::span<const Constraint> Constraints() { return kRows; }

}  // namespace cm::mad
