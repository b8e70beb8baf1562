// source: linux 6.1 cma.c cma_connect_iw, cma_accept_iw, cma_iw_handler, iw_conn_req_handler
#include "sim/rdma_cm/iw_transport.h"

#include <utility>

#include "sim/rdma_cm/ids.h"

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
  return {.responder_resources = depths.ord, .initiator_depth = depths.ird};
}

CmIdIndex ListenerFor(const KernelContext& k, uint8_t device, const Frame& request) {
  return k.cma->ports.ListenerFor(k.cma->ids, k.fabric->topology(), device, request.space,
                                  request.destination, true);
}

response::Event EventFor(IwEventKind kind, Depths depths) {
  const auto failed = [](EventType type, Errno error) {
    return response::Event{.type = type, .status = -static_cast<int>(error)};
  };
  switch (kind) {
    case IwEventKind::kReply:
    case IwEventKind::kEstablished:
      return {.type = EventType::kEstablished, .conn = FieldsOf(depths)};
    case IwEventKind::kRejected:
      return failed(EventType::kRejected, Errno::kConnReset);
    case IwEventKind::kTimedOut:
      return failed(EventType::kUnreachable, Errno::kTimedOut);
    case IwEventKind::kFailed:
      return failed(EventType::kConnectError, Errno::kInval);
    case IwEventKind::kClosed:
      return {.type = EventType::kDisconnected};
  }
  return {};
}

}  // namespace

// TCP is set up within the call: a refused TCP connection refuses the call. The time that TCP needs
// to detect an absent host is not modelled.
Errno IwTransport::Connect(const KernelContext& k, CmIdIndex id,
                           const command::Connect& cmd) const {
  CmId& own = k.cma->ids[id];
  if (!cmd.param.qp_known) return Errno::kInval;
  const uint8_t there = PeerOf(k, own);
  if (there == kNoDevice || !k.fabric->CarriesTcp(own.device, there)) return Errno::kTimedOut;
  const Frame request = FrameOf(own, cmd.param);
  if (!ListenerFor(k, there, request).valid()) return Errno::kConnRefused;
  own.state = CmState::kConnect;
  own.iw = k.iw->Connect(IwCall(k), id, own.device, there, request);
  if (cmd.param.qp_broken) QueuePairBreaks(k, id);
  return Errno::kNone;
}

Errno IwTransport::Accept(const KernelContext& k, CmIdIndex id, const command::Accept& cmd) const {
  const CmId& own = k.cma->ids[id];
  if (!cmd.valid || !own.iw.valid()) return Errno::kInval;
  const Frame reply = FrameOf(own, cmd.param);
  return k.iw->Accept(IwCall(k), own.iw, cmd.param.qp_known, reply.depths, reply.data);
}

Errno IwTransport::Reject(const KernelContext& k, CmIdIndex id, const command::Reject& cmd) const {
  const IwIndex iw = k.cma->ids[id].iw;
  return iw.valid() ? k.iw->Reject(IwCall(k), iw, cmd.private_data) : Errno::kInval;
}

Errno IwTransport::Disconnect(const KernelContext& k, CmIdIndex id) const {
  const IwIndex iw = k.cma->ids[id].iw;
  return iw.valid() ? k.iw->Disconnect(IwCall(k), iw) : Errno::kInval;
}

Errno IwTransport::Notify(const KernelContext& k, CmIdIndex id, uint8_t /*event*/) const {
  const CmId& own = k.cma->ids[id];
  return own.listens_on_device || own.iw.valid() ? Errno::kNone : Errno::kInval;
}

Result<response::QpAttr> IwTransport::Attributes(const KernelContext& k, CmIdIndex id,
                                                 QpState state) const {
  constexpr uint32_t kAccess = 0x29;  // state, access flags, port
  constexpr uint32_t kPort = 0x20;
  const CmId& own = k.cma->ids[id];
  if (own.listens_on_device) return Errno::kInval;
  if (!own.iw.valid()) return response::QpAttr{.mask = kAccess};
  if (!k.iw->GivesAttributes(own.iw)) return Errno::kInval;
  if (state == QpState::kInit || state == QpState::kRtr) return response::QpAttr{.mask = kAccess};
  if (state == QpState::kRts) return response::QpAttr{.mask = kPort};
  return Errno::kInval;
}

bool IwTransport::Destroy(const KernelContext& k, CmIdIndex id) const {
  const IwIndex iw = k.cma->ids[id].iw;
  return !iw.valid() || k.iw->Destroy(IwCall(k), iw);
}

void IwTransport::QueuePairBreaks(const KernelContext& k, CmIdIndex id) const {
  const IwIndex iw = k.cma->ids[id].iw;
  if (iw.valid()) k.iw->QueuePairBreaks(IwCall(k), iw);
}

IwVerdict IwCall::OnMpaRequest(IwIndex iw, const Frame& request) {
  const CmIdIndex listener = ListenerFor(k_, request.to_device, request);
  if (!listener.valid()) return IwVerdict::kNoListener;
  if (k_.cma->ids[listener].backlog <= 0) return IwVerdict::kRejected;
  CmId child;
  child.source = request.destination;
  child.destination = request.source;
  child.iw = iw;
  const CmIdIndex id = ReportRequest(k_, listener, request.to_device, std::move(child),
                                     {.type = EventType::kConnectRequest,
                                      .conn = FieldsOf(request.depths),
                                      .private_data = request.data});
  k_.iw->SetUser(iw, id);
  return IwVerdict::kTaken;
}

void IwCall::OnIwEvent(CmIdIndex id, IwEventKind kind, Depths depths, const Frame* frame) {
  if (k_.cma->ids[id].state != CmState::kConnect) return;
  response::Event event = EventFor(kind, depths);
  if (frame != nullptr) event.private_data = frame->data;
  Report(k_, id, std::move(event));
}

void IwCall::OnIwGone(CmIdIndex id) { OnTransportGone(k_, id); }

}  // namespace cm::sim
