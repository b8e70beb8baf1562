// Connecting over iWARP: the kernel's code for devices without an IB CM. source: linux 6.1 cma.c
// cma_connect_iw, cma_accept_iw, cma_iw_handler, iw_conn_req_handler
#include "sim/rdma_cm/rdma_cm.h"

namespace cm::sim {
namespace {

Frame FrameOf(const CmId& own, const command::ConnectionParam& param) {
  Frame frame;
  frame.depths = {.ird = param.conn.responder_resources, .ord = param.conn.initiator_depth};
  frame.data = param.private_data;
  frame.space = own.space;
  frame.source = own.source;
  frame.destination = own.destination;
  return frame;
}

ConnFields FieldsOf(Depths depths) {
  ConnFields conn;
  conn.responder_resources = depths.ord;
  conn.initiator_depth = depths.ird;
  return conn;
}

}  // namespace

uint32_t RdmaCm::ListenerFor(uint8_t device, const Frame& request) const {
  Mad asked;
  asked.space = request.space;
  asked.port = request.destination.port;
  asked.destination = request.destination;
  const uint32_t owner = FindOwner(device, asked);
  return owner != kNobody && ids_[owner].state == CmState::kListen ? owner : kNobody;
}

// TCP is set up within the call: a refused TCP connection refuses the call. The time that TCP needs
// to detect an absent host is not modelled.
Errno RdmaCm::ConnectOverTcp(uint32_t id, const command::Connect& cmd) {
  CmId& own = ids_[id];
  if (!cmd.param.qp_known) return Errno::kInval;
  const uint8_t there = c_.fabric->DeviceOf(own.destination);
  if (there == kNoDevice || !c_.fabric->CarriesTcp(own.device, there)) return Errno::kTimedOut;
  const Frame request = FrameOf(own, cmd.param);
  if (ListenerFor(there, request) == kNobody) return Errno::kConnRefused;
  own.state = CmState::kConnect;
  own.iw = c_.iw->Connect(IwContext(), id, own.device, there, request);
  if (cmd.param.qp_broken) c_.iw->QueuePairBreaks(IwContext(), own.iw);
  return Errno::kNone;
}

IwVerdict RdmaCm::OnMpaRequest(uint32_t iw, const Frame& request) {
  const uint32_t listener = ListenerFor(request.to_device, request);
  if (listener == kNobody) return IwVerdict::kNobodyListens;
  if (ids_[listener].backlog <= 0) return IwVerdict::kRejected;
  --ids_[listener].backlog;
  CmId child;
  child.state = CmState::kConnect;
  child.space = request.space;
  child.kernel = ids_[listener].kernel;
  child.file = ids_[listener].file;
  child.family_only = ids_[listener].family_only;
  child.source = request.destination;
  child.destination = request.source;
  child.iw = iw;
  child.listener = listener;
  child.interface = request.to_device;
  child.bond_slave = c_.fabric->device(request.to_device).bond_slave;
  const uint32_t id = ids_.Add(std::move(child));
  AttachTo(id, request.to_device);
  c_.iw->SetUser(iw, id);
  QueueRequest(listener, id,
               {.type = EventType::kConnectRequest,
                .conn = FieldsOf(request.depths),
                .private_data = request.data});
  return IwVerdict::kTaken;
}

Errno RdmaCm::AcceptOverTcp(uint32_t id, const command::Accept& cmd) {
  CmId& own = ids_[id];
  if (!cmd.valid || own.iw == kNobody) return Errno::kInval;
  const Frame reply = FrameOf(own, cmd.param);
  return c_.iw->Accept(IwContext(), own.iw, cmd.param.qp_known, reply.depths, reply.data);
}

Errno RdmaCm::DisconnectOverTcp(uint32_t id) {
  const CmId& own = ids_[id];
  if (own.iw == kNobody) return Errno::kInval;
  return c_.iw->Disconnect(IwContext(), own.iw);
}

Result<response::QpAttr> RdmaCm::AttributesOverTcp(uint32_t id, QpState state) const {
  constexpr uint32_t kAccess = 0x29;  // state, access flags, port
  constexpr uint32_t kPort = 0x20;
  const CmId& own = ids_[id];
  if (own.listens_on_device) return Errno::kInval;
  if (own.iw == kNobody) return response::QpAttr{.mask = kAccess};
  if (!c_.iw->GivesAttributes(own.iw)) return Errno::kInval;
  if (state == QpState::kInit || state == QpState::kRtr) return response::QpAttr{.mask = kAccess};
  if (state == QpState::kRts) return response::QpAttr{.mask = kPort};
  return Errno::kInval;
}

void RdmaCm::QueuePairBreaks(uint32_t id) {
  if (OverIwarp() && ids_.Live(id) && ids_[id].iw != kNobody)
    c_.iw->QueuePairBreaks(IwContext(), ids_[id].iw);
}

void RdmaCm::OnIwEvent(uint32_t id, IwEventKind kind, Depths depths, const Frame* frame) {
  if (ids_[id].state != CmState::kConnect) return;
  response::Event event;
  if (frame != nullptr) event.private_data = frame->data;
  switch (kind) {
    case IwEventKind::kReply:
    case IwEventKind::kEstablished:
      event.type = EventType::kEstablished;
      event.conn = FieldsOf(depths);
      break;
    case IwEventKind::kRejected:
      event.type = EventType::kRejected;
      event.status = -static_cast<int>(Errno::kConnReset);
      break;
    case IwEventKind::kTimedOut:
      event.type = EventType::kUnreachable;
      event.status = -static_cast<int>(Errno::kTimedOut);
      break;
    case IwEventKind::kFailed:
      event.type = EventType::kConnectError;
      event.status = -static_cast<int>(Errno::kInval);
      break;
    case IwEventKind::kClosed:
      event.type = EventType::kDisconnected;
      break;
  }
  Queue(id, std::move(event));
}

void RdmaCm::OnIwGone(uint32_t id) { OnTransportGone(id); }

}  // namespace cm::sim
