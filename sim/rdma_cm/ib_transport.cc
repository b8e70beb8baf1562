// source: linux 6.1 cma.c cma_connect_ib, cma_accept_ib, cma_resolve_ib_udp, cma_send_sidr_rep,
// rdma_init_qp_attr; events: cma_ib_handler, cma_sidr_rep_handler, cma_ib_req_handler
#include "sim/rdma_cm/ib_transport.h"

#include <algorithm>
#include <utility>

#include "sim/rdma_cm/ids.h"

namespace cm::sim {
namespace {

using command::IdType;

// A message has 24 bits for the vendor id, and for the queue pair number.
constexpr uint32_t k24Bits = 0xffffff;

// Of a connection of XRC the target alone answers requests, and the sender alone makes them. A
// queue pair needs MAX_DEST_RD_ATOMIC and MIN_RNR_TIMER to answer, RETRY_CNT, RNR_RETRY and
// MAX_QP_RD_ATOMIC to request. source: linux 6.1 cm.c cm_init_qp_rtr_attr, cm_init_qp_rts_attr
constexpr uint32_t kAnswerAttrMask = 0x28000;
constexpr uint32_t kRequestAttrMask = 0x2c00;

uint32_t AttrMaskWithout(IdType type) {
  switch (type) {
    case IdType::kUsual:
      return 0;
    case IdType::kXrcSend:
      return kAnswerAttrMask;
    case IdType::kXrcReceive:
      return kRequestAttrMask;
  }
  return 0;
}

EceOptions OnTheWire(EceOptions ece) {
  ece.vendor_id &= k24Bits;
  return ece;
}

// The peer's view: its responder resources limit our initiator depth, and the reverse.
ConnFields Swapped(ConnFields conn) {
  std::swap(conn.responder_resources, conn.initiator_depth);
  return conn;
}

response::Event TimedOut(EventType type) {
  return {.type = type, .status = -static_cast<int>(Errno::kTimedOut)};
}

response::Event ServiceFound(const Mad& rep, PortSpace space, const Limits& limits) {
  response::Event event{.type = EventType::kUnreachable,
                        .status = static_cast<int32_t>(rep.status),
                        .private_data = rep.data.Resized(limits.datagram_reply_data)};
  if (rep.status != SidrStatus::kSuccess) return event;
  if (rep.qkey != QkeyOf(space) || rep.qkey == 0) {
    event.type = EventType::kAddrError;
    event.status = -static_cast<int>(Errno::kInval);
    return event;
  }
  event.type = EventType::kEstablished;
  event.qp_num = rep.qp_num;
  event.qkey = rep.qkey;
  return event;
}

response::Event EventFor(IbEventKind kind, const Mad* mad, PortSpace space, const Limits& limits) {
  switch (kind) {
    case IbEventKind::kReqError:
    case IbEventKind::kRepError:
    case IbEventKind::kSidrReqError:
      return TimedOut(EventType::kUnreachable);
    case IbEventKind::kSidrRepReceived:
      return ServiceFound(*mad, space, limits);
    case IbEventKind::kRepReceived:
      return {.type = EventType::kConnectResponse,
              .conn = Swapped(mad->conn),
              .ece = mad->ece,
              .qp_num = mad->qp_num,
              .private_data = mad->data};
    case IbEventKind::kRtuReceived:
    case IbEventKind::kUserEstablished:
      return {.type = EventType::kEstablished};
    case IbEventKind::kDreqError:
      return TimedOut(EventType::kDisconnected);
    case IbEventKind::kDreqReceived:
    case IbEventKind::kDrepReceived:
      return {.type = EventType::kDisconnected};
    case IbEventKind::kTimewaitExit:
      return {.type = EventType::kTimewaitExit};
    case IbEventKind::kRejReceived:
      return {.type = EventType::kRejected,
              .status = static_cast<int32_t>(mad->reason),
              .private_data = mad->data.Resized(limits.reject_data)};
  }
  return {};
}

// The path of an application, of flags alone, has a partition key that no port has.
// source: linux 6.1 cm.c cm_init_av_by_path, cache.c ib_find_cached_pkey
constexpr Errno kNoPartitionKey = Errno::kNoEnt;

}  // namespace

// A path stays when the destination is forgotten. source: linux 5.10 cma.c resolve_prepare_src
uint8_t IbTransport::DeviceAskedBy(const KernelContext& k, const CmId& own) const {
  return own.destination.kind == AddressKind::kNone ? own.path_to : PeerOf(k, own);
}

bool IbTransport::CannotAsk(const KernelContext& k, const CmId& own) const {
  return SourceLost(k, own) || k.ib->transmitter().HandlesTaken(IbCall(k), own.device);
}

Errno IbTransport::Connect(const KernelContext& k, CmIdIndex id,
                           const command::Connect& cmd) const {
  CmId& own = k.cma->ids[id];
  if (IsDatagram(own.space)) return ConnectDatagram(k, id, cmd);
  const Limits& limits = k.profile->limits;
  const PrivateData& data = cmd.param.private_data;
  if (data.size() > limits.request_data) return Errno::kInval;
  // A target only answers. source: linux 6.1 cm.c cm_validate_req_param
  if (CannotAsk(k, own) || own.type == IdType::kXrcReceive) return Errno::kInval;
  if (own.path_given) return kNoPartitionKey;
  Mad req;
  req.extended = own.type == IdType::kXrcSend;
  req.space = own.space;
  req.port = own.destination.port;
  req.qp_num = cmd.param.qp_num & k24Bits;
  req.conn = cmd.param.conn;
  req.ece = OnTheWire(cmd.param.ece);
  req.conn.retry_count = std::min(req.conn.retry_count, limits.max_retry_count);
  req.conn.rnr_retry_count = std::min(req.conn.rnr_retry_count, limits.max_retry_count);
  req.source = own.source;
  req.destination = own.destination;
  req.data = data.Resized(limits.request_data);
  own.state = CmState::kConnect;
  own.ib = k.ib->Create(own.kernel, own.device, id, own.source_since);
  return k.ib->SendReq(IbCall(k), own.ib, DeviceAskedBy(k, own), own.packet_lifetime, req);
}

Errno IbTransport::Accept(const KernelContext& k, CmIdIndex id, const command::Accept& cmd) const {
  const CmId& own = k.cma->ids[id];
  if (IsDatagram(own.space)) return AcceptDatagram(k, id, cmd);
  if (!cmd.valid) return k.ib->SendRtu(IbCall(k), own.ib);
  const Limits& limits = k.profile->limits;
  const PrivateData& data = cmd.param.private_data;
  if (data.size() > limits.reply_data) return Errno::kInval;
  Mad rep;
  rep.qp_num = cmd.param.qp_num & k24Bits;
  rep.extended = own.type == IdType::kXrcReceive;
  rep.conn = cmd.param.conn;
  rep.ece = OnTheWire(cmd.param.ece);
  rep.conn.retry_count = 0;
  rep.conn.rnr_retry_count = std::min(rep.conn.rnr_retry_count, limits.max_retry_count);
  rep.data = data.Resized(limits.reply_data);
  return k.ib->SendRep(IbCall(k), own.ib, rep);
}

Errno IbTransport::Reject(const KernelContext& k, CmIdIndex id, const command::Reject& cmd) const {
  const CmId& own = k.cma->ids[id];
  if (!own.ib.valid()) return Errno::kInval;
  if (IsDatagram(own.space)) return RejectDatagram(k, id, cmd.private_data);
  const RejReason reason =
      cmd.reason == RejReason::kNone ? RejReason::kConsumerDefined : cmd.reason;
  if (cmd.private_data.size() > k.profile->limits.reject_data) return Errno::kInval;
  return k.ib->SendRej(IbCall(k), own.ib, reason, cmd.private_data);
}

Errno IbTransport::Disconnect(const KernelContext& k, CmIdIndex id) const {
  const CmId& own = k.cma->ids[id];
  // A listener's IB CM id has no connection to disconnect.
  if (own.listens_on_device) return Errno::kNone;
  if (!own.ib.valid()) return Errno::kInval;
  const IbCall ib(k);
  if (k.ib->SendDreq(ib, own.ib) != Errno::kNone) k.ib->SendDrep(ib, own.ib);
  return Errno::kNone;
}

Errno IbTransport::Notify(const KernelContext& k, CmIdIndex id, uint8_t event) const {
  const CmId& own = k.cma->ids[id];
  // A listener's IB CM id has no connection.
  if (own.listens_on_device || !own.ib.valid()) return Errno::kInval;
  return k.ib->Notify(IbCall(k), own.ib, event);
}

Result<response::QpAttr> IbTransport::Attributes(const KernelContext& k, CmIdIndex id,
                                                 QpState state) const {
  const CmId& own = k.cma->ids[id];
  if (IsDatagram(own.space)) return response::QpAttr{.mask = kDatagramAttrMask, .datagram = true};
  if (own.listens_on_device) return Errno::kInval;
  // Without an IB CM id there are only the attributes for INIT, for any requested state.
  if (!own.ib.valid()) return response::QpAttr{.mask = kInitAttrMask};
  const Result<uint32_t> mask = k.ib->InitQpAttr(own.ib, state);
  if (!mask.ok()) return mask.error();
  // Modifying a queue pair with them fails if they cannot be resolved.
  Errno resolves = ResolvesPeers(k, own) ? Errno::kNone : Errno::kNetUnreach;
  if (k.ib->SourceLost(IbCall(k), own.ib)) resolves = Errno::kNoData;
  const IbId& ib = k.ib->at(own.ib);
  const IbMore& more = k.ib->ids().more(own.ib);
  return response::QpAttr{.mask = mask.value() & ~AttrMaskWithout(own.type),
                          .connects = state != QpState::kInit,
                          .resolves = resolves,
                          .peer_device = ib.peer_device,
                          .peer_number = ib.remote_qpn,
                          .retry_count = more.retry_count,
                          .rnr_retry_count = more.peer.rnr_retry_count,
                          .remote_read = more.peer.initiator_depth != 0,
                          .responder_resources = more.peer.initiator_depth,
                          .initiator_depth = more.peer.responder_resources};
}

bool IbTransport::Destroy(const KernelContext& k, CmIdIndex id) const {
  const IbIndex ib = k.cma->ids[id].ib;
  return !ib.valid() || k.ib->Destroy(IbCall(k), ib);
}

Errno IbTransport::ConnectDatagram(const KernelContext& k, CmIdIndex id,
                                   const command::Connect& cmd) const {
  CmId& own = k.cma->ids[id];
  const uint8_t room = k.profile->limits.datagram_request_data;
  if (cmd.param.private_data.size() > room || CannotAsk(k, own)) return Errno::kInval;
  if (own.path_given) return kNoPartitionKey;
  Mad req;
  req.space = own.space;
  req.port = own.destination.port;
  req.source = own.source;
  req.destination = own.destination;
  req.data = cmd.param.private_data.Resized(room);
  own.state = CmState::kConnect;
  own.ib = k.ib->Create(own.kernel, own.device, id, own.source_since);
  return k.ib->SendSidrReq(IbCall(k), own.ib, DeviceAskedBy(k, own), req);
}

// Without parameters the reply has the queue pair that the kernel knows: none.
Errno IbTransport::AcceptDatagram(const KernelContext& k, CmIdIndex id,
                                  const command::Accept& cmd) {
  const CmId& own = k.cma->ids[id];
  Mad rep;
  rep.qkey = QkeyOf(own.space);
  if (cmd.valid) {
    rep.qp_num = cmd.param.qp_num & k24Bits;
    rep.data = cmd.param.private_data;
  }
  return k.ib->SendSidrRep(IbCall(k), own.ib, std::move(rep));
}

Errno IbTransport::RejectDatagram(const KernelContext& k, CmIdIndex id, const PrivateData& data) {
  Mad rep;
  rep.status = SidrStatus::kReject;
  rep.data = data;
  return k.ib->SendSidrRep(IbCall(k), k.cma->ids[id].ib, std::move(rep));
}

bool IbCall::Listens(uint8_t device, const Mad& req) {
  return k_.cma->ports.Listens(k_.cma->ids, k_.fabric->topology(), device, req.space, req.port);
}

RequestVerdict IbCall::OnRequest(IbIndex ib, uint8_t device, const Mad& req) {
  if (!k_.transport->TakesRequestsTo(req.destination)) return RequestVerdict::kRejected;
  // A CMA header of an unknown version, or a connection of another type.
  if (req.cma_version != 0 || req.unreliable) return RequestVerdict::kRejected;
  const Address destination = req.destination.WithPort(req.port);
  const CmIdIndex listener =
      k_.cma->ports.ListenerFor(k_.cma->ids, k_.fabric->topology(), device, req.space, destination);
  if (!listener.valid()) return RequestVerdict::kRejected;
  // source: linux 6.1 cma.c cma_ib_check_req_qp_type
  const IdType wanted = req.extended ? IdType::kXrcReceive : IdType::kUsual;
  const bool other_kind = (req.kind == MadKind::kSidrReq) != IsDatagram(req.space);
  if (k_.cma->ids[listener].type != wanted || other_kind) return RequestVerdict::kRejected;
  if (k_.cma->ids[listener].backlog <= 0) return RequestVerdict::kDropped;
  const bool datagram = IsDatagram(req.space);
  CmId request;
  request.source = destination;
  request.destination = req.source;
  request.num_paths = datagram ? 0 : 1;
  request.ib = ib;
  response::Event event{.type = EventType::kConnectRequest,
                        .conn = Swapped(req.conn),
                        .ece = req.ece,
                        .qp_num = req.qp_num,
                        .private_data = req.data};
  if (datagram) event.conn = {};
  const CmIdIndex id = ReportRequest(k_, listener, device, std::move(request), std::move(event));
  k_.ib->SetUser(ib, id);
  return RequestVerdict::kTaken;
}

void IbCall::OnIbEvent(CmIdIndex id, IbEventKind kind, const Mad* mad) {
  CmId& own = k_.cma->ids[id];
  const CmState wanted =
      kind == IbEventKind::kTimewaitExit ? CmState::kDisconnect : CmState::kConnect;
  if (own.state != wanted) return;
  response::Event event = EventFor(kind, mad, own.space, k_.profile->limits);
  if (event.type == EventType::kDisconnected) own.state = CmState::kDisconnect;
  Report(k_, id, std::move(event));
}

void IbCall::OnIbGone(CmIdIndex id) { OnTransportGone(k_, id); }

}  // namespace cm::sim
