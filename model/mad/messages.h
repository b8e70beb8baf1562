// Messages of the communication manager, as values: the MAD header and the body of each.
//
// Members are the fields of the layouts of the same name (message_layouts.h), reserved bits
// included, so that a message from anywhere comes back as it was. What Linux always sends is the
// default value. Offsets in names of reserved fields count from the beginning of the body.
// source: linux 6.1 ibta_vol1_c12.h, ib_mad.h struct ib_mad_hdr
#ifndef MODEL_MAD_MESSAGES_H_
#define MODEL_MAD_MESSAGES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "model/vocabulary/mad_kind.h"
#include "model/vocabulary/protocol.h"

namespace cm::mad {

using cm::About;
using Gid = std::array<uint8_t, 16>;

inline constexpr size_t kMadSize = 256;
inline constexpr size_t kHeaderSize = 24;
inline constexpr size_t kBodySize = kMadSize - kHeaderSize;

inline constexpr uint8_t kCmClass = 0x07;

// Attributes of the class besides those of MadKind. source: rdma-core 44 umad_cm.h
inline constexpr uint16_t kSapAttribute = 0x001b;
inline constexpr uint16_t kSprAttribute = 0x001c;

// source: linux 6.1 cm_msgs.h cm_req_get_qp_type
enum class TransportServiceType : uint8_t { kRc = 0, kUc = 1, kRd = 2, kExtended = 3 };

struct MadHeader {
  uint8_t base_version = kMadBaseVersion;
  uint8_t mgmt_class = kCmClass;
  uint8_t class_version = kCmClassVersion;
  uint8_t method = kSendMethod;
  uint16_t status = 0;
  uint16_t class_specific = 0;
  uint64_t tid = 0;
  uint16_t attribute_id = RowOf(MadKind::kReq).attribute_id;
  uint16_t reserved_18 = 0;
  uint32_t attribute_modifier = 0;
  MadKind kind() const { return KindOfAttribute(attribute_id); }
  friend bool operator==(const MadHeader&, const MadHeader&) = default;
};

struct Req {
  static constexpr MadKind kKind = MadKind::kReq;
  uint32_t local_cid = 0;
  uint8_t reserved_4 = 0;
  uint32_t vendor_id = 0;
  uint64_t service_id = 0;
  uint64_t local_ca_guid = 0;
  uint32_t reserved_24 = 0;
  uint32_t local_qkey = 0;
  uint32_t local_qpn = 0;
  uint8_t responder_resources = 0;
  uint32_t local_eecn = 0;
  uint8_t initiator_depth = 0;
  uint32_t remote_eecn = 0;
  uint8_t remote_cm_response_timeout = 0;
  TransportServiceType transport_service_type = TransportServiceType::kRc;
  bool end_to_end_flow_control = false;
  uint32_t starting_psn = 0;
  uint8_t local_cm_response_timeout = 0;
  uint8_t retry_count = 0;
  uint16_t pkey = 0xffff;
  uint8_t path_mtu = 0;
  bool rdc_exists = false;
  uint8_t rnr_retry_count = 0;
  uint8_t max_cm_retries = 0;
  bool srq = false;
  uint8_t extended_transport_type = 0;
  uint16_t primary_local_lid = 0;
  uint16_t primary_remote_lid = 0;
  Gid primary_local_gid{};
  Gid primary_remote_gid{};
  uint32_t primary_flow_label = 0;
  uint8_t reserved_90 = 0;
  uint8_t primary_packet_rate = 0;
  uint8_t primary_traffic_class = 0;
  uint8_t primary_hop_limit = 0;
  uint8_t primary_sl = 0;
  bool primary_subnet_local = false;
  uint8_t reserved_94 = 0;
  uint8_t primary_local_ack_timeout = 0;
  uint8_t reserved_95 = 0;
  uint16_t alternate_local_lid = 0;
  uint16_t alternate_remote_lid = 0;
  Gid alternate_local_gid{};
  Gid alternate_remote_gid{};
  uint32_t alternate_flow_label = 0;
  uint8_t reserved_134 = 0;
  uint8_t alternate_packet_rate = 0;
  uint8_t alternate_traffic_class = 0;
  uint8_t alternate_hop_limit = 0;
  uint8_t alternate_sl = 0;
  bool alternate_subnet_local = false;
  uint8_t reserved_138 = 0;
  uint8_t alternate_local_ack_timeout = 0;
  bool sap_supported = false;
  uint8_t reserved_139 = 0;
  std::array<uint8_t, 92> private_data{};
  friend bool operator==(const Req&, const Req&) = default;
};

// Message receipt acknowledged.
struct Mra {
  static constexpr MadKind kKind = MadKind::kMra;
  uint32_t local_cid = 0;
  uint32_t remote_cid = 0;
  About message_mraed = About::kReq;
  uint8_t reserved_8 = 0;
  uint8_t service_timeout = 0;
  uint8_t reserved_9 = 0;
  std::array<uint8_t, 222> private_data{};
  friend bool operator==(const Mra&, const Mra&) = default;
};

struct Rej {
  static constexpr MadKind kKind = MadKind::kRej;
  uint32_t local_cid = 0;
  uint32_t remote_cid = 0;
  About message_rejected = About::kReq;
  uint8_t reserved_8 = 0;
  uint8_t reject_info_length = 0;
  bool reserved_9 = false;
  RejReason reason = RejReason::kNone;
  std::array<uint8_t, 72> ari{};
  std::array<uint8_t, 148> private_data{};
  friend bool operator==(const Rej&, const Rej&) = default;
};

struct Rep {
  static constexpr MadKind kKind = MadKind::kRep;
  uint32_t local_cid = 0;
  uint32_t remote_cid = 0;
  uint32_t local_qkey = 0;
  uint32_t local_qpn = 0;
  uint8_t vendor_id_h = 0;
  uint32_t local_eecn = 0;
  uint8_t vendor_id_m = 0;
  uint32_t starting_psn = 0;
  uint8_t vendor_id_l = 0;
  uint8_t responder_resources = 0;
  uint8_t initiator_depth = 0;
  uint8_t target_ack_delay = 0;
  uint8_t failover_accepted = 0;
  bool end_to_end_flow_control = false;
  uint8_t rnr_retry_count = 0;
  bool srq = false;
  uint8_t reserved_27 = 0;
  uint64_t local_ca_guid = 0;
  std::array<uint8_t, 196> private_data{};
  friend bool operator==(const Rep&, const Rep&) = default;
};

struct Rtu {
  static constexpr MadKind kKind = MadKind::kRtu;
  uint32_t local_cid = 0;
  uint32_t remote_cid = 0;
  std::array<uint8_t, 224> private_data{};
  friend bool operator==(const Rtu&, const Rtu&) = default;
};

struct Dreq {
  static constexpr MadKind kKind = MadKind::kDreq;
  uint32_t local_cid = 0;
  uint32_t remote_cid = 0;
  uint32_t remote_qpn_eecn = 0;
  uint8_t reserved_11 = 0;
  std::array<uint8_t, 220> private_data{};
  friend bool operator==(const Dreq&, const Dreq&) = default;
};

struct Drep {
  static constexpr MadKind kKind = MadKind::kDrep;
  uint32_t local_cid = 0;
  uint32_t remote_cid = 0;
  std::array<uint8_t, 224> private_data{};
  friend bool operator==(const Drep&, const Drep&) = default;
};

struct Lap {
  static constexpr MadKind kKind = MadKind::kLap;
  uint32_t local_cid = 0;
  uint32_t remote_cid = 0;
  uint32_t reserved_8 = 0;
  uint32_t remote_qpn_eecn = 0;
  uint8_t remote_cm_response_timeout = 0;
  uint8_t reserved_15 = 0;
  uint32_t reserved_16 = 0;
  uint16_t alternate_local_lid = 0;
  uint16_t alternate_remote_lid = 0;
  Gid alternate_local_gid{};
  Gid alternate_remote_gid{};
  uint32_t alternate_flow_label = 0;
  uint8_t reserved_58 = 0;
  uint8_t alternate_traffic_class = 0;
  uint8_t alternate_hop_limit = 0;
  uint8_t reserved_61 = 0;
  uint8_t alternate_packet_rate = 0;
  uint8_t alternate_sl = 0;
  bool alternate_subnet_local = false;
  uint8_t reserved_62 = 0;
  uint8_t alternate_local_ack_timeout = 0;
  uint8_t reserved_63 = 0;
  std::array<uint8_t, 168> private_data{};
  friend bool operator==(const Lap&, const Lap&) = default;
};

struct Apr {
  static constexpr MadKind kKind = MadKind::kApr;
  uint32_t local_cid = 0;
  uint32_t remote_cid = 0;
  uint8_t additional_info_length = 0;
  uint8_t ap_status = 0;
  uint16_t reserved_10 = 0;
  std::array<uint8_t, 72> additional_info{};
  std::array<uint8_t, 148> private_data{};
  friend bool operator==(const Apr&, const Apr&) = default;
};

struct SidrReq {
  static constexpr MadKind kKind = MadKind::kSidrReq;
  uint32_t request_id = 0;
  uint16_t pkey = 0xffff;
  uint16_t reserved_6 = 0;
  uint64_t service_id = 0;
  std::array<uint8_t, 216> private_data{};
  friend bool operator==(const SidrReq&, const SidrReq&) = default;
};

struct SidrRep {
  static constexpr MadKind kKind = MadKind::kSidrRep;
  uint32_t request_id = 0;
  uint8_t status = 0;
  uint8_t additional_info_length = 0;
  uint16_t vendor_id_h = 0;
  uint32_t qpn = 0;
  uint8_t vendor_id_l = 0;
  uint64_t service_id = 0;
  uint32_t qkey = 0;
  std::array<uint8_t, 72> additional_info{};
  std::array<uint8_t, 136> private_data{};
  friend bool operator==(const SidrRep&, const SidrRep&) = default;
};

// A body whose layout is not known: SAP, SPR, ClassPortInfo, other classes and class versions.
struct Opaque {
  static constexpr MadKind kKind = MadKind::kOther;
  std::array<uint8_t, 232> body{};
  friend bool operator==(const Opaque&, const Opaque&) = default;
};

using Message =
    std::variant<Opaque, Req, Mra, Rej, Rep, Rtu, Dreq, Drep, SidrReq, SidrRep, Lap, Apr>;

// The header says which message follows. MakeMad and Decode return consistent ones.
struct Mad {
  MadHeader header;
  Message message;
  friend bool operator==(const Mad&, const Mad&) = default;
};

// A message with the header that Linux gives it; an Opaque one as a SAP.
Mad MakeMad(const Message& message, uint64_t tid);

// The kind of a message; kOther for an Opaque one.
MadKind KindOf(const Message& message);
// Its attribute; that of a SAP for an Opaque one.
uint16_t AttributeOf(const Message& message);

}  // namespace cm::mad

#endif  // MODEL_MAD_MESSAGES_H_
