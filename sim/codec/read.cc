// Decodes the bytes of Linux's messages to the simulator's representation.
#include <array>
#include <cstdint>
#include <span>
#include <variant>

#include "sim/codec/wire.h"

namespace cm::sim {
namespace {

uint32_t LowerHalf(uint64_t tid) { return __builtin_bswap32(static_cast<uint32_t>(tid)); }

template <size_t kLength>
PrivateData DataFrom(const std::array<uint8_t, kLength>& from, size_t offset = 0) {
  return PrivateData(std::span(from).subspan(offset));
}

RejInfo InfoOf(const mad::Rej& rej) {
  if (rej.reject_info_length == 0) return RejInfo::kNothing;
  if (rej.reject_info_length == LengthOf(RejInfo::kGuid)) return RejInfo::kGuid;
  return rej.reason == RejReason::kInvalidGid ? RejInfo::kPortGid : RejInfo::kPathGid;
}

template <typename Body>
void ReadIds(const Body& body, Mad* mad) {
  mad->local_cid = body.local_cid;
  mad->remote_cid = body.remote_cid;
}

}  // namespace

template <typename Request>
bool Wire::ReadService(const Request& request, Mad* mad) const {
  const std::optional<mad::Service> service = mad::ServiceOf(request.service_id);
  const mad::CmaHeader header = mad::CmaHeaderOf(request);
  const bool v6 = header.ip_version == 6;
  if (!service) return false;
  const auto source = AddressOf(header.source_address, v6, header.port);
  const auto destination = AddressOf(header.destination_address, v6, service->port);
  if (!source || !destination) return false;
  mad->space = service->space;
  mad->port = service->port;
  mad->cma_version = header.cma_version;
  mad->source = *source;
  mad->destination = *destination;
  mad->data = DataFrom(request.private_data, mad::kSize<mad::CmaHeader>);
  return true;
}

// A GUID of another device than the sender is accepted.
bool Wire::ReadGuid(uint64_t guid, Mad* mad) const {
  if (GuidOf(mad->sender) == guid) return true;
  const std::optional<uint8_t> device = DeviceOf(guid);
  if (device) mad->sender = *device;
  return device.has_value();
}

bool Wire::ReadBody(const mad::Req& req, Mad* mad) const {
  mad->local_cid = req.local_cid;
  mad->ece.vendor_id = req.vendor_id;
  mad->qp_num = req.local_qpn;
  mad->conn = {.responder_resources = req.responder_resources,
               .initiator_depth = req.initiator_depth,
               .flow_control = req.end_to_end_flow_control,
               .retry_count = req.retry_count,
               .rnr_retry_count = req.rnr_retry_count,
               .srq = req.srq};
  mad->response_timeout = req.local_cm_response_timeout;
  mad->unreliable = req.transport_service_type == mad::TransportServiceType::kUc;
  mad->extended = req.transport_service_type == mad::TransportServiceType::kExtended;
  mad->p_key = req.pkey;
  mad->max_retries = req.max_cm_retries;
  mad->ack_timeout = req.primary_local_ack_timeout;
  mad->alternate_path = req.alternate_local_lid != 0;
  mad->mixed_gids = req.primary_local_gid[0] == 0xfe;
  return ReadGuid(req.local_ca_guid, mad) && ReadService(req, mad);
}

bool Wire::ReadBody(const mad::Mra& mra, Mad* mad) const {
  ReadIds(mra, mad);
  mad->about = mra.message_mraed;
  mad->service_timeout = mra.service_timeout;
  return true;
}

bool Wire::ReadBody(const mad::Rej& rej, Mad* mad) const {
  ReadIds(rej, mad);
  mad->about = rej.message_rejected;
  mad->reason = rej.reason;
  mad->info = InfoOf(rej);
  mad->data = DataFrom(rej.private_data);
  return true;
}

bool Wire::ReadBody(const mad::Rep& rep, Mad* mad) const {
  ReadIds(rep, mad);
  mad->extended = rep.local_eecn != 0;
  mad->qp_num = mad->extended ? rep.local_eecn : rep.local_qpn;
  mad->ece.vendor_id =
      uint32_t{rep.vendor_id_h} << 16 | uint32_t{rep.vendor_id_m} << 8 | rep.vendor_id_l;
  mad->conn = {.responder_resources = rep.responder_resources,
               .initiator_depth = rep.initiator_depth,
               .flow_control = rep.end_to_end_flow_control,
               .rnr_retry_count = rep.rnr_retry_count,
               .srq = rep.srq};
  mad->ack_delay = rep.target_ack_delay;
  mad->data = DataFrom(rep.private_data);
  return ReadGuid(rep.local_ca_guid, mad);
}

bool Wire::ReadBody(const mad::Rtu& rtu, Mad* mad) const {
  ReadIds(rtu, mad);
  return true;
}

bool Wire::ReadBody(const mad::Dreq& dreq, Mad* mad) const {
  ReadIds(dreq, mad);
  mad->qp_num = dreq.remote_qpn_eecn;
  return true;
}

bool Wire::ReadBody(const mad::Drep& drep, Mad* mad) const {
  ReadIds(drep, mad);
  return true;
}

bool Wire::ReadBody(const mad::SidrReq& req, Mad* mad) const {
  mad->local_cid = req.request_id;
  mad->p_key = req.pkey;
  return ReadService(req, mad);
}

bool Wire::ReadBody(const mad::SidrRep& rep, Mad* mad) const {
  mad->remote_cid = rep.request_id;
  mad->status = static_cast<SidrStatus>(rep.status);
  mad->qp_num = rep.qpn;
  mad->qkey = rep.qkey;
  mad->data = DataFrom(rep.private_data);
  return true;
}

bool Wire::ReadBody(const mad::Lap& lap, Mad* mad) const {
  ReadIds(lap, mad);
  mad->qp_num = lap.remote_qpn_eecn;
  return true;
}

bool Wire::ReadBody(const mad::Apr& apr, Mad* mad) const {
  ReadIds(apr, mad);
  return true;
}

bool Wire::ReadBody(const mad::Opaque&, Mad*) const { return true; }

std::optional<Mad> Wire::Read(const mad::Mad& mad, uint8_t from) const {
  Mad read;
  read.kind = mad::KindOf(mad.message);
  read.sender = from;
  read.tid = LowerHalf(mad.header.tid);
  read.base_version = mad.header.base_version;
  read.class_version = mad.header.class_version;
  read.method = mad.header.method;
  const bool fine =
      std::visit([&](const auto& body) { return ReadBody(body, &read); }, mad.message);
  if (!fine) return std::nullopt;
  if (read.kind == MadKind::kOther) {
    read.attribute = mad.header.attribute_id;
    read.mad_status = mad.header.status;
  }
  if (read.kind == MadKind::kReq || read.kind == MadKind::kRep)
    read.ece.options = mad.header.attribute_modifier;
  return read;
}

}  // namespace cm::sim
