#include "sim/lib/library.h"

#include <algorithm>

#include "sim/lib/shared.h"

namespace cm::sim {
namespace {

constexpr uint8_t kMaximum = 255;  // RDMA_MAX_RESP_RES, RDMA_MAX_INIT_DEPTH

Progress Done(Reply reply) { return {.reply = reply}; }

bool OverIwarp(const Library::Context& c) { return c.profile->transport == Transport::kIwarp; }

}  // namespace

Progress Library::CreateEventChannel(Context c, bool nonblocking) {
  Channel channel;
  channel.nonblocking = nonblocking;
  channel.file = c.kernel.cma->files.Open(kernel_);
  return {.reply = Reply::Returned(), .made = channels_.Add(channel)};
}

Progress Library::DestroyEventChannel(Context c, uint32_t channel) {
  if (!CloseFile(c.kernel, channels_[channel].file)) {
    return {.reply = Reply::Blocked(),
            .ongoing = {.waiting = Waiting::kChannelClose, .channel = channel}};
  }
  channels_.Free(channel);
  return Done(Reply::Returned());
}

Progress Library::CreateId(Context c, uint32_t channel, PortSpace space) {
  const bool synchronous = channel == kNobody;
  if (synchronous) channel = OpenPrivateChannel(c);
  const uint32_t id =
      ids_.Add({.live = true, .synchronous = synchronous, .space = space, .channel = channel});
  // The id's index plus one is the kernel's uid of every event: never 0.
  const Result<uint32_t> handle =
      Execute(c.kernel, channels_[channel].file, command::CreateId{.uid = id + 1, .space = space});
  if (!handle.ok()) {
    FreeId(c, id);
    return Done(Reply::Refused(handle.error()));
  }
  ids_[id].handle = handle.value();
  return {.reply = Reply::Returned(), .made = id};
}

void Library::FreeId(Context c, uint32_t id) {
  // A queue pair outlives its id: it belongs to the program. Here the program drops it.
  if (ids_[id].qp != kNobody) {
    c.verbs->SendRest(c.wires, ids_[id].qp);
    c.verbs->Destroy(ids_[id].qp);
  }
  if (ids_[id].srq != kNobody) c.verbs->DestroySrq(ids_[id].srq);
  if (ids_[id].synchronous) ClosePrivateChannel(c, ids_[id].channel);
  FreeMemberships(id);
  ids_.Free(id);
}

Progress Library::DestroyId(Context c, uint32_t id) {
  const Result<response::DestroyId> destroyed =
      Execute(c.kernel, FileOf(id), command::DestroyId{ids_[id].handle});
  if (!destroyed.ok()) return Done(Reply::Refused(destroyed.error()));
  Ongoing ongoing{.waiting = Waiting::kKernelDestroy,
                  .id = id,
                  .ticket = destroyed.value().ticket,
                  .events_reported = destroyed.value().events_reported};
  if (destroyed.value().finished) ongoing.waiting = Waiting::kAcks;
  return Continue(c, ongoing);
}

Progress Library::Continue(Context c, const Ongoing& before) {
  Ongoing ongoing = before;
  if (ongoing.waiting == Waiting::kEvent) return GetCmEvent(c, ongoing.channel);
  if (ongoing.waiting == Waiting::kCompletion) return TakeCompletion(c, ongoing);
  if (ongoing.waiting == Waiting::kLookup) return FinishLookup(c, ongoing);
  if (ongoing.waiting == Waiting::kRequest) return TakeRequest(c, ongoing);
  if (ongoing.waiting == Waiting::kMigrationAcks) {
    const bool acked = ids_[ongoing.id].events_completed >= ongoing.events_reported;
    if (acked) return Done(Reply::Returned());
    return {.reply = Reply::Blocked(), .ongoing = ongoing};
  }
  if (ongoing.waiting == Waiting::kSentWork || ongoing.waiting == Waiting::kReceivedWork)
    return GetCompletion(c, ongoing.id, ongoing.waiting);
  if (ongoing.waiting == Waiting::kReply) return DisconnectOrWait(c, ongoing.id);
  if (ongoing.waiting == Waiting::kGroupAcks) return FinishLeaving(ongoing);
  if (ongoing.waiting == Waiting::kEpAddress || ongoing.waiting == Waiting::kEpRoute)
    return GoOnWithEp(c, ongoing);
  if (ongoing.waiting == Waiting::kChannelClose) {
    if (c.kernel.cma->files.IsOpen(channels_[ongoing.channel].file))
      return {.reply = Reply::Blocked(), .ongoing = ongoing};
    channels_.Free(ongoing.channel);
    return Done(Reply::Returned());
  }
  if (ongoing.waiting == Waiting::kKernelDestroy) {
    const std::optional<uint32_t> reported = c.kernel.cma->destroys.Take(ongoing.ticket);
    if (!reported) return {.reply = Reply::Blocked(), .ongoing = ongoing};
    ongoing.events_reported = *reported;
    ongoing.waiting = Waiting::kAcks;
  }
  AckRetained(ongoing.id);
  if (ids_[ongoing.id].events_completed < ongoing.events_reported)
    return {.reply = Reply::Blocked(), .ongoing = ongoing};
  FreeId(c, ongoing.id);
  return Done(Reply::Returned());
}

Errno Library::QueryAddr(Context c, uint32_t id) {
  const Result<response::QueryAddr> answer =
      Execute(c.kernel, FileOf(id), command::QueryAddr{ids_[id].handle});
  if (!answer.ok()) return answer.error();
  UserId& own = ids_[id];
  own.source = answer.value().source;
  own.destination = answer.value().destination;
  if (own.device == kNoDevice && answer.value().device != kNoDevice) {
    own.device = answer.value().device;
    own.port_num = answer.value().port_num;
  }
  return Errno::kNone;
}

Errno Library::QueryPath(Context c, uint32_t id) {
  const Result<response::QueryPath> answer =
      Execute(c.kernel, FileOf(id), command::QueryPath{ids_[id].handle});
  if (!answer.ok()) return answer.error();
  ids_[id].num_paths = answer.value().num_paths;
  return Errno::kNone;
}

Reply Library::BindAddr(Context c, uint32_t id, const Address& address) {
  if (!FamilyKnown(address)) return Reply::Refused(Errno::kInval);
  const Errno error = Execute(c.kernel, FileOf(id), command::Bind{ids_[id].handle, address});
  if (error != Errno::kNone) return Reply::Refused(error);
  return FromErrno(QueryAddr(c, id));
}

Reply Library::Listen(Context c, uint32_t id, int32_t backlog) {
  const Errno error = Execute(c.kernel, FileOf(id), command::Listen{ids_[id].handle, backlog});
  if (error != Errno::kNone) return Reply::Refused(error);
  return FromErrno(QueryAddr(c, id));
}

Reply Library::ResolveAddr(Context c, uint32_t id, const call::ResolveAddr& call) {
  if (!FamilyKnown(call.destination)) return Reply::Refused(Errno::kInval);
  if (call.source.kind == AddressKind::kBadFamily) return Reply::Refused(Errno::kInval);
  const Errno error = Execute(c.kernel, FileOf(id),
                              command::ResolveAddr{.id = ids_[id].handle,
                                                   .source = call.source,
                                                   .destination = call.destination,
                                                   .timeout_ms = call.timeout_ms});
  if (error != Errno::kNone) return Reply::Refused(error);
  ids_[id].destination = call.destination;
  return Reply::Returned();
}

Reply Library::ResolveRoute(Context c, uint32_t id, int32_t timeout_ms) {
  if (ids_[id].device == kNoDevice) return Reply::Crashed();
  return FromErrno(
      Execute(c.kernel, FileOf(id), command::ResolveRoute{ids_[id].handle, timeout_ms}));
}

// A UD queue pair needs no peer and is moved to RTS directly.
Errno Library::InitQp(Context c, uint32_t id, uint32_t qp) {
  const UserId& own = ids_[id];
  const Result<response::QpAttr> attr =
      Execute(c.kernel, FileOf(id), command::InitQpAttr{own.handle, QpState::kInit});
  Errno error = attr.ok() ? c.verbs->Initialize(qp, attr.value().datagram) : attr.error();
  if (!IsDatagram(own.space)) return error;
  for (const QpState step : {QpState::kRtr, QpState::kRts})
    if (error == Errno::kNone) error = c.verbs->Modify(qp, step);
  return error;
}

Reply Library::CreateQp(Context c, uint32_t id, std::optional<QpType> type) {
  UserId& own = ids_[id];
  if (own.qp != kNobody) return Reply::Refused(Errno::kInval);
  if (own.device == kNoDevice) return Reply::Crashed();
  const bool datagram = type ? *type == QpType::kUd : IsDatagram(own.space);
  // Soft-iWARP has no queue pairs but those of connections.
  if (datagram && OverIwarp(c)) return Reply::Refused(Errno::kNotSup);
  const uint32_t qp = c.verbs->Create(own.device, datagram, own.srq);
  own.local_ece = {};  // as queried from the queue pair; Soft-RoCE has no ECE options
  const Errno error = InitQp(c, id, qp);
  if (error != Errno::kNone) {
    c.verbs->Destroy(qp);
    return Reply::Refused(error);
  }
  own.qp = qp;
  return Reply::Returned();
}

Reply Library::DestroyQp(Context c, uint32_t id) {
  UserId& own = ids_[id];
  if (own.qp == kNobody) return Reply::Crashed();
  c.verbs->SendRest(c.wires, own.qp);
  c.verbs->Destroy(own.qp);
  own.qp = kNobody;
  QueuePairBreaks(c.kernel, own.handle);
  return Reply::Returned();
}

// Moves the queue pair to RTS, with the kernel's attributes for each step.
Errno Library::BringUp(Context c, uint32_t id) {
  const UserId& own = ids_[id];
  if (own.qp == kNobody || IsDatagram(own.space)) return Errno::kNone;
  for (const QpState step : {QpState::kInit, QpState::kRtr, QpState::kRts}) {
    const Result<response::QpAttr> attr =
        Execute(c.kernel, FileOf(id), command::InitQpAttr{own.handle, step});
    if (!attr.ok()) return attr.error();
    if (attr.value().connects) {
      c.verbs->Connect(own.qp, {.peer = {attr.value().peer_device, attr.value().peer_number},
                                .retry_count = attr.value().retry_count,
                                .rnr_retry_count = attr.value().rnr_retry_count,
                                .remote_read = attr.value().remote_read,
                                .initiator_depth = attr.value().initiator_depth,
                                .responder_resources = attr.value().responder_resources});
    }
    if (OverIwarp(c)) continue;  // the provider modifies it, with the connection
    const Errno error = c.verbs->Modify(own.qp, step, attr.value().connects, attr.value().resolves);
    if (error != Errno::kNone) return error;
  }
  return Errno::kNone;
}

void Library::QpToError(Context c, uint32_t id) {
  if (ids_[id].qp == kNobody) return;
  static_cast<void>(c.verbs->Modify(ids_[id].qp, QpState::kErr));
  QueuePairBreaks(c.kernel, ids_[id].handle);
}

// The library queries the device for the maximum depth, and it is not known. Parameters of other
// port spaces than RDMA_PS_TCP are not checked before.
bool Library::Misses(uint32_t id, const std::optional<ConnParam>& param) const {
  if (ids_[id].device != kNoDevice) return false;
  const bool open =
      !param || param->responder_resources == kMaximum || param->initiator_depth == kMaximum;
  return open || ids_[id].space == PortSpace::kTcp;
}

bool Library::DepthsFit(Context c, uint32_t id, const ConnParam& param) const {
  if (ids_[id].space != PortSpace::kTcp) return true;
  const uint8_t max = c.profile->limits.max_depth;
  const auto fits = [max](uint8_t depth) { return depth == kMaximum || depth <= max; };
  return fits(param.responder_resources) && fits(param.initiator_depth);
}

command::ConnectionParam Library::ParamFor(Context c, uint32_t id,
                                           const std::optional<ConnParam>& param) {
  const UserId& own = ids_[id];
  command::ConnectionParam to_kernel;
  to_kernel.conn.responder_resources = own.responder_resources;
  to_kernel.conn.initiator_depth = own.initiator_depth;
  to_kernel.ece = own.local_ece;
  if (own.qp != kNobody) {
    to_kernel.qp_num = c.verbs->at(own.qp).number;
    to_kernel.conn.srq = c.verbs->at(own.qp).srq != kNobody ? 1 : 0;
    to_kernel.qp_known = true;
    to_kernel.qp_broken = c.verbs->at(own.qp).state == QpState::kErr;
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

Reply Library::Connect(Context c, uint32_t id, const std::optional<ConnParam>& param) {
  UserId& own = ids_[id];
  if (own.qp == kNobody && !param && own.space == PortSpace::kTcp)
    return Reply::Refused(Errno::kInval);
  if (Misses(id, param)) return Reply::Crashed();
  if (param && !DepthsFit(c, id, *param)) return Reply::Refused(Errno::kInval);
  const uint8_t max = c.profile->limits.max_depth;
  own.initiator_depth = param && param->initiator_depth != kMaximum ? param->initiator_depth : max;
  own.responder_resources =
      param && param->responder_resources != kMaximum ? param->responder_resources : max;
  return FromErrno(
      Execute(c.kernel, FileOf(id), command::Connect{own.handle, ParamFor(c, id, param)}));
}

Reply Library::Accept(Context c, uint32_t id, const std::optional<ConnParam>& param) {
  UserId& own = ids_[id];
  if (own.qp == kNobody && !param) return Reply::Crashed();
  if (Misses(id, param)) return Reply::Crashed();
  if (param && !DepthsFit(c, id, *param)) return Reply::Refused(Errno::kInval);
  const uint8_t max = c.profile->limits.max_depth;
  own.initiator_depth = param && param->initiator_depth != kMaximum
                            ? param->initiator_depth
                            : std::min(own.initiator_depth, max);
  own.responder_resources = param && param->responder_resources != kMaximum
                                ? param->responder_resources
                                : std::min(own.responder_resources, max);
  const Errno up = BringUp(c, id);
  if (up != Errno::kNone) return Reply::Refused(up);
  command::Accept accept{
      .id = own.handle, .uid = id + 1, .valid = true, .param = ParamFor(c, id, param)};
  // The reply has the vendor id that was received.
  accept.param.ece.vendor_id = own.remote_ece.vendor_id;
  const Errno error = Execute(c.kernel, FileOf(id), accept);
  if (error != Errno::kNone) QpToError(c, id);
  return FromErrno(error);
}

Reply Library::Reject(Context c, uint32_t id, const PrivateData& data) {
  return FromErrno(
      Execute(c.kernel, FileOf(id), command::Reject{.id = ids_[id].handle, .private_data = data}));
}

Reply Library::Establish(Context c, uint32_t id) {
  if (ids_[id].qp != kNobody) return Reply::Refused(Errno::kInval);
  return FromErrno(Execute(c.kernel, FileOf(id), command::Accept{.id = ids_[id].handle}));
}

Progress Library::DisconnectOrWait(Context c, uint32_t id) {
  const Reply reply = Disconnect(c, id);
  if (reply.kind != ReplyKind::kBlocked) return Complete(c, id, reply);
  return {.reply = reply, .ongoing = {.waiting = Waiting::kReply, .id = id}};
}

Reply Library::Disconnect(Context c, uint32_t id) {
  if (ids_[id].device == kNoDevice) return Reply::Refused(Errno::kInval);
  // Over iWARP the queue pair is drained instead, which closes the connection.
  if (!OverIwarp(c)) QpToError(c, id);
  const Errno error = Execute(c.kernel, FileOf(id), command::Disconnect{ids_[id].handle});
  return error == Errno::kAgain ? Reply::Blocked() : FromErrno(error);
}

Shown Library::Show(Context c, uint32_t id) const {
  const UserId& own = ids_[id];
  Shown shown;
  shown.device_known = own.device != kNoDevice;
  shown.device = shown.device_known ? c.wires.fabric->CaOf(own.device) : uint8_t{0};
  shown.port_num = own.port_num;
  shown.source = own.source;
  shown.destination = own.destination;
  shown.num_paths = own.num_paths;
  if (own.qp != kNobody) shown.qp = c.verbs->at(own.qp).state;
  if (shown.qp && OverIwarp(c)) shown.qp = QpState::kReset;  // reported for every queue pair
  return shown;
}

bool Library::Readable(Context c, uint32_t channel) const {
  return c.kernel.cma->files.Readable(channels_[channel].file);
}

void Library::Exit(Context c) {
  for (uint32_t channel = 0; channel < channels_.end(); ++channel)
    if (channels_.Live(channel)) CloseFile(c.kernel, channels_[channel].file);
  Crash(c);
}

void Library::Crash(Context c) {
  for (uint32_t id = 0; id < ids_.end(); ++id)
    if (ids_.Live(id) && ids_[id].qp != kNobody) c.verbs->Destroy(ids_[id].qp);
  for (uint32_t id = 0; id < ids_.end(); ++id)
    if (ids_.Live(id) && ids_[id].srq != kNobody) c.verbs->DestroySrq(ids_[id].srq);
  for (const uint32_t region : regions_)
    if (c.verbs->region(region).live) c.verbs->Deregister(region);
  *this = Library(kernel_);
}

}  // namespace cm::sim
