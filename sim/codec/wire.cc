#include "sim/codec/wire.h"

#include <endian.h>

#include <algorithm>
#include <array>
#include <span>

#include "sim/fabric/names.h"

namespace cm::sim {
namespace {

// Number of the MAD agent on a machine with no RDMA device but Soft-RoCE. source: observed 6.1-rxe
constexpr uint64_t kAgent = 2;
constexpr uint8_t kHopLimit = 64;
constexpr uint8_t kMtu1024 = 3;
constexpr uint16_t kNoLid = 0xffff;
constexpr uint8_t kXrc = 1;  // as an extended transport type
constexpr uint32_t kFirstPacketId = 1;

// The lower half of a transaction id is the communication id in the sender's byte order. source:
// linux 6.1 cm.c cm_form_tid
uint64_t TransactionId(uint32_t tid) { return kAgent << 32 | __builtin_bswap32(tid); }

// Linux draws it; here it is derived from the communication id. source: linux 6.1 cma.c,
// id->seq_num
uint32_t StartingPacket(uint32_t cid) { return (cid * 0x9e3779b1u) >> 8; }

// source: linux 6.1 ib_verbs.h rdma_calc_flow_label
uint32_t FlowLabel(uint16_t from, uint16_t to) { return (from * 31u + to) & 0xfffff; }

template <size_t kLength>
void PutData(const PrivateData& data, std::array<uint8_t, kLength>* to, size_t offset = 0) {
  const size_t size = std::min<size_t>(data.size(), kLength - offset);
  std::copy_n(data.bytes().begin(), size, to->begin() + static_cast<ptrdiff_t>(offset));
}

// In the CMA header zeros precede an IPv4 address. source: linux 6.1 cma.c cma_format_hdr
mad::Gid WithoutMapping(mad::Gid gid, bool v6) {
  if (!v6) std::fill_n(gid.begin(), 12, uint8_t{0});
  return gid;
}

// The family is that of both addresses, of which Linux 5.10 may have forgotten one.
bool IsOverV6(const Mad& mad) {
  return (mad.destination.kind == AddressKind::kNone ? mad.source : mad.destination).v6;
}

}  // namespace

Wire::Wire(const Topology* topology) : topology_(topology) {
  for (uint8_t port = 0; port < topology->devices.size(); ++port) {
    const DeviceInfo& device = topology->devices[port];
    stations_.push_back({.mac = MacOf(port),
                         .guid = be64toh(sim::GuidOf(*topology, port)),
                         .first = GidAt(*topology, port, 0).value_or(mad::Gid{}),
                         .v4 = GidOfHost(device.v4),
                         .v6 = GidOfHost(device.v6)});
  }
}

mad::Gid Wire::GidOf(const Address& address) const { return sim::GidOf(address, *topology_); }

// The GID of `address` if it is the device's, else the device's first GID.
mad::Gid Wire::GidOn(uint8_t device, const Address& address) const {
  const bool own =
      address.kind == AddressKind::kSide && topology_->sides[address.side].device == device;
  if (own || device >= stations_.size()) return GidOf(address);
  return address.v6 ? stations_[device].v6 : stations_[device].v4;
}

std::optional<Address> Wire::AddressOf(const mad::Gid& gid, bool v6, uint16_t port) const {
  const auto is_it = [&](const Address& one) { return WithoutMapping(GidOf(one), v6) == gid; };
  for (uint8_t side = 0; side < topology_->sides.size(); ++side) {
    const DeviceInfo& device = topology_->devices[topology_->sides[side].device];
    for (uint8_t nth = 0; nth < device.AddressCount(); ++nth) {
      const Address one{
          .kind = AddressKind::kSide, .side = side, .v6 = v6, .port = port, .nth = nth};
      if (is_it(one)) return one;
    }
  }
  for (const AddressKind kind : {AddressKind::kAny, AddressKind::kLoopback, AddressKind::kForeign,
                                 AddressKind::kUnroutable, AddressKind::kSilent}) {
    const Address one{.kind = kind, .v6 = v6, .port = port};
    if (is_it(one)) return one;
  }
  return std::nullopt;
}

uint64_t Wire::GuidOf(uint8_t device) const {
  return device < stations_.size() ? stations_[device].guid : 0;
}

mad::Gid Wire::FirstGidOf(uint8_t device) const {
  return device < stations_.size() ? stations_[device].first : mad::Gid{};
}

std::optional<uint8_t> Wire::DeviceOf(uint64_t guid) const {
  for (size_t i = 0; i < stations_.size(); ++i)
    if (stations_[i].guid == guid) return static_cast<uint8_t>(i);
  return std::nullopt;
}

mad::CmaHeader Wire::WrittenCma(const Mad& mad) const {
  const bool v6 = IsOverV6(mad);
  return {.cma_version = mad.cma_version,
          .ip_version = static_cast<uint8_t>(v6 ? 6 : 4),
          .port = mad.source.port,
          .source_address = WithoutMapping(GidOf(mad.source), v6),
          .destination_address = WithoutMapping(GidOf(mad.destination), v6)};
}

// source: linux 6.1 cm_msgs.h cm_req_set_qp_type
mad::Req Wire::WrittenReq(const Mad& mad) const {
  mad::Req req{.local_cid = mad.local_cid,
               .vendor_id = mad.ece.vendor_id,
               .service_id = mad::MakeServiceId(mad.space, mad.port),
               .local_ca_guid = GuidOf(mad.sender),
               .local_qpn = mad.qp_num,
               .responder_resources = mad.conn.responder_resources,
               .initiator_depth = mad.conn.initiator_depth,
               .remote_cm_response_timeout = mad.response_timeout,
               .transport_service_type =
                   mad.unreliable ? mad::TransportServiceType::kUc : mad::TransportServiceType::kRc,
               .end_to_end_flow_control = mad.conn.flow_control != 0,
               .starting_psn = StartingPacket(mad.local_cid),
               .local_cm_response_timeout = mad.response_timeout,
               .retry_count = mad.conn.retry_count,
               .pkey = mad.p_key,
               .path_mtu = kMtu1024,
               .rnr_retry_count = mad.conn.rnr_retry_count,
               .max_cm_retries = mad.max_retries,
               .srq = mad.conn.srq != 0,
               .primary_local_lid = kNoLid,
               .primary_remote_lid = kNoLid,
               .primary_local_gid = GidOf(mad.source),
               .primary_remote_gid = GidOf(mad.destination),
               .primary_flow_label = FlowLabel(mad.source.port, mad.destination.port),
               .primary_hop_limit = kHopLimit,
               .primary_local_ack_timeout = mad.ack_timeout};
  if (mad.extended) {
    req.transport_service_type = mad::TransportServiceType::kExtended;
    req.extended_transport_type = kXrc;
  }
  if (mad.mixed_gids) req.primary_local_gid = FirstGidOf(mad.sender);
  if (mad.alternate_path) {
    req.alternate_local_lid = req.alternate_remote_lid = kNoLid;
    req.alternate_local_gid = req.primary_local_gid;
    req.alternate_remote_gid = req.primary_remote_gid;
    req.alternate_hop_limit = kHopLimit;
    req.alternate_local_ack_timeout = mad.ack_timeout;
  }
  mad::SetCmaHeader(req, WrittenCma(mad));
  PutData(mad.data, &req.private_data, mad::kSize<mad::CmaHeader>);
  return req;
}

mad::Rej Wire::WrittenRej(const Mad& mad) const {
  mad::Rej rej{.local_cid = mad.local_cid,
               .remote_cid = mad.remote_cid,
               .message_rejected = mad.about,
               .reject_info_length = LengthOf(mad.info),
               .reason = mad.reason};
  mad::Gid info{};
  switch (mad.info) {
    case RejInfo::kNothing:
    case RejInfo::kPathGid:
      break;
    case RejInfo::kGuid:
      for (int i = 0; i < 8; ++i)
        info[i] = static_cast<uint8_t>(GuidOf(mad.sender) >> (56 - 8 * i));
      break;
    case RejInfo::kPortGid:
      info = FirstGidOf(mad.sender);
      break;
  }
  std::copy(info.begin(), info.end(), rej.ari.begin());
  PutData(mad.data, &rej.private_data);
  return rej;
}

// That of a target of XRC has its number elsewhere. source: linux 6.1 cm.c cm_format_rep
mad::Rep Wire::WrittenRep(const Mad& mad) const {
  mad::Rep rep{.local_cid = mad.local_cid,
               .remote_cid = mad.remote_cid,
               .local_qpn = mad.qp_num,
               .vendor_id_h = static_cast<uint8_t>(mad.ece.vendor_id >> 16),
               .vendor_id_m = static_cast<uint8_t>(mad.ece.vendor_id >> 8),
               .starting_psn = StartingPacket(mad.local_cid),
               .vendor_id_l = static_cast<uint8_t>(mad.ece.vendor_id),
               .responder_resources = mad.conn.responder_resources,
               .initiator_depth = mad.conn.initiator_depth,
               .target_ack_delay = mad.ack_delay,
               .end_to_end_flow_control = mad.conn.flow_control != 0,
               .rnr_retry_count = mad.conn.rnr_retry_count,
               .srq = mad.conn.srq != 0,
               .local_ca_guid = GuidOf(mad.sender)};
  if (mad.extended) {
    rep.local_eecn = rep.local_qpn;
    rep.local_qpn = 0;
  }
  PutData(mad.data, &rep.private_data);
  return rep;
}

mad::SidrReq Wire::WrittenSidrReq(const Mad& mad) const {
  mad::SidrReq req{.request_id = mad.local_cid,
                   .pkey = mad.p_key,
                   .service_id = mad::MakeServiceId(mad.space, mad.port)};
  mad::SetCmaHeader(req, WrittenCma(mad));
  PutData(mad.data, &req.private_data, mad::kSize<mad::CmaHeader>);
  return req;
}

mad::SidrRep Wire::WrittenSidrRep(const Mad& mad) const {
  mad::SidrRep rep{.request_id = mad.remote_cid,
                   .status = static_cast<uint8_t>(mad.status),
                   .qpn = mad.qp_num,
                   .qkey = mad.qkey};
  PutData(mad.data, &rep.private_data);
  return rep;
}

mad::Mad Wire::Written(const Mad& mad) const {
  mad::Mad written = mad::MakeMad(
      [&]() -> mad::Message {
        switch (mad.kind) {
          case MadKind::kReq:
            return WrittenReq(mad);
          case MadKind::kMra:
            return mad::Mra{.local_cid = mad.local_cid,
                            .remote_cid = mad.remote_cid,
                            .message_mraed = mad.about,
                            .service_timeout = mad.service_timeout};
          case MadKind::kRej:
            return WrittenRej(mad);
          case MadKind::kRep:
            return WrittenRep(mad);
          case MadKind::kRtu:
            return mad::Rtu{.local_cid = mad.local_cid, .remote_cid = mad.remote_cid};
          case MadKind::kDreq:
            return mad::Dreq{.local_cid = mad.local_cid,
                             .remote_cid = mad.remote_cid,
                             .remote_qpn_eecn = mad.qp_num};
          case MadKind::kDrep:
            return mad::Drep{.local_cid = mad.local_cid, .remote_cid = mad.remote_cid};
          case MadKind::kSidrReq:
            return WrittenSidrReq(mad);
          case MadKind::kSidrRep:
            return WrittenSidrRep(mad);
          case MadKind::kLap:
            return mad::Lap{.local_cid = mad.local_cid,
                            .remote_cid = mad.remote_cid,
                            .remote_qpn_eecn = mad.qp_num};
          case MadKind::kApr:
            return mad::Apr{.local_cid = mad.local_cid, .remote_cid = mad.remote_cid};
          case MadKind::kOther:
          case MadKind::kMpaRequest:
          case MadKind::kMpaReply:
          case MadKind::kMpaReject:
          case MadKind::kFin:
            break;
        }
        return mad::Opaque{};
      }(),
      TransactionId(mad.tid));
  written.header.base_version = mad.base_version;
  written.header.class_version = mad.class_version;
  written.header.method = mad.method;
  if (mad.kind == MadKind::kOther) {
    written.header.attribute_id = mad.attribute;
    written.header.status = mad.mad_status;
  }
  if (mad.kind == MadKind::kReq || mad.kind == MadKind::kRep)
    written.header.attribute_modifier = mad.ece.options;
  return written;
}

Wire::Known Wire::Remember(const WireNote& note) {
  const Mad& mad = note.mad;
  const std::pair own{note.from, mad.local_cid};
  if (mad.kind == MadKind::kReq || mad.kind == MadKind::kSidrReq) {
    const Known known{.v6 = IsOverV6(mad),
                      .from = GidOn(note.from, mad.source),
                      .to = GidOn(note.to, mad.destination),
                      .service_id = mad::MakeServiceId(mad.space, mad.port),
                      .vendor_id = mad.ece.vendor_id};
    return known_[own] = known;
  }
  if (const auto found = known_.find({note.to, mad.remote_cid}); found != known_.end()) {
    Known known = found->second;
    std::swap(known.from, known.to);
    if (mad.local_cid != 0) known_.insert_or_assign(own, known);
    return known;
  }
  if (const auto found = known_.find(own); found != known_.end()) return found->second;
  return {.from = GidOn(note.from, {}), .to = GidOn(note.to, {})};
}

mad::Frame Wire::FrameOf(const WireNote& note) {
  const Known known = Remember(note);
  if (note.mad.kind == MadKind::kReq || note.mad.kind == MadKind::kRep) {
    flows_[{note.from, note.mad.qp_num}] = {.v6 = known.v6,
                                            .from = known.from,
                                            .to = known.to,
                                            .psn = StartingPacket(note.mad.local_cid)};
  }
  Station& from = stations_[note.from];
  mad::Mac to_mac{0x52, 0x54, 0, 0, 0, 0xff};  // the gateway, for an address without a host
  if (note.to < stations_.size()) to_mac = stations_[note.to].mac;
  mad::Frame frame;
  frame.link = mad::Ethernet{.destination = to_mac, .source = from.mac};
  if (known.v6) {
    frame.ip = mad::Ipv6{.source = known.from, .destination = known.to};
  } else {
    frame.ip = mad::Ipv4{.id = static_cast<uint16_t>(kFirstPacketId + from.packets),
                         .source = Last32(known.from),
                         .destination = Last32(known.to)};
  }
  frame.bth.ack_request = true;
  frame.bth.psn = from.packets & 0xffffff;
  frame.udp.source_port = mad::kRxeSourcePort;
  frame.mad = Written(note.mad);
  if (auto* rep = std::get_if<mad::SidrRep>(&frame.mad.message)) rep->service_id = known.service_id;
  if (auto* rej = std::get_if<mad::Rej>(&frame.mad.message)) {
    if (note.mad.info == RejInfo::kPathGid) std::ranges::copy(known.from, rej->ari.begin());
    // An answer to a request before there is an id for it echoes what stands where other messages
    // have the remote id: in a request, the vendor id. One for an id leaves out its own.
    // source: linux 6.1 cm.c cm_match_req, cm_issue_rej, cm_format_rej
    const bool before_an_id =
        note.mad.reason == RejReason::kInvalidServiceId || note.mad.reason == RejReason::kStaleConn;
    if (before_an_id && note.mad.local_cid == 0 && note.mad.about == About::kReq)
      rej->local_cid = known.vendor_id;
  }
  ++from.packets;
  return frame;
}

mad::FrameBytes Wire::Captured(const WireNote& note) {
  mad::Frame frame = FrameOf(note);
  const mad::FrameBytes sealed = mad::Seal(frame);
  if (!note.corrupt) return sealed;
  frame.icrc.value = ~frame.icrc.value;
  return mad::Encode(frame);
}

}  // namespace cm::sim
