// Where each field of a message stands: the tables that encoding, decoding, printing and altering
// read. Bytes of a body count from the end of the MAD header.
// source: linux 6.1 ibta_vol1_c12.h, ib_mad.h struct ib_mad_hdr
#ifndef MODEL_MAD_MESSAGE_LAYOUTS_H_
#define MODEL_MAD_MESSAGE_LAYOUTS_H_

#include <cstddef>
#include <string_view>
#include <tuple>

#include "model/mad/field.h"
#include "model/mad/messages.h"

namespace cm::mad {

template <>
struct Layout<MadHeader> {
  static constexpr std::string_view kName = "mad";
  static constexpr size_t kSize = 24;
  static constexpr auto kRows =
      std::tuple{At("base_version", 0, 0, 8, &MadHeader::base_version),
                 At("mgmt_class", 1, 0, 8, &MadHeader::mgmt_class, Show::kHex),
                 At("class_version", 2, 0, 8, &MadHeader::class_version),
                 At("method", 3, 0, 8, &MadHeader::method, Show::kHex),
                 At("status", 4, 0, 16, &MadHeader::status, Show::kHex),
                 At("class_specific", 6, 0, 16, &MadHeader::class_specific, Show::kReserved),
                 At("tid", 8, 0, 64, &MadHeader::tid, Show::kHex),
                 At("attribute_id", 16, 0, 16, &MadHeader::attribute_id, Show::kAttribute),
                 At("reserved_18", 18, 0, 16, &MadHeader::reserved_18, Show::kReserved),
                 At("attribute_modifier", 20, 0, 32, &MadHeader::attribute_modifier, Show::kHex)};
};

template <>
struct Layout<Req> {
  static constexpr std::string_view kName = "REQ";
  static constexpr size_t kSize = 232;
  static constexpr auto kRows = std::tuple{
      At("local_cid", 0, 0, 32, &Req::local_cid, Show::kHex),
      At("reserved_4", 4, 0, 8, &Req::reserved_4, Show::kReserved),
      At("vendor_id", 5, 0, 24, &Req::vendor_id, Show::kHex),
      At("service_id", 8, 0, 64, &Req::service_id, Show::kHex),
      At("local_ca_guid", 16, 0, 64, &Req::local_ca_guid, Show::kHex),
      At("reserved_24", 24, 0, 32, &Req::reserved_24, Show::kReserved),
      At("local_qkey", 28, 0, 32, &Req::local_qkey, Show::kHex),
      At("local_qpn", 32, 0, 24, &Req::local_qpn),
      At("responder_resources", 35, 0, 8, &Req::responder_resources),
      At("local_eecn", 36, 0, 24, &Req::local_eecn),
      At("initiator_depth", 39, 0, 8, &Req::initiator_depth),
      At("remote_eecn", 40, 0, 24, &Req::remote_eecn),
      At("remote_cm_response_timeout", 43, 0, 5, &Req::remote_cm_response_timeout),
      At("transport_service_type", 43, 5, 2, &Req::transport_service_type),
      At("end_to_end_flow_control", 43, 7, 1, &Req::end_to_end_flow_control),
      At("starting_psn", 44, 0, 24, &Req::starting_psn, Show::kHex),
      At("local_cm_response_timeout", 47, 0, 5, &Req::local_cm_response_timeout),
      At("retry_count", 47, 5, 3, &Req::retry_count),
      At("pkey", 48, 0, 16, &Req::pkey, Show::kHex),
      At("path_mtu", 50, 0, 4, &Req::path_mtu),
      At("rdc_exists", 50, 4, 1, &Req::rdc_exists),
      At("rnr_retry_count", 50, 5, 3, &Req::rnr_retry_count),
      At("max_cm_retries", 51, 0, 4, &Req::max_cm_retries),
      At("srq", 51, 4, 1, &Req::srq),
      At("extended_transport_type", 51, 5, 3, &Req::extended_transport_type),
      At("primary_local_lid", 52, 0, 16, &Req::primary_local_lid, Show::kHex),
      At("primary_remote_lid", 54, 0, 16, &Req::primary_remote_lid, Show::kHex),
      At("primary_local_gid", 56, 0, 128, &Req::primary_local_gid, Show::kGid),
      At("primary_remote_gid", 72, 0, 128, &Req::primary_remote_gid, Show::kGid),
      At("primary_flow_label", 88, 0, 20, &Req::primary_flow_label, Show::kHex),
      At("reserved_90", 90, 4, 6, &Req::reserved_90, Show::kReserved),
      At("primary_packet_rate", 91, 2, 6, &Req::primary_packet_rate),
      At("primary_traffic_class", 92, 0, 8, &Req::primary_traffic_class, Show::kHex),
      At("primary_hop_limit", 93, 0, 8, &Req::primary_hop_limit),
      At("primary_sl", 94, 0, 4, &Req::primary_sl),
      At("primary_subnet_local", 94, 4, 1, &Req::primary_subnet_local),
      At("reserved_94", 94, 5, 3, &Req::reserved_94, Show::kReserved),
      At("primary_local_ack_timeout", 95, 0, 5, &Req::primary_local_ack_timeout),
      At("reserved_95", 95, 5, 3, &Req::reserved_95, Show::kReserved),
      At("alternate_local_lid", 96, 0, 16, &Req::alternate_local_lid, Show::kHex),
      At("alternate_remote_lid", 98, 0, 16, &Req::alternate_remote_lid, Show::kHex),
      At("alternate_local_gid", 100, 0, 128, &Req::alternate_local_gid, Show::kGid),
      At("alternate_remote_gid", 116, 0, 128, &Req::alternate_remote_gid, Show::kGid),
      At("alternate_flow_label", 132, 0, 20, &Req::alternate_flow_label, Show::kHex),
      At("reserved_134", 134, 4, 6, &Req::reserved_134, Show::kReserved),
      At("alternate_packet_rate", 135, 2, 6, &Req::alternate_packet_rate),
      At("alternate_traffic_class", 136, 0, 8, &Req::alternate_traffic_class, Show::kHex),
      At("alternate_hop_limit", 137, 0, 8, &Req::alternate_hop_limit),
      At("alternate_sl", 138, 0, 4, &Req::alternate_sl),
      At("alternate_subnet_local", 138, 4, 1, &Req::alternate_subnet_local),
      At("reserved_138", 138, 5, 3, &Req::reserved_138, Show::kReserved),
      At("alternate_local_ack_timeout", 139, 0, 5, &Req::alternate_local_ack_timeout),
      At("sap_supported", 139, 5, 1, &Req::sap_supported),
      At("reserved_139", 139, 6, 2, &Req::reserved_139, Show::kReserved),
      At("private_data", 140, 0, 736, &Req::private_data, Show::kBytes)};
};

template <>
struct Layout<Mra> {
  static constexpr std::string_view kName = "MRA";
  static constexpr size_t kSize = 232;
  static constexpr auto kRows =
      std::tuple{At("local_cid", 0, 0, 32, &Mra::local_cid, Show::kHex),
                 At("remote_cid", 4, 0, 32, &Mra::remote_cid, Show::kHex),
                 At("message_mraed", 8, 0, 2, &Mra::message_mraed),
                 At("reserved_8", 8, 2, 6, &Mra::reserved_8, Show::kReserved),
                 At("service_timeout", 9, 0, 5, &Mra::service_timeout),
                 At("reserved_9", 9, 5, 3, &Mra::reserved_9, Show::kReserved),
                 At("private_data", 10, 0, 1776, &Mra::private_data, Show::kBytes)};
};

template <>
struct Layout<Rej> {
  static constexpr std::string_view kName = "REJ";
  static constexpr size_t kSize = 232;
  static constexpr auto kRows =
      std::tuple{At("local_cid", 0, 0, 32, &Rej::local_cid, Show::kHex),
                 At("remote_cid", 4, 0, 32, &Rej::remote_cid, Show::kHex),
                 At("message_rejected", 8, 0, 2, &Rej::message_rejected),
                 At("reserved_8", 8, 2, 6, &Rej::reserved_8, Show::kReserved),
                 At("reject_info_length", 9, 0, 7, &Rej::reject_info_length),
                 At("reserved_9", 9, 7, 1, &Rej::reserved_9, Show::kReserved),
                 At("reason", 10, 0, 16, &Rej::reason, Show::kReason),
                 At("ari", 12, 0, 576, &Rej::ari, Show::kBytes),
                 At("private_data", 84, 0, 1184, &Rej::private_data, Show::kBytes)};
};

template <>
struct Layout<Rep> {
  static constexpr std::string_view kName = "REP";
  static constexpr size_t kSize = 232;
  static constexpr auto kRows =
      std::tuple{At("local_cid", 0, 0, 32, &Rep::local_cid, Show::kHex),
                 At("remote_cid", 4, 0, 32, &Rep::remote_cid, Show::kHex),
                 At("local_qkey", 8, 0, 32, &Rep::local_qkey, Show::kHex),
                 At("local_qpn", 12, 0, 24, &Rep::local_qpn),
                 At("vendor_id_h", 15, 0, 8, &Rep::vendor_id_h, Show::kHex),
                 At("local_eecn", 16, 0, 24, &Rep::local_eecn),
                 At("vendor_id_m", 19, 0, 8, &Rep::vendor_id_m, Show::kHex),
                 At("starting_psn", 20, 0, 24, &Rep::starting_psn, Show::kHex),
                 At("vendor_id_l", 23, 0, 8, &Rep::vendor_id_l, Show::kHex),
                 At("responder_resources", 24, 0, 8, &Rep::responder_resources),
                 At("initiator_depth", 25, 0, 8, &Rep::initiator_depth),
                 At("target_ack_delay", 26, 0, 5, &Rep::target_ack_delay),
                 At("failover_accepted", 26, 5, 2, &Rep::failover_accepted),
                 At("end_to_end_flow_control", 26, 7, 1, &Rep::end_to_end_flow_control),
                 At("rnr_retry_count", 27, 0, 3, &Rep::rnr_retry_count),
                 At("srq", 27, 3, 1, &Rep::srq),
                 At("reserved_27", 27, 4, 4, &Rep::reserved_27, Show::kReserved),
                 At("local_ca_guid", 28, 0, 64, &Rep::local_ca_guid, Show::kHex),
                 At("private_data", 36, 0, 1568, &Rep::private_data, Show::kBytes)};
};

template <>
struct Layout<Rtu> {
  static constexpr std::string_view kName = "RTU";
  static constexpr size_t kSize = 232;
  static constexpr auto kRows =
      std::tuple{At("local_cid", 0, 0, 32, &Rtu::local_cid, Show::kHex),
                 At("remote_cid", 4, 0, 32, &Rtu::remote_cid, Show::kHex),
                 At("private_data", 8, 0, 1792, &Rtu::private_data, Show::kBytes)};
};

template <>
struct Layout<Dreq> {
  static constexpr std::string_view kName = "DREQ";
  static constexpr size_t kSize = 232;
  static constexpr auto kRows =
      std::tuple{At("local_cid", 0, 0, 32, &Dreq::local_cid, Show::kHex),
                 At("remote_cid", 4, 0, 32, &Dreq::remote_cid, Show::kHex),
                 At("remote_qpn_eecn", 8, 0, 24, &Dreq::remote_qpn_eecn),
                 At("reserved_11", 11, 0, 8, &Dreq::reserved_11, Show::kReserved),
                 At("private_data", 12, 0, 1760, &Dreq::private_data, Show::kBytes)};
};

template <>
struct Layout<Drep> {
  static constexpr std::string_view kName = "DREP";
  static constexpr size_t kSize = 232;
  static constexpr auto kRows =
      std::tuple{At("local_cid", 0, 0, 32, &Drep::local_cid, Show::kHex),
                 At("remote_cid", 4, 0, 32, &Drep::remote_cid, Show::kHex),
                 At("private_data", 8, 0, 1792, &Drep::private_data, Show::kBytes)};
};

template <>
struct Layout<Lap> {
  static constexpr std::string_view kName = "LAP";
  static constexpr size_t kSize = 232;
  static constexpr auto kRows =
      std::tuple{At("local_cid", 0, 0, 32, &Lap::local_cid, Show::kHex),
                 At("remote_cid", 4, 0, 32, &Lap::remote_cid, Show::kHex),
                 At("reserved_8", 8, 0, 32, &Lap::reserved_8, Show::kReserved),
                 At("remote_qpn_eecn", 12, 0, 24, &Lap::remote_qpn_eecn),
                 At("remote_cm_response_timeout", 15, 0, 5, &Lap::remote_cm_response_timeout),
                 At("reserved_15", 15, 5, 3, &Lap::reserved_15, Show::kReserved),
                 At("reserved_16", 16, 0, 32, &Lap::reserved_16, Show::kReserved),
                 At("alternate_local_lid", 20, 0, 16, &Lap::alternate_local_lid, Show::kHex),
                 At("alternate_remote_lid", 22, 0, 16, &Lap::alternate_remote_lid, Show::kHex),
                 At("alternate_local_gid", 24, 0, 128, &Lap::alternate_local_gid, Show::kGid),
                 At("alternate_remote_gid", 40, 0, 128, &Lap::alternate_remote_gid, Show::kGid),
                 At("alternate_flow_label", 56, 0, 20, &Lap::alternate_flow_label, Show::kHex),
                 At("reserved_58", 58, 4, 4, &Lap::reserved_58, Show::kReserved),
                 At("alternate_traffic_class", 59, 0, 8, &Lap::alternate_traffic_class, Show::kHex),
                 At("alternate_hop_limit", 60, 0, 8, &Lap::alternate_hop_limit),
                 At("reserved_61", 61, 0, 2, &Lap::reserved_61, Show::kReserved),
                 At("alternate_packet_rate", 61, 2, 6, &Lap::alternate_packet_rate),
                 At("alternate_sl", 62, 0, 4, &Lap::alternate_sl),
                 At("alternate_subnet_local", 62, 4, 1, &Lap::alternate_subnet_local),
                 At("reserved_62", 62, 5, 3, &Lap::reserved_62, Show::kReserved),
                 At("alternate_local_ack_timeout", 63, 0, 5, &Lap::alternate_local_ack_timeout),
                 At("reserved_63", 63, 5, 3, &Lap::reserved_63, Show::kReserved),
                 At("private_data", 64, 0, 1344, &Lap::private_data, Show::kBytes)};
};

template <>
struct Layout<Apr> {
  static constexpr std::string_view kName = "APR";
  static constexpr size_t kSize = 232;
  static constexpr auto kRows =
      std::tuple{At("local_cid", 0, 0, 32, &Apr::local_cid, Show::kHex),
                 At("remote_cid", 4, 0, 32, &Apr::remote_cid, Show::kHex),
                 At("additional_info_length", 8, 0, 8, &Apr::additional_info_length),
                 At("ap_status", 9, 0, 8, &Apr::ap_status),
                 At("reserved_10", 10, 0, 16, &Apr::reserved_10, Show::kReserved),
                 At("additional_info", 12, 0, 576, &Apr::additional_info, Show::kBytes),
                 At("private_data", 84, 0, 1184, &Apr::private_data, Show::kBytes)};
};

template <>
struct Layout<SidrReq> {
  static constexpr std::string_view kName = "SIDR_REQ";
  static constexpr size_t kSize = 232;
  static constexpr auto kRows =
      std::tuple{At("request_id", 0, 0, 32, &SidrReq::request_id, Show::kHex),
                 At("pkey", 4, 0, 16, &SidrReq::pkey, Show::kHex),
                 At("reserved_6", 6, 0, 16, &SidrReq::reserved_6, Show::kReserved),
                 At("service_id", 8, 0, 64, &SidrReq::service_id, Show::kHex),
                 At("private_data", 16, 0, 1728, &SidrReq::private_data, Show::kBytes)};
};

template <>
struct Layout<SidrRep> {
  static constexpr std::string_view kName = "SIDR_REP";
  static constexpr size_t kSize = 232;
  static constexpr auto kRows =
      std::tuple{At("request_id", 0, 0, 32, &SidrRep::request_id, Show::kHex),
                 At("status", 4, 0, 8, &SidrRep::status),
                 At("additional_info_length", 5, 0, 8, &SidrRep::additional_info_length),
                 At("vendor_id_h", 6, 0, 16, &SidrRep::vendor_id_h, Show::kHex),
                 At("qpn", 8, 0, 24, &SidrRep::qpn),
                 At("vendor_id_l", 11, 0, 8, &SidrRep::vendor_id_l, Show::kHex),
                 At("service_id", 12, 0, 64, &SidrRep::service_id, Show::kHex),
                 At("qkey", 20, 0, 32, &SidrRep::qkey, Show::kHex),
                 At("additional_info", 24, 0, 576, &SidrRep::additional_info, Show::kBytes),
                 At("private_data", 96, 0, 1088, &SidrRep::private_data, Show::kBytes)};
};

template <>
struct Layout<Opaque> {
  static constexpr std::string_view kName = "body";
  static constexpr size_t kSize = 232;
  static constexpr auto kRows = std::tuple{At("body", 0, 0, 1856, &Opaque::body, Show::kBytes)};
};

}  // namespace cm::mad

#endif  // MODEL_MAD_MESSAGE_LAYOUTS_H_
