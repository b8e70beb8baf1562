#include "sim/ib_cm/ib_cm.h"

#include <optional>
#include <utility>

#include "model/vocabulary/call.h"
#include "sim/ib_cm/messages.h"
#include "sim/ib_cm/receive.h"
#include "sim/ib_cm/service_resolution.h"

namespace cm::sim {
namespace {

// The message by which an id of this state says that it is gone; empty when there is none.
std::optional<Mad> Farewell(const IbContext& c, const IbId& id) {
  switch (id.state) {
    case IbState::kReqSent:
    case IbState::kMraReqRcvd: {
      Mad rej = RejFrom(id, About::kOther, RejReason::kTimeout);
      rej.info = RejInfo::kGuid;
      return rej;
    }
    case IbState::kReqRcvd: {  // before its peer was notified
      Mad rej = RejFrom(id, About::kReq, RejReason::kConsumerDefined);
      rej.local_cid = 0;
      return rej;
    }
    case IbState::kMraReqSent:
      return RejFrom(id, About::kReq, RejReason::kConsumerDefined);
    case IbState::kMraRepSent:
      return RejFrom(id, About::kRep, RejReason::kConsumerDefined);
    case IbState::kRepSent:
    case IbState::kMraRepRcvd:
      return RejFrom(id, About::kOther, RejReason::kConsumerDefined);
    case IbState::kEstablished:
      return DreqFrom(id);
    case IbState::kDreqRcvd:
      return MessageFrom(id, MadKind::kDrep);
    case IbState::kSidrReqRcvd:
      return SidrRefusal(c, MessageFrom(id, MadKind::kSidrRep), SidrStatus::kReject);
    case IbState::kIdle:
    case IbState::kDreqSent:
    case IbState::kTimewait:
    case IbState::kSidrReqSent:
      return std::nullopt;
  }
  return std::nullopt;
}

// The MAD layer below answers queries of any class that has no handler. source: linux 6.1 mad.c
// generate_unmatched_resp
void ReceiveOther(const IbContext& c, uint8_t device, const Mad& mad) {
  const bool asks = mad.method == kGetMethod || mad.method == kSetMethod;
  if (mad.attribute != kClassPortInfo || !asks) return;
  Mad response = mad;
  response.method = kGetResponseMethod;
  response.mad_status = kMethodNotSupported;
  response.sender = device;
  c.fabric->Send(c.agenda, device, mad.sender, response);
}

// What the message has a bit for. source: linux 6.1 cm.c cm_format_req, cm_format_rep
ConnFields InMessage(ConnFields conn) {
  conn.flow_control &= 1;
  conn.srq = conn.srq != 0 ? 1 : 0;
  return conn;
}

}  // namespace

Errno IbCm::SendReq(const Context& c, IbIndex ib, uint8_t to_device, uint8_t packet_lifetime,
                    const Mad& req) {
  IbId& id = tx_.ids()[ib];
  if (id.state != IbState::kIdle) return Errno::kInval;
  Timing timing = c.profile->timing;
  timing.packet_lifetime = packet_lifetime;
  Mad& stored = tx_.Store(&id, req);
  stored.conn = InMessage(req.conn);
  stored.kind = MadKind::kReq;
  stored.local_cid = stored.tid = id.local_cid;
  stored.sender = id.device;
  stored.response_timeout = static_cast<uint8_t>(timing.response_timeout);
  stored.max_retries = static_cast<uint8_t>(timing.max_retries);
  stored.ack_timeout = AckTimeout(timing.ack_delay, timing.packet_lifetime);
  // The sender of XRC answers no requests; its own retries are not in the message. source:
  // linux 6.1 cm.c cm_format_req
  if (stored.extended)
    stored.conn = {.initiator_depth = stored.conn.initiator_depth,
                   .flow_control = stored.conn.flow_control};
  IdTable::SetPeer(c, &id, to_device);
  id.local_qpn = req.qp_num;
  id.av_timeout = static_cast<uint8_t>(timing.packet_lifetime + 1);
  id.max_retries = stored.max_retries;
  id.state = IbState::kReqSent;
  IbMore& more = tx_.ids().more(ib);
  more.retry_count = req.conn.retry_count;
  more.base_interval = Interval(timing.RequestInterval());
  tx_.Begin(c, ib, MadKind::kReq);
  return Errno::kNone;
}

Errno IbCm::SendRep(const Context& c, IbIndex ib, const Mad& rep) {
  IbId& id = tx_.ids()[ib];
  if (!id.IsIn(IbState::kReqRcvd, IbState::kMraReqSent)) return Errno::kInval;
  if (tx_.CannotSend(c, id)) return Errno::kInval;
  Mad& stored = tx_.Store(&id, rep);
  stored.conn = InMessage(rep.conn);
  stored.kind = MadKind::kRep;
  stored.local_cid = id.local_cid;
  stored.remote_cid = id.remote_cid;
  stored.tid = id.tid;
  stored.sender = id.device;
  stored.ack_delay = static_cast<uint8_t>(c.profile->timing.ack_delay);
  // A target of XRC makes no requests. source: linux 6.1 cm.c cm_format_rep
  if (stored.extended) {
    stored.conn.initiator_depth = stored.conn.flow_control = 0;
    stored.conn.srq = 1;
  }
  id.local_qpn = rep.qp_num;
  id.state = IbState::kRepSent;
  tx_.Begin(c, ib, MadKind::kRep);
  return Errno::kNone;
}

Errno IbCm::SendRtu(const Context& c, IbIndex ib) {
  IbId& id = tx_.ids()[ib];
  if (id.state != IbState::kMraRepSent) return Errno::kInval;
  if (tx_.CannotSend(c, id)) return Errno::kInval;
  id.state = IbState::kEstablished;
  tx_.Send(c, id, MessageFrom(id, MadKind::kRtu));
  return Errno::kNone;
}

Errno IbCm::SendRej(const Context& c, IbIndex ib, RejReason reason, const PrivateData& data) {
  IbId& id = tx_.ids()[ib];
  if (data.size() > c.profile->limits.reject_data) return Errno::kInval;
  Mad rej = RejFrom(id, About::kReq, reason);
  rej.data = data;
  bool timewait = false;
  switch (id.state) {
    case IbState::kReqRcvd:
      rej.local_cid = 0;
      break;
    case IbState::kMraReqSent:
      break;
    case IbState::kMraRepSent:
      rej.about = About::kRep;
      break;
    case IbState::kRepSent:
    case IbState::kMraRepRcvd:
      rej.about = About::kOther;
      timewait = true;
      break;
    case IbState::kReqSent:
    case IbState::kMraReqRcvd:
      // The request is not cancelled: it is retransmitted until its retries are used up.
      rej.about = About::kOther;
      break;
    case IbState::kIdle:
    case IbState::kEstablished:
    case IbState::kDreqSent:
    case IbState::kDreqRcvd:
    case IbState::kTimewait:
    case IbState::kSidrReqSent:
    case IbState::kSidrReqRcvd:
      return Errno::kInval;
  }
  const bool lost = tx_.CannotSend(c, id);
  if (!lost) tx_.Send(c, id, rej);
  if (timewait)
    tx_.EnterTimewait(c, ib);
  else
    tx_.ResetToIdle(&id);
  return lost ? Errno::kInval : Errno::kNone;
}

Errno IbCm::SendDrep(const Context& c, IbIndex ib) {
  IbId& id = tx_.ids()[ib];
  if (id.state != IbState::kDreqRcvd) return Errno::kInval;
  if (!tx_.CannotSend(c, id)) tx_.Send(c, id, MessageFrom(id, MadKind::kDrep));
  tx_.EnterTimewait(c, ib);
  return Errno::kNone;
}

Errno IbCm::SendSidrReq(const Context& c, IbIndex ib, uint8_t to_device, const Mad& req) {
  return sim::SendSidrReq(c, &tx_, ib, to_device, req);
}

Errno IbCm::SendSidrRep(const Context& c, IbIndex ib, Mad rep) {
  return sim::SendSidrRep(c, &tx_, ib, std::move(rep));
}

Errno IbCm::Notify(const Context& c, IbIndex ib, uint8_t event) {
  IbId& id = tx_.ids()[ib];
  const bool stands = id.state == IbState::kEstablished;
  if (event == call::Notify::kCommEst) {
    if (stands) return Errno::kIsConn;
    if (!id.IsIn(IbState::kRepSent, IbState::kMraRepRcvd)) return Errno::kInval;
    tx_.Cancel(&id);  // a REP, which is not queued
    id.state = IbState::kEstablished;
    c.user->OnIbEvent(id.user, IbEventKind::kUserEstablished, nullptr);
    return Errno::kNone;
  }
  const bool may_move = id.lap == LapState::kUninit || id.lap == LapState::kIdle;
  if (event != call::Notify::kPathMig || !stands || !may_move) return Errno::kInval;
  // There is no alternate path: nothing can be sent any more, and no timeout is left.
  id.lap = LapState::kIdle;
  id.pathless = true;
  id.av_timeout = 0;
  return Errno::kNone;
}

// source: linux 6.1 cm.c cm_init_qp_init_attr, cm_init_qp_rtr_attr, cm_init_qp_rts_attr
Result<uint32_t> IbCm::InitQpAttr(IbIndex ib, QpState state) const {
  constexpr uint32_t kRtrMask = 0x129181;
  constexpr uint32_t kRtsMask = 0x12e01;
  constexpr uint32_t kRearmMask = 0x44000;
  const IbId& id = at(ib);
  const bool ready = id.IsIn(IbState::kReqRcvd, IbState::kMraReqSent, IbState::kMraRepSent,
                             IbState::kRepSent, IbState::kMraRepRcvd, IbState::kEstablished);
  const bool init = ready || id.IsIn(IbState::kReqSent, IbState::kMraReqRcvd);
  if (state == QpState::kInit && init) return kInitAttrMask;
  if (state == QpState::kRtr && ready) return kRtrMask;
  if (state == QpState::kRts && ready) return id.lap == LapState::kUninit ? kRtsMask : kRearmMask;
  return Errno::kInval;
}

bool IbCm::Destroy(const Context& c, IbIndex ib) {
  IbId& id = tx_.ids()[ib];
  const std::optional<Mad> farewell = Farewell(c, id);
  if (id.state == id.message_state) tx_.Cancel(&id);  // else its message is of a past state
  if (farewell && !tx_.CannotSend(c, id)) tx_.Send(c, id, *farewell);
  if (!id.outstanding) {
    tx_.Free(ib);
    tx_.SendQueued(c);
    return true;
  }
  id.dying = true;
  tx_.ResetToIdle(&id);
  id.timewait_timer = Instant::Never();
  return false;
}

void IbCm::Crash(const Context& c, uint8_t kernel) {
  work_.Release(c, kernel);
  for (const IbIndex ib : ids().All())
    if (at(ib).kernel == kernel) tx_.Free(ib);
}

void IbCm::Process(const Context& c, uint8_t device, const Mad& mad) {
  if (mad.base_version != kMadBaseVersion) return;
  if (mad.kind == MadKind::kOther) return ReceiveOther(c, device, mad);
  if (mad.method != kSendMethod || mad.class_version != kCmClassVersion) return;
  const bool asks = mad.kind == MadKind::kReq || mad.kind == MadKind::kSidrReq;
  if (asks && mad.unresolvable) return work_.Occupy(c, device);  // and there is no answer
  sim::Receive(c, &tx_, device, mad);
}

void IbCm::Receive(const Context& c, uint8_t device, const Mad& mad) {
  Process(c, device, mad);
  tx_.SendQueued(c);
}

void IbCm::Postpone(const Context& c, uint8_t device, const Mad& mad) {
  const bool waits =
      mad.kind != MadKind::kOther && work_.QueueMessage(c.fabric->KernelOf(device), device, mad);
  if (!waits) Receive(c, device, mad);
}

void IbCm::OnWorkGoesOn(const Context& c, uint8_t kernel) {
  while (const std::optional<Work> work = work_.TakeNext(c, kernel)) {
    if (!work->ib.valid()) {
      Receive(c, work->device, work->mad);
    } else if (ids().Live(work->ib) && at(work->ib).local_cid == work->cid) {
      IbId& id = tx_.ids()[work->ib];
      if (id.state == IbState::kTimewait) tx_.EndTimewait(c, &id);
    }
  }
}

void IbCm::OnTimewaitOver(const Context& c, IbIndex ib) {
  if (!ids().Live(ib)) return;
  IbId& id = tx_.ids()[ib];
  if (id.state != IbState::kTimewait || id.timewait_timer != c.agenda->Now()) return;
  id.timewait_timer = Instant::Never();
  if (!work_.QueueTimewait(ib, id)) tx_.EndTimewait(c, &id);
}

}  // namespace cm::sim
