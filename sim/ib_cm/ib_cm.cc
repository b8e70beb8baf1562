#include "sim/ib_cm/ib_cm.h"

#include <algorithm>
#include <utility>

#include "model/vocabulary/call.h"

namespace cm::sim {
namespace {

constexpr Duration kSendErrorLatency = Duration::Microseconds(20);

}  // namespace

uint8_t AckTimeout(int ack_delay, int packet_lifetime) {
  int timeout = packet_lifetime + 1;
  if (timeout >= ack_delay)
    timeout += ack_delay >= timeout - 1 ? 1 : 0;
  else
    timeout = ack_delay + (timeout >= ack_delay - 1 ? 1 : 0);
  return static_cast<uint8_t>(std::min(timeout, 31));
}

Mad IbCm::Answer(const IbId& id, MadKind kind) const {
  Mad mad;
  mad.kind = kind;
  mad.local_cid = id.local_cid;
  mad.remote_cid = id.remote_cid;
  mad.tid = id.tid;
  mad.sender = id.device;
  return mad;
}

// The message begins an exchange of its own.
Mad IbCm::Disconnection(const IbId& id) const {
  Mad dreq = Answer(id, MadKind::kDreq);
  dreq.tid = id.local_cid;
  dreq.qp_num = id.remote_qpn;
  return dreq;
}

// A DREQ carries nothing that the id does not know.
Mad IbCm::MessageOf(const IbId& id) const {
  return id.message == kNobody ? Disconnection(id) : messages_[id.message].mad;
}

Mad IbCm::Rejection(const IbId& id, About about, RejReason reason) const {
  Mad rej = Answer(id, MadKind::kRej);
  rej.about = about;
  rej.reason = reason;
  return rej;
}

// The source GID was removed when its device's bond failed over: the id can create no further
// message. source: linux 6.1 cm.c cm_alloc_msg, observed 6.1-rxe in the lab
bool IbCm::SourceLost(const Context& c, const IbId& id) {
  const bool moves = c.profile->transport != Transport::kInfiniband;
  return id.pathless || (moves && id.source_since != c.fabric->device(id.device).fail_overs);
}

// Never early, and late by at most one slot of the wheel's level: slots of 4 ms for up to 63 of
// them, and of eight times as much on each further level. source: linux 6.1 timer.c calc_index
Instant IbCm::TimerAt(const Context& c, Duration span) {
  constexpr int64_t kJiffy = 4'000'000;
  constexpr int64_t kAhead = 63;
  const Instant now = c.agenda->Now();
  if (c.profile->timing.clock == TimerClock::kExact) return now + span;
  const int64_t ahead = (span.nanoseconds() + kJiffy - 1) / kJiffy;
  int64_t bucket = 1;
  while (ahead >= kAhead * bucket) bucket *= 8;
  const int64_t expires = now.nanoseconds() / kJiffy + ahead;
  return Instant::FromNanoseconds((expires / bucket + 1) * bucket * kJiffy);
}

void IbCm::Transmit(const Context& c, uint32_t ib) {
  IbId& id = ids_[ib];
  id.mad_timer = TimerAt(c, id.interval.span());
  const bool lost = SourceLost(c, id);
  if (lost) c.fabric->device(id.device).hears = Hears::kNever;
  const auto send = [&](const Mad& mad) { return Send(c, id, mad); };
  if (!lost &&
      (id.message == kNobody ? send(Disconnection(id)) : send(messages_[id.message].mad))) {
    // Its timer starts when it has been sent. source: observed 6.12-rxe 73-link_down_when_resolving
    if (c.fabric->Keeps(id.device, id.peer_device)) {
      id.mad_timer = Instant::Never();
      return;
    }
    c.agenda->At(id.mad_timer, EventKind::kMadTimer, ib);
  } else {
    id.mad_timer = c.agenda->Now() + kSendErrorLatency;
    c.agenda->At(id.mad_timer, EventKind::kSendFailed, ib);
  }
}

// Sets the message that is retransmitted until it is answered, replacing an earlier one.
Mad& IbCm::Keep(IbId* id, const Mad& message) {
  Cancel(id);
  id->message = messages_.MakeAnyhow();
  return messages_[id->message].mad = message;
}

void IbCm::SendOutstanding(const Context& c, uint32_t ib, MadKind kind) {
  IbId& id = ids_[ib];
  id.message_kind = kind;
  id.message_state = id.state;
  id.outstanding = true;
  id.interval = more_[ib].base_interval;
  id.retries_left = id.max_retries;
  TransmitInTurn(c, ib);
}

void IbCm::Cancel(IbId* id) {
  id->outstanding = false;
  id->mad_timer = Instant::Never();
  LeaveTurn(id);
  if (id->message != kNobody) messages_.Free(std::exchange(id->message, kNobody));
}

void IbCm::EnterTimewait(const Context& c, uint32_t ib) {
  IbId& id = ids_[ib];
  id.state = IbState::kTimewait;
  ForgetRemotely(&id);
  const Duration span = Timing::Exponent(id.av_timeout);
  id.timewait_timer = TimerAt(c, span);
  c.agenda->At(id.timewait_timer, EventKind::kTimewaitOver, ib);
}

void IbCm::ResetToIdle(IbId* id) {
  id->state = IbState::kIdle;
  ForgetRemotely(id);
}

Errno IbCm::SendReq(const Context& c, uint32_t ib, uint8_t to_device, uint8_t packet_lifetime,
                    const Mad& req) {
  IbId& id = ids_[ib];
  if (id.state != IbState::kIdle) return Errno::kInval;
  Timing timing = c.profile->timing;
  timing.packet_lifetime = packet_lifetime;
  Mad& kept = Keep(&id, req);
  kept.kind = MadKind::kReq;
  kept.local_cid = kept.tid = id.local_cid;
  kept.sender = id.device;
  kept.response_timeout = static_cast<uint8_t>(timing.response_timeout);
  kept.max_retries = static_cast<uint8_t>(timing.max_retries);
  kept.ack_timeout = AckTimeout(timing.ack_delay, timing.packet_lifetime);
  Meet(c, &id, to_device);
  id.local_qpn = req.qp_num;
  more_[ib].retry_count = req.conn.retry_count;
  id.av_timeout = static_cast<uint8_t>(timing.packet_lifetime + 1);
  id.max_retries = kept.max_retries;
  id.state = IbState::kReqSent;
  more_[ib].base_interval = Interval(timing.RequestInterval());
  SendOutstanding(c, ib, MadKind::kReq);
  return Errno::kNone;
}

Errno IbCm::SendRep(const Context& c, uint32_t ib, const Mad& rep) {
  IbId& id = ids_[ib];
  if (id.state != IbState::kReqRcvd && id.state != IbState::kMraReqSent) return Errno::kInval;
  if (SourceLost(c, id)) return Errno::kInval;
  Mad& kept = Keep(&id, rep);
  kept.kind = MadKind::kRep;
  kept.local_cid = id.local_cid;
  kept.remote_cid = id.remote_cid;
  kept.tid = id.tid;
  kept.sender = id.device;
  kept.ack_delay = static_cast<uint8_t>(c.profile->timing.ack_delay);
  id.local_qpn = rep.qp_num;
  id.state = IbState::kRepSent;
  SendOutstanding(c, ib, MadKind::kRep);
  return Errno::kNone;
}

Errno IbCm::SendRtu(const Context& c, uint32_t ib) {
  IbId& id = ids_[ib];
  if (id.state != IbState::kRepRcvd && id.state != IbState::kMraRepSent) return Errno::kInval;
  if (SourceLost(c, id)) return Errno::kInval;
  id.state = IbState::kEstablished;
  Send(c, id, Answer(id, MadKind::kRtu));
  return Errno::kNone;
}

Errno IbCm::SendRej(const Context& c, uint32_t ib, RejReason reason, const PrivateData& data) {
  IbId& id = ids_[ib];
  if (data.size() > c.profile->limits.reject_data) return Errno::kInval;
  Mad rej = Rejection(id, About::kReq, reason);
  rej.data = data;
  bool timewait = false;
  switch (id.state) {
    case IbState::kReqRcvd:
      rej.local_cid = 0;
      break;
    case IbState::kMraReqSent:
      break;
    case IbState::kRepRcvd:
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
    default:
      return Errno::kInval;
  }
  const bool lost = SourceLost(c, id);
  if (!lost) Send(c, id, rej);
  if (timewait)
    EnterTimewait(c, ib);
  else
    ResetToIdle(&id);
  return lost ? Errno::kInval : Errno::kNone;
}

Errno IbCm::SendDreq(const Context& c, uint32_t ib) {
  IbId& id = ids_[ib];
  if (id.state != IbState::kEstablished) return Errno::kInval;
  if (SourceLost(c, id)) {
    EnterTimewait(c, ib);
    return Errno::kInval;
  }
  id.state = IbState::kDreqSent;
  Cancel(&id);
  SendOutstanding(c, ib, MadKind::kDreq);
  return Errno::kNone;
}

Errno IbCm::SendDrep(const Context& c, uint32_t ib) {
  IbId& id = ids_[ib];
  if (id.state != IbState::kDreqRcvd) return Errno::kInval;
  if (!SourceLost(c, id)) Send(c, id, Answer(id, MadKind::kDrep));
  EnterTimewait(c, ib);
  return Errno::kNone;
}

Errno IbCm::Notify(const Context& c, uint32_t ib, uint8_t event) {
  IbId& id = ids_[ib];
  const bool stands = id.state == IbState::kEstablished;
  if (event == call::Notify::kCommEst) {
    if (stands) return Errno::kIsConn;
    if (id.state != IbState::kRepSent && id.state != IbState::kMraRepRcvd) return Errno::kInval;
    Cancel(&id);  // a REP, which is not queued
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
Result<uint32_t> IbCm::InitQpAttr(uint32_t ib, QpState state) const {
  constexpr uint32_t kRtrMask = 0x129181;
  constexpr uint32_t kRtsMask = 0x12e01;
  constexpr uint32_t kRearmMask = 0x44000;
  bool init = true;
  bool ready = false;
  switch (ids_[ib].state) {
    case IbState::kReqSent:
    case IbState::kMraReqRcvd:
      break;
    case IbState::kReqRcvd:
    case IbState::kMraReqSent:
    case IbState::kRepRcvd:
    case IbState::kMraRepSent:
    case IbState::kRepSent:
    case IbState::kMraRepRcvd:
    case IbState::kEstablished:
      ready = true;
      break;
    default:
      init = false;
      break;
  }
  if (state == QpState::kInit && init) return kInitAttrMask;
  if (state == QpState::kRtr && ready) return kRtrMask;
  if (state == QpState::kRts && ready)
    return ids_[ib].lap == LapState::kUninit ? kRtsMask : kRearmMask;
  return Errno::kInval;
}

bool IbCm::DestroyByState(const Context& c, uint32_t ib) {
  IbId& id = ids_[ib];
  const auto send = [&](const Mad& mad) {
    if (SourceLost(c, id)) return;
    Send(c, id, mad);
  };
  switch (id.state) {
    case IbState::kReqSent:
    case IbState::kMraReqRcvd: {
      Mad rej = Rejection(id, About::kOther, RejReason::kTimeout);
      rej.info = RejInfo::kGuid;
      Cancel(&id);
      send(rej);
      break;
    }
    case IbState::kReqRcvd:  // before its peer was notified
    case IbState::kMraReqSent: {
      Mad rej = Rejection(id, About::kReq, RejReason::kConsumerDefined);
      if (id.state == IbState::kReqRcvd) rej.local_cid = 0;
      send(rej);
      break;
    }
    case IbState::kRepRcvd:
    case IbState::kMraRepSent:
      send(Rejection(id, About::kRep, RejReason::kConsumerDefined));
      break;
    case IbState::kRepSent:
    case IbState::kMraRepRcvd:
      Cancel(&id);
      send(Rejection(id, About::kOther, RejReason::kConsumerDefined));
      break;
    case IbState::kEstablished:
      send(Disconnection(id));
      break;
    case IbState::kDreqSent:
    case IbState::kSidrReqSent:
      Cancel(&id);
      break;
    case IbState::kSidrReqRcvd: {
      Mad refusal = Answer(id, MadKind::kSidrRep);
      refusal.status = SidrStatus::kReject;
      refusal.data = PrivateData().Resized(c.profile->limits.datagram_reply_data);
      send(refusal);
      break;
    }
    case IbState::kDreqRcvd:
      send(Answer(id, MadKind::kDrep));
      break;
    case IbState::kIdle:
    case IbState::kTimewait:
      break;
  }
  return !id.outstanding;
}

bool IbCm::Destroy(const Context& c, uint32_t ib) {
  const bool finished = DestroyByState(c, ib);
  IbId& id = ids_[ib];
  if (finished) {
    Free(ib);
    GoOn(c);
    return true;
  }
  id.dying = true;
  ResetToIdle(&id);
  id.timewait_timer = Instant::Never();
  return false;
}

void IbCm::Crash(const Context& c, uint8_t kernel) {
  Leave(c, kernel);
  for (uint32_t ib = 0; ib < ids_.end(); ++ib)
    if (ids_.Live(ib) && ids_[ib].kernel == kernel) Free(ib);
}

void IbCm::OnMadTimer(const Context& c, uint32_t ib) {
  if (!ids_.Live(ib)) return;
  IbId& id = ids_[ib];
  if (!id.outstanding || id.mad_timer != c.agenda->Now()) return;
  if (id.retries_left == 0) {
    GiveUp(c, ib);
    return GoOn(c);
  }
  --id.retries_left;
  TransmitInTurn(c, ib);
}

void IbCm::OnSendFailed(const Context& c, uint32_t ib) {
  if (!ids_.Live(ib)) return;
  const IbId& id = ids_[ib];
  if (!id.outstanding || id.mad_timer != c.agenda->Now()) return;
  GiveUp(c, ib);
  GoOn(c);
}

void IbCm::GiveUp(const Context& c, uint32_t ib) {
  IbId& id = ids_[ib];
  Cancel(&id);
  if (id.dying) {
    const uint32_t user = id.user;
    Free(ib);
    c.user->OnIbGone(user);
    return;
  }
  // A message whose id has moved on is ignored.
  if (id.state == id.message_state) Exhausted(c, ib);
}

void IbCm::Exhausted(const Context& c, uint32_t ib) {
  IbId& id = ids_[ib];
  const uint32_t user = id.user;
  switch (id.message_kind) {
    case MadKind::kReq:
      ResetToIdle(&id);
      c.user->OnIbEvent(user, IbEventKind::kReqError, nullptr);
      break;
    case MadKind::kRep:
      ResetToIdle(&id);
      c.user->OnIbEvent(user, IbEventKind::kRepError, nullptr);
      break;
    case MadKind::kSidrReq:
      ResetToIdle(&id);
      c.user->OnIbEvent(user, IbEventKind::kSidrReqError, nullptr);
      break;
    default:
      EnterTimewait(c, ib);
      c.user->OnIbEvent(user, IbEventKind::kDreqError, nullptr);
      break;
  }
}

void IbCm::OnTimewaitOver(const Context& c, uint32_t ib) {
  if (!ids_.Live(ib)) return;
  IbId& id = ids_[ib];
  if (id.state != IbState::kTimewait || id.timewait_timer != c.agenda->Now()) return;
  id.timewait_timer = Instant::Never();
  if (busy_.empty() || !TimewaitWaits(id, ib)) EndTimewait(c, &id);
}

void IbCm::EndTimewait(const Context& c, IbId* id) {
  id->state = IbState::kIdle;
  c.user->OnIbEvent(id->user, IbEventKind::kTimewaitExit, nullptr);
}

}  // namespace cm::sim
