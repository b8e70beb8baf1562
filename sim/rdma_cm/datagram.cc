// Datagram ids: they look a service up by SIDR. source: linux 6.1 cma.c cma_resolve_ib_udp,
// cma_send_sidr_rep, cma_sidr_rep_handler
#include "sim/rdma_cm/rdma_cm.h"

namespace cm::sim {

Errno RdmaCm::ConnectDatagram(uint32_t id, const command::Connect& cmd) {
  CmId& own = ids_[id];
  const uint8_t room = c_.profile->limits.datagram_request_data;
  if (cmd.param.private_data.size() > room || SourceLost(own)) return Errno::kInval;
  Mad req;
  req.space = own.space;
  req.port = own.destination.port;
  req.source = own.source;
  req.destination = own.destination;
  req.data = cmd.param.private_data.Resized(room);
  own.state = CmState::kConnect;
  own.ib = c_.ib->Create(own.kernel, own.device, id, own.source_since);
  const bool inside = OverInfiniband() && own.destination.AnyOrLoopback();
  const uint8_t there = inside ? own.device : c_.fabric->DeviceOf(own.destination);
  return c_.ib->SendSidrReq(IbContext(), own.ib, there, req);
}

// Without parameters the reply has the queue pair that the kernel knows: none.
Errno RdmaCm::AnswerDatagram(uint32_t id, const command::Accept& cmd) {
  const CmId& own = ids_[id];
  Mad rep;
  rep.qkey = QkeyOf(own.space);
  if (cmd.valid) {
    rep.qp_num = cmd.param.qp_num & 0xffffff;
    rep.data = cmd.param.private_data;
  }
  return c_.ib->SendSidrRep(IbContext(), own.ib, std::move(rep));
}

Errno RdmaCm::RefuseDatagram(uint32_t id, const PrivateData& data) {
  Mad rep;
  rep.status = SidrStatus::kReject;
  rep.data = data;
  return c_.ib->SendSidrRep(IbContext(), ids_[id].ib, std::move(rep));
}

// False when the event is none of these.
bool RdmaCm::ReportDatagram(uint32_t id, IbEventKind kind, const Mad* mad) {
  response::Event event{.type = EventType::kUnreachable,
                        .status = -static_cast<int>(Errno::kTimedOut)};
  if (kind == IbEventKind::kSidrRepReceived) {
    event.status = static_cast<int32_t>(mad->status);
    event.private_data = mad->data.Resized(c_.profile->limits.datagram_reply_data);
    const bool key_fits = mad->qkey == QkeyOf(ids_[id].space) && mad->qkey != 0;
    if (mad->status == SidrStatus::kSuccess && !key_fits) {
      event.type = EventType::kAddrError;
      event.status = -static_cast<int>(Errno::kInval);
    } else if (mad->status == SidrStatus::kSuccess) {
      event.type = EventType::kEstablished;
      event.qp_num = mad->qp_num;
      event.qkey = mad->qkey;
    }
  } else if (kind != IbEventKind::kSidrReqError) {
    return false;
  }
  Queue(id, std::move(event));
  return true;
}

}  // namespace cm::sim
