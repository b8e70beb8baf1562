// Connecting, accepting, rejecting, disconnecting, and events of the IB CM. source: linux 6.1 cma.c
// rdma_connect_locked, rdma_accept, cma_ib_handler, cma_ib_req_handler
#include <algorithm>

#include "sim/rdma_cm/rdma_cm.h"

namespace cm::sim {
namespace {

// The peer's view: its responder resources limit our initiator depth, and the reverse.
ConnFields Swapped(ConnFields conn) {
  std::swap(conn.responder_resources, conn.initiator_depth);
  return conn;
}

// A message has 24 bits for the vendor id.
EceOptions OnTheWire(EceOptions ece) {
  ece.vendor_id &= 0xffffff;
  return ece;
}

}  // namespace

// The source GID was removed when the interface went down. source: linux 6.1 sa_query.c
// roce_resolve_route_from_path
bool RdmaCm::SourceLost(const CmId& own) const {
  const bool lost = own.source_since != c_.fabric->device(own.device).fail_overs;
  return own.interface != kNoDevice && lost && !OverInfiniband();
}

Errno RdmaCm::Write(uint32_t file, const command::Connect& cmd) {
  const Errno error = LookupWithDevice(file, cmd.id);
  if (error != Errno::kNone) return error;
  CmId& own = ids_[cmd.id];
  if (own.state != CmState::kRouteResolved) return Errno::kInval;
  if (OverIwarp()) return ConnectOverTcp(cmd.id, cmd);
  if (IsDatagram(own.space)) return ConnectDatagram(cmd.id, cmd);
  const Limits& limits = c_.profile->limits;
  const PrivateData& data = cmd.param.private_data;
  if (data.size() > limits.request_data) return Errno::kInval;
  if (SourceLost(own)) return Errno::kInval;
  Mad req;
  req.space = own.space;
  req.port = own.destination.port;
  req.qp_num = cmd.param.qp_num & 0xffffff;
  req.conn = cmd.param.conn;
  req.ece = OnTheWire(cmd.param.ece);
  req.conn.retry_count = std::min(req.conn.retry_count, limits.max_retry_count);
  req.conn.rnr_retry_count = std::min(req.conn.rnr_retry_count, limits.max_retry_count);
  req.source = own.source;
  req.destination = own.destination;
  req.data = data.Resized(limits.request_data);
  own.state = CmState::kConnect;
  own.ib = c_.ib->Create(own.kernel, own.device, cmd.id, own.source_since);
  // A path without addresses leads back to the sender, where there is no such id.
  if (own.path_given) req.port = 0;
  const bool inside = own.path_given || (OverInfiniband() && own.destination.AnyOrLoopback());
  const uint8_t there = inside ? own.device : c_.fabric->DeviceOf(own.destination);
  return c_.ib->SendReq(IbContext(), own.ib, there, own.packet_lifetime, req);
}

RequestVerdict RdmaCm::OnRequest(uint32_t ib, uint8_t device, const Mad& req) {
  // source: linux 6.1 cma.c validate_ipv4_net_dev
  if (OverInfiniband() && req.destination.AnyOrLoopback()) return RequestVerdict::kRejected;
  // A CMA header of an unknown version, or a connection of another type.
  if (req.cma_version != 0 || req.unreliable) return RequestVerdict::kRejected;
  const uint32_t listener = FindOwner(device, req);
  if (listener == kNobody || ids_[listener].state != CmState::kListen)
    return RequestVerdict::kRejected;
  if (ids_[listener].backlog <= 0) return RequestVerdict::kDropped;
  --ids_[listener].backlog;
  CmId child;
  child.state = CmState::kConnect;
  child.space = req.space;
  child.kernel = ids_[listener].kernel;
  child.file = ids_[listener].file;
  child.family_only = ids_[listener].family_only;
  child.source = req.destination.WithPort(req.port);
  child.destination = req.source;
  child.num_paths = IsDatagram(req.space) ? 0 : 1;
  child.ib = ib;
  child.listener = listener;
  child.interface = device;
  child.bond_slave = c_.fabric->device(device).bond_slave;
  const uint32_t id = ids_.Add(std::move(child));
  AttachTo(id, device);
  c_.ib->SetUser(ib, id);
  response::Event event{.type = EventType::kConnectRequest,
                        .conn = Swapped(req.conn),
                        .ece = req.ece,
                        .qp_num = req.qp_num,
                        .private_data = req.data};
  if (IsDatagram(req.space)) event.conn = {};
  QueueRequest(listener, id, std::move(event));
  return RequestVerdict::kTaken;
}

Errno RdmaCm::AcceptOrEstablish(uint32_t id, const command::Accept& cmd) {
  const CmId& own = ids_[id];
  if (own.state != CmState::kConnect) return Errno::kInval;
  if (OverIwarp()) return AcceptOverTcp(id, cmd);
  if (IsDatagram(own.space)) return AnswerDatagram(id, cmd);
  if (!cmd.valid) return c_.ib->SendRtu(IbContext(), own.ib);
  const Limits& limits = c_.profile->limits;
  const PrivateData& data = cmd.param.private_data;
  if (data.size() > limits.reply_data) return Errno::kInval;
  Mad rep;
  rep.qp_num = cmd.param.qp_num & 0xffffff;
  rep.conn = cmd.param.conn;
  rep.ece = OnTheWire(cmd.param.ece);
  rep.conn.retry_count = 0;
  rep.conn.rnr_retry_count = std::min(rep.conn.rnr_retry_count, limits.max_retry_count);
  rep.data = data.Resized(limits.reply_data);
  return c_.ib->SendRep(IbContext(), own.ib, rep);
}

Errno RdmaCm::Write(uint32_t file, const command::Accept& cmd) {
  const Errno error = LookupWithDevice(file, cmd.id);
  if (error != Errno::kNone) return error;
  CmId& own = ids_[cmd.id];
  const uint64_t before = own.uid;
  // Over iWARP the connection is established within the call, and an event reports it.
  if (OverIwarp() && cmd.valid) own.uid = cmd.uid;
  const Errno accepted = AcceptOrEstablish(cmd.id, cmd);
  if (accepted == Errno::kNone) {
    if (cmd.valid) own.uid = cmd.uid;
    return Errno::kNone;
  }
  own.uid = before;
  // A failed accept rejects, if there is a request.
  if (own.iw != kNobody)
    c_.iw->Reject(IwContext(), own.iw, PrivateData());
  else if (OverIwarp())
    return accepted;
  else if (own.state == CmState::kConnect && IsDatagram(own.space))
    RefuseDatagram(cmd.id, PrivateData());
  else if (own.state == CmState::kConnect)
    c_.ib->SendRej(IbContext(), own.ib, RejReason::kConsumerDefined, PrivateData());
  return accepted;
}

Errno RdmaCm::Write(uint32_t file, const command::Reject& cmd) {
  const Errno error = LookupWithDevice(file, cmd.id);
  if (error != Errno::kNone) return error;
  const CmId& own = ids_[cmd.id];
  if (OverIwarp())
    return own.iw == kNobody ? Errno::kInval : c_.iw->Reject(IwContext(), own.iw, cmd.private_data);
  if (own.ib == kNobody) return Errno::kInval;
  if (IsDatagram(own.space)) return RefuseDatagram(cmd.id, cmd.private_data);
  const RejReason reason =
      cmd.reason == RejReason::kNone ? RejReason::kConsumerDefined : cmd.reason;
  if (cmd.private_data.size() > c_.profile->limits.reject_data) return Errno::kInval;
  return c_.ib->SendRej(IbContext(), own.ib, reason, cmd.private_data);
}

Errno RdmaCm::Write(uint32_t file, const command::Disconnect& cmd) {
  const Errno error = LookupWithDevice(file, cmd.id);
  if (error != Errno::kNone) return error;
  const CmId& own = ids_[cmd.id];
  if (OverIwarp()) return DisconnectOverTcp(cmd.id);
  // A listener's IB CM id has no connection to disconnect.
  if (own.listens_on_device) return Errno::kNone;
  if (own.ib == kNobody) return Errno::kInval;
  if (c_.ib->SendDreq(IbContext(), own.ib) != Errno::kNone) c_.ib->SendDrep(IbContext(), own.ib);
  return Errno::kNone;
}

Errno RdmaCm::Write(uint32_t file, const command::Notify& cmd) {
  const Errno error = LookupWithDevice(file, cmd.id);
  if (error != Errno::kNone) return error;
  const CmId& own = ids_[cmd.id];
  if (OverIwarp()) return own.listens_on_device || own.iw != kNobody ? Errno::kNone : Errno::kInval;
  // A listener's IB CM id has no connection.
  if (own.listens_on_device || own.ib == kNobody) return Errno::kInval;
  return c_.ib->Notify(IbContext(), own.ib, cmd.event);
}

Result<response::QpAttr> RdmaCm::Write(uint32_t file, const command::InitQpAttr& cmd) {
  if (cmd.state > QpState::kErr) return Errno::kInval;
  const Errno error = LookupWithDevice(file, cmd.id);
  if (error != Errno::kNone) return error;
  const CmId& own = ids_[cmd.id];
  if (OverIwarp()) return AttributesOverTcp(cmd.id, cmd.state);
  // Without an interface it has no broadcast group, whose Q_Key it would use.
  if (own.space == PortSpace::kIpoib && OverInfiniband() && own.interface == kNoDevice)
    return Errno::kAddrNotAvail;
  if (IsDatagram(own.space)) return response::QpAttr{.mask = kDatagramAttrMask, .datagram = true};
  if (own.listens_on_device) return Errno::kInval;
  // Without an IB CM id there are only the attributes for INIT, for any requested state.
  if (own.ib == kNobody) return response::QpAttr{.mask = kInitAttrMask};
  const Result<uint32_t> mask = c_.ib->InitQpAttr(own.ib, cmd.state);
  if (!mask.ok()) return mask.error();
  // Modifying a queue pair with them fails if they cannot be resolved.
  const bool up = c_.fabric->device(own.device).up || OverInfiniband();
  Errno resolves = up ? Errno::kNone : Errno::kNetUnreach;
  if (c_.ib->SourceLost(IbContext(), own.ib)) resolves = Errno::kNoData;
  const IbId& ib = c_.ib->at(own.ib);
  const IbMore& more = c_.ib->ids().more(own.ib);
  return response::QpAttr{.mask = mask.value(),
                          .connects = cmd.state != QpState::kInit,
                          .resolves = resolves,
                          .peer_device = ib.peer_device,
                          .peer_number = ib.remote_qpn,
                          .retry_count = more.retry_count,
                          .rnr_retry_count = more.peer.rnr_retry_count,
                          .remote_read = more.peer.initiator_depth != 0,
                          .responder_resources = more.peer.initiator_depth,
                          .initiator_depth = more.peer.responder_resources};
}

Result<response::QueryAddr> RdmaCm::QueryAddr(uint32_t file, const command::Query& cmd) {
  const Errno error = Lookup(file, cmd.id);
  if (error != Errno::kNone) return error;
  const CmId& own = ids_[cmd.id];
  response::QueryAddr answer{
      .source = own.source, .destination = own.destination, .device = own.device};
  if (own.device != kNoDevice) answer.port_num = c_.fabric->topology().devices[own.device].port;
  return answer;
}

Result<response::QueryPath> RdmaCm::QueryPath(uint32_t file, const command::Query& cmd) {
  const Errno error = Lookup(file, cmd.id);
  if (error != Errno::kNone) return error;
  return response::QueryPath{.num_paths = ids_[cmd.id].num_paths};
}

void RdmaCm::OnIbEvent(uint32_t id, IbEventKind kind, const Mad* mad) {
  CmId& own = ids_[id];
  const CmState wanted =
      kind == IbEventKind::kTimewaitExit ? CmState::kDisconnect : CmState::kConnect;
  if (own.state != wanted) return;
  if (ReportDatagram(id, kind, mad)) return;
  response::Event event;
  switch (kind) {
    case IbEventKind::kReqError:
    case IbEventKind::kRepError:
      event.type = EventType::kUnreachable;
      event.status = -static_cast<int>(Errno::kTimedOut);
      break;
    case IbEventKind::kRepReceived:
      event.type = EventType::kConnectResponse;
      event.conn = Swapped(mad->conn);
      event.ece = mad->ece;
      event.qp_num = mad->qp_num;
      event.private_data = mad->data;
      break;
    case IbEventKind::kRtuReceived:
    case IbEventKind::kUserEstablished:
      event.type = EventType::kEstablished;
      break;
    case IbEventKind::kDreqError:
      event.status = -static_cast<int>(Errno::kTimedOut);
      [[fallthrough]];
    case IbEventKind::kDreqReceived:
    case IbEventKind::kDrepReceived:
      own.state = CmState::kDisconnect;
      event.type = EventType::kDisconnected;
      break;
    case IbEventKind::kTimewaitExit:
      event.type = EventType::kTimewaitExit;
      break;
    case IbEventKind::kRejReceived:
      event.type = EventType::kRejected;
      event.status = static_cast<int32_t>(mad->reason);
      event.private_data = mad->data.Resized(c_.profile->limits.reject_data);
      break;
    case IbEventKind::kSidrRepReceived:
    case IbEventKind::kSidrReqError:
      return;  // ReportDatagram handles them
  }
  Queue(id, std::move(event));
}

}  // namespace cm::sim
