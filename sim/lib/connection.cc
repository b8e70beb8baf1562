// Queue pairs of ids, connecting and disconnecting. source: rdma-core 44 librdmacm/cma.c
#include <algorithm>

#include "sim/lib/calls.h"
#include "sim/lib/steps.h"
#include "sim/lib/waits.h"

namespace cm::sim {
namespace {

constexpr uint8_t kMaximum = 255;  // RDMA_MAX_RESP_RES, RDMA_MAX_INIT_DEPTH

// A UD queue pair needs no peer and is moved to RTS directly.
Errno InitQp(const Context& c, const Library& library, uint32_t id, uint32_t qp) {
  const UserId& own = library.ids[id];
  const Result<response::QpAttr> attr =
      Write(c, library, id, command::InitQpAttr{own.handle, QpState::kInit});
  Errno error = attr.ok() ? c.verbs->Initialize(qp, attr.value().datagram) : attr.error();
  if (!IsDatagram(own.space)) return error;
  for (const QpState step : {QpState::kRtr, QpState::kRts})
    if (error == Errno::kNone) error = c.verbs->Modify(qp, step);
  return error;
}

// The library queries the device for the maximum depth, and it is not known. Parameters of other
// port spaces than RDMA_PS_TCP are not checked before.
bool Misses(const UserId& own, const std::optional<ConnParam>& param) {
  if (own.device != kNoDevice) return false;
  const bool open =
      !param || param->responder_resources == kMaximum || param->initiator_depth == kMaximum;
  return open || own.space == PortSpace::kTcp;
}

bool DepthsFit(const UserId& own, const ConnParam& param, uint8_t max) {
  if (own.space != PortSpace::kTcp) return true;
  const auto fits = [max](uint8_t depth) { return depth == kMaximum || depth <= max; };
  return fits(param.responder_resources) && fits(param.initiator_depth);
}

command::ConnectionParam ParamFor(const Context& c, const UserId& own,
                                  const std::optional<ConnParam>& param) {
  command::ConnectionParam to_kernel;
  to_kernel.conn.responder_resources = own.responder_resources;
  to_kernel.conn.initiator_depth = own.initiator_depth;
  to_kernel.ece = own.local_ece;
  if (own.qp != kNobody) {
    const Qp& qp = c.verbs->at(own.qp);
    to_kernel.qp_num = qp.number;
    to_kernel.conn.srq = qp.srq != kNobody ? 1 : 0;
    to_kernel.qp_known = true;
    to_kernel.qp_broken = qp.state == QpState::kErr;
  } else if (param) {
    to_kernel.qp_num = param->qp_num;
    to_kernel.conn.srq = param->srq;
  }
  if (param) {
    to_kernel.conn.flow_control = param->flow_control;
    to_kernel.conn.retry_count = param->retry_count;
    to_kernel.conn.rnr_retry_count = param->rnr_retry_count;
    to_kernel.private_data = param->private_data;
  } else {
    to_kernel.conn.retry_count = c.profile->limits.max_retry_count;
    to_kernel.conn.rnr_retry_count = c.profile->limits.max_retry_count;
  }
  return to_kernel;
}

Reply Connect(const Context& c, Library& library, uint32_t id,
              const std::optional<ConnParam>& param) {
  UserId& own = library.ids[id];
  const uint8_t max = c.profile->limits.max_depth;
  if (own.qp == kNobody && !param && own.space == PortSpace::kTcp)
    return Reply::Refused(Errno::kInval);
  if (Misses(own, param)) return Reply::Crashed();
  if (param && !DepthsFit(own, *param, max)) return Reply::Refused(Errno::kInval);
  own.initiator_depth = param && param->initiator_depth != kMaximum ? param->initiator_depth : max;
  own.responder_resources =
      param && param->responder_resources != kMaximum ? param->responder_resources : max;
  return Ended(Write(c, library, id, command::Connect{own.handle, ParamFor(c, own, param)})).reply;
}

Reply Accept(const Context& c, Library& library, uint32_t id,
             const std::optional<ConnParam>& param) {
  UserId& own = library.ids[id];
  const uint8_t max = c.profile->limits.max_depth;
  if ((own.qp == kNobody && !param) || Misses(own, param)) return Reply::Crashed();
  if (param && !DepthsFit(own, *param, max)) return Reply::Refused(Errno::kInval);
  own.initiator_depth = param && param->initiator_depth != kMaximum
                            ? param->initiator_depth
                            : std::min(own.initiator_depth, max);
  own.responder_resources = param && param->responder_resources != kMaximum
                                ? param->responder_resources
                                : std::min(own.responder_resources, max);
  const Errno up = BringUp(c, library, id, true);
  if (up != Errno::kNone) return Reply::Refused(up);
  command::Accept accept{
      .id = own.handle, .uid = id + 1, .valid = true, .param = ParamFor(c, own, param)};
  // The reply has the vendor id that was received.
  accept.param.ece.vendor_id = own.remote_ece.vendor_id;
  const Errno error = Write(c, library, id, accept);
  if (error != Errno::kNone) QpToError(c, library, id);
  return Ended(error).reply;
}

}  // namespace

// EINVAL when the id has a queue pair, EOPNOTSUPP for a type that the device lacks; crashes without
// a device. An empty type is that of the port space. source: rdma-core 44 cma.c rdma_create_qp_ex
Progress Do(const Context& c, Library& library, const call::CreateQp& x, const Named& at) {
  return Ended(CreateQp(c, library, at.id, x.type));
}

Progress Do(const Context& c, Library& library, const call::CreateQpEx& x, const Named& at) {
  return Ended(CreateQp(c, library, at.id, x.type));
}

Reply CreateQp(const Context& c, Library& library, uint32_t id, std::optional<QpType> type) {
  UserId& own = library.ids[id];
  if (own.qp != kNobody) return Reply::Refused(Errno::kInval);
  if (own.device == kNoDevice) return Reply::Crashed();
  const bool datagram = type ? *type == QpType::kUd : IsDatagram(own.space);
  // source: linux 6.1 siw_verbs.c siw_create_qp
  const bool reliable = type ? *type == QpType::kRc : !datagram;
  if (!reliable && OverIwarp(c)) return Reply::Refused(Errno::kNotSup);
  const uint32_t qp = c.verbs->Create(own.device, datagram, own.srq);
  own.local_ece = {};  // as queried from the queue pair; Soft-RoCE has no ECE options
  const Errno error = InitQp(c, library, id, qp);
  if (error != Errno::kNone) {
    c.verbs->Destroy(qp);
    return Reply::Refused(error);
  }
  own.qp = qp;
  return Reply::Returned();
}

// Crashes without a queue pair. source: man rdma_destroy_qp(3)
Progress Do(const Context& c, Library& library, const call::DestroyQp& /*x*/, const Named& at) {
  const Reply destroyed = DestroyQp(c, library, at.id);
  if (!destroyed.succeeded()) return Ended(destroyed);
  return FinishDestroyQp(c, library, {.waiting = Waiting::kCqAcks, .id = at.id});
}

Progress FinishDestroyQp(const Context& c, Library& library, const Ongoing& ongoing) {
  if (library.ids[ongoing.id].cq_events_unacked != UserId{}.cq_events_unacked)
    return Blocked(ongoing);
  return ongoing.waiting == Waiting::kEpCqAcks ? DestroyId(c, library, ongoing.id) : Progress{};
}

Reply DestroyQp(const Context& c, Library& library, uint32_t id) {
  UserId& own = library.ids[id];
  if (own.qp == kNobody) return Reply::Crashed();
  c.verbs->SendRest(c, own.qp);
  c.verbs->Destroy(own.qp);
  own.qp = kNobody;
  QueuePairBreaks(c.kernel, own.handle);
  return Reply::Returned();
}

// source: rdma-core 44 cma.c rdma_accept, ucma_modify_qp_rtr, ucma_modify_qp_rts
Errno BringUp(const Context& c, Library& library, uint32_t id, bool accepts) {
  const UserId& own = library.ids[id];
  if (own.qp == kNobody || IsDatagram(own.space)) return Errno::kNone;
  for (const QpState step : {QpState::kInit, QpState::kRtr, QpState::kRts}) {
    const Result<response::QpAttr> answer =
        Write(c, library, id, command::InitQpAttr{own.handle, step});
    if (!answer.ok()) return answer.error();
    const response::QpAttr& attr = answer.value();
    if (attr.connects) {
      c.verbs->Connect(
          own.qp,
          {.peer = {attr.peer_device, attr.peer_number},
           .retry_count = attr.retry_count,
           .rnr_retry_count = attr.rnr_retry_count,
           .remote_read = attr.remote_read,
           .initiator_depth = accepts ? own.initiator_depth : attr.initiator_depth,
           .responder_resources = accepts ? own.responder_resources : attr.responder_resources});
    }
    if (OverIwarp(c)) continue;  // the provider modifies it, with the connection
    // source: linux 6.1 rxe_qp.c rxe_qp_chk_attr, which looks at no other depth
    const uint8_t asks = accepts ? own.initiator_depth : attr.initiator_depth;
    if (step == QpState::kRts && asks > c.profile->limits.max_depth) return Errno::kInval;
    const Errno error = c.verbs->Modify(own.qp, step, attr.connects, attr.resolves);
    if (error != Errno::kNone) return error;
  }
  return Errno::kNone;
}

void QpToError(const Context& c, Library& library, uint32_t id) {
  const UserId& own = library.ids[id];
  if (own.qp == kNobody) return;
  static_cast<void>(c.verbs->Modify(own.qp, QpState::kErr));
  QueuePairBreaks(c.kernel, own.handle);
}

// `output` are the attributes for the state (attr.qp_state). source: man rdma_init_qp_attr(3)
Progress Do(const Context& c, Library& library, const call::InitQpAttr& x, const Named& at) {
  const Result<response::QpAttr> attr =
      Write(c, library, at.id,
            command::InitQpAttr{library.ids[at.id].handle, static_cast<QpState>(x.state)});
  if (!attr.ok()) return Ended(attr.error());
  return {.output = QpAttrs{.mask = attr.value().mask, .state = x.state}};
}

// Sends the request. EINVAL for depths beyond the device's; crashes without parameters and queue
// pair. source: man rdma_connect(3), rdma-core 44 cma.c rdma_connect
Progress Do(const Context& c, Library& library, const call::Connect& x, const Named& at) {
  return Complete(c, library, at.id, Connect(c, library, at.id, x.param));
}

// Moves the queue pair to RTS and sends the reply; on an error of the kernel the queue pair goes to
// ERR. EINVAL and crashes as rdma_connect. For datagrams there is no event to wait for.
// source: man rdma_accept(3)
Progress Do(const Context& c, Library& library, const call::Accept& x, const Named& at) {
  const Reply started = Accept(c, library, at.id, x.param);
  const UserId& own = library.ids[at.id];
  if (!IsDatagram(own.space)) return Complete(c, library, at.id, started);
  const bool releases = c.profile->dialect.accept_releases_datagram_request;
  if (releases && started.succeeded() && own.synchronous) AckRetained(library, at.id);
  return Ended(started);
}

// source: man rdma_reject(3)
Progress Do(const Context& c, Library& library, const call::Reject& x, const Named& at) {
  return Ended(
      Write(c, library, at.id,
            command::Reject{.id = library.ids[at.id].handle, .private_data = x.private_data}));
}

// source: man rdma_reject_ece(3)
Progress Do(const Context& c, Library& library, const call::RejectEce& x, const Named& at) {
  return Ended(Write(c, library, at.id,
                     command::Reject{.id = library.ids[at.id].handle,
                                     .reason = RejReason::kVendorOptionNotSupported,
                                     .private_data = x.private_data}));
}

// EINVAL when the id has a queue pair. source: man rdma_establish(3)
Progress Do(const Context& c, Library& library, const call::Establish& /*x*/, const Named& at) {
  const UserId& own = library.ids[at.id];
  if (own.qp != kNobody) return Ended(Errno::kInval);
  return Ended(Write(c, library, at.id, command::Accept{.id = own.handle}));
}

// EINVAL without a device. Over iWARP it blocks while a request of the id is unanswered. On a
// synchronous id it waits for its event. source: man rdma_disconnect(3)
Progress Do(const Context& c, Library& library, const call::Disconnect& /*x*/, const Named& at) {
  return Disconnect(c, library, at.id);
}

Progress Disconnect(const Context& c, Library& library, uint32_t id) {
  const UserId& own = library.ids[id];
  if (own.device == kNoDevice) return Ended(Errno::kInval);
  // Over iWARP the queue pair is drained instead, which closes the connection.
  if (!OverIwarp(c)) QpToError(c, library, id);
  const Errno error = Write(c, library, id, command::Disconnect{own.handle});
  if (error == Errno::kAgain) return Blocked({.waiting = Waiting::kReply, .id = id});
  return Complete(c, library, id, Ended(error).reply);
}

// source: man rdma_notify(3)
Progress Do(const Context& c, Library& library, const call::Notify& x, const Named& at) {
  return Ended(Write(c, library, at.id, command::Notify{library.ids[at.id].handle, x.what}));
}

// EINVAL with a queue pair, without a vendor id, or with a comp_mask.
// source: man rdma_set_local_ece(3)
Progress Do(const Context& /*c*/, Library& library, const call::SetLocalEce& x, const Named& at) {
  UserId& own = library.ids[at.id];
  if (own.qp != kNobody || x.ece.vendor_id == 0 || x.ece.comp_mask != 0)
    return Ended(Errno::kInval);
  own.local_ece = x.ece;
  return {};
}

// EINVAL with a queue pair. source: man rdma_get_remote_ece(3)
Progress Do(const Context& /*c*/, Library& library, const call::GetRemoteEce& /*x*/,
            const Named& at) {
  const UserId& own = library.ids[at.id];
  if (own.qp != kNobody) return Ended(Errno::kInval);
  return {.output = own.remote_ece};
}

}  // namespace cm::sim
