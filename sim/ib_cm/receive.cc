// Processing of received messages.
#include <algorithm>

#include "sim/ib_cm/ib_cm.h"

namespace cm::sim {
namespace {

constexpr uint16_t kFullMember = 0x8000;  // membership bit of a P_Key

}  // namespace

// The MAD layer below answers queries of any class that has no handler. source: linux 6.1 mad.c
// generate_unmatched_resp
void IbCm::ReceiveOther(const Context& c, uint8_t device, const Mad& mad) {
  const bool asks = mad.method == kGetMethod || mad.method == kSetMethod;
  if (mad.attribute != kClassPortInfo || !asks) return;
  Mad response = mad;
  response.method = kGetResponseMethod;
  response.mad_status = kMethodNotSupported;
  response.sender = device;
  c.fabric->Send(c.agenda, device, mad.sender, response);
}

void IbCm::Receive(const Context& c, uint8_t device, const Mad& mad) {
  Dispatch(c, device, mad);
  GoOn(c);
}

void IbCm::Dispatch(const Context& c, uint8_t device, const Mad& mad) {
  if (mad.base_version != kMadBaseVersion) return;
  if (mad.kind == MadKind::kOther) return ReceiveOther(c, device, mad);
  if (mad.method != kSendMethod || mad.class_version != kCmClassVersion) return;
  switch (mad.kind) {
    case MadKind::kReq:
      return ReceiveReq(c, device, mad);
    case MadKind::kMra:
      return ReceiveMra(c, device, mad);
    case MadKind::kRej:
      return ReceiveRej(c, device, mad);
    case MadKind::kRep:
      return ReceiveRep(c, device, mad);
    case MadKind::kRtu:
      return ReceiveRtu(c, device, mad);
    case MadKind::kDreq:
      return ReceiveDreq(c, device, mad);
    case MadKind::kDrep:
      return ReceiveDrep(c, device, mad);
    case MadKind::kSidrReq:
      return ReceiveSidrReq(c, device, mad);
    case MadKind::kSidrRep:
      return ReceiveSidrRep(c, device, mad);
    case MadKind::kLap:
      return ReceiveLap(c, device, mad);
    default:  // an APR: no LAP was sent
      return;
  }
}

void IbCm::ReceiveDuplicateReq(const Context& c, uint32_t ib) {
  const IbId& id = ids_[ib];
  if (id.state != IbState::kMraReqSent) return;
  Mad mra = Answer(id, MadKind::kMra);
  mra.about = About::kReq;
  mra.service_timeout = static_cast<uint8_t>(c.profile->timing.mra_service_timeout);
  Send(c, id, mra);
}

void IbCm::ReceiveStaleReq(const Context& c, uint8_t device, const Mad& req, uint32_t old) {
  Mad rej;
  rej.kind = MadKind::kRej;
  rej.remote_cid = req.local_cid;
  rej.tid = req.tid;
  rej.sender = device;
  rej.about = About::kReq;
  rej.reason = RejReason::kStaleConn;
  c.fabric->Send(c.agenda, device, req.sender, rej);
  if (ids_[old].state == IbState::kEstablished) SendDreq(c, old);
}

// Over RoCE the address of an alternate path is looked up by a field that a request has no room
// for. source: linux 6.1 cm.c cm_req_handler, cm_init_av_by_path
std::optional<RejReason> IbCm::PathRefusedBecause(const Context& c, const Mad& req) const {
  const bool member = (req.p_key | kFullMember) == kDefaultPkey;
  if (!member || req.mixed_gids) return RejReason::kInvalidGid;
  if (req.alternate_path && c.profile->transport == Transport::kRoce)
    return RejReason::kInvalidAltGid;
  return std::nullopt;
}

void IbCm::ReceiveReq(const Context& c, uint8_t device, const Mad& req) {
  // The answer cannot be sent, so there is none.
  if (req.unresolvable) return Occupy(c, device);
  const uint8_t kernel = c.fabric->KernelOf(device);
  const uint32_t duplicate = FindRemoteId(kernel, c.fabric->CaOf(req.sender), req.local_cid);
  if (duplicate != kNobody) return ReceiveDuplicateReq(c, duplicate);
  const uint32_t stale = FindRemoteQp(kernel, c.fabric->CaOf(req.sender), req.qp_num);
  if (stale != kNobody) return ReceiveStaleReq(c, device, req, stale);
  Mad rej;
  rej.kind = MadKind::kRej;
  rej.remote_cid = req.local_cid;
  rej.tid = req.tid;
  rej.sender = device;
  rej.about = About::kReq;
  if (!c.user->Listens(device, req)) {
    rej.reason = RejReason::kInvalidServiceId;
    c.fabric->Send(c.agenda, device, req.sender, rej);
    return;
  }
  if (const std::optional<RejReason> reason = PathRefusedBecause(c, req)) {
    rej.reason = *reason;
    rej.info = *reason == RejReason::kInvalidGid ? RejInfo::kPortGid : RejInfo::kPathGid;
    c.fabric->Send(c.agenda, device, req.sender, rej);
    return;
  }
  const uint32_t ib = Create(kernel, device, kNobody, c.fabric->device(device).fail_overs);
  IbId& id = ids_[ib];
  id.state = IbState::kReqRcvd;
  id.tid = req.tid;
  Meet(c, &id, req.sender);
  id.remote_cid = req.local_cid;
  id.remote_qpn = req.qp_num;
  more_[ib].peer = req.conn;
  more_[ib].retry_count = req.conn.retry_count;
  KnowRemotely(&id);
  id.av_timeout = std::max<uint8_t>(req.ack_timeout, 1);
  more_[ib].base_interval = Interval(Timing::Exponent(req.response_timeout));
  id.max_retries = req.max_retries;
  switch (c.user->OnRequest(ib, device, req)) {
    case RequestVerdict::kTaken:
      ids_[ib].state = IbState::kMraReqSent;  // from now on duplicates are answered by MRA
      return;
    case RequestVerdict::kNobodyListens:
    case RequestVerdict::kRejected:
      rej.reason = RejReason::kConsumerDefined;
      c.fabric->Send(c.agenda, device, req.sender, rej);
      break;
    case RequestVerdict::kDropped:
      break;
  }
  Free(ib);
}

void IbCm::ReceiveMra(const Context& c, uint8_t device, const Mad& mra) {
  const uint32_t ib =
      Match(c, device, mra.remote_cid, mra.about == About::kReq ? 0 : mra.local_cid);
  if (ib == kNobody) return;
  IbId& id = ids_[ib];
  if (mra.about == About::kReq && id.state == IbState::kReqSent) {
    id.state = IbState::kMraReqRcvd;
  } else if (mra.about == About::kRep && id.state == IbState::kRepSent) {
    id.state = IbState::kMraRepRcvd;
  } else {
    return;
  }
  id.message_state = id.state;
  // The new interval applies to all later transmissions.
  id.interval = Interval(Timing::Exponent(mra.service_timeout) + Timing::Exponent(id.av_timeout));
  id.mad_timer = TimerAt(c, id.interval.span());
  c.agenda->At(id.mad_timer, EventKind::kMadTimer, ib);
}

void IbCm::ReceiveRej(const Context& c, uint8_t device, const Mad& rej) {
  uint32_t ib = kNobody;
  if (rej.reason == RejReason::kTimeout && rej.info == RejInfo::kGuid) {
    ib = FindRemoteId(c.fabric->KernelOf(device), c.fabric->CaOf(rej.sender), rej.local_cid);
  } else {
    ib = Match(c, device, rej.remote_cid, rej.about == About::kReq ? 0 : rej.local_cid);
  }
  if (ib == kNobody) return;
  IbId& id = ids_[ib];
  const bool stale = rej.reason == RejReason::kStaleConn;
  switch (id.state) {
    case IbState::kReqSent:
    case IbState::kMraReqRcvd:
    case IbState::kRepSent:
    case IbState::kMraRepRcvd:
      Cancel(&id);
      [[fallthrough]];
    case IbState::kReqRcvd:
    case IbState::kMraReqSent:
      if (stale)
        EnterTimewait(c, ib);
      else
        ResetToIdle(&id);
      break;
    case IbState::kEstablished:
      if (id.lap != LapState::kUninit) return;
      EnterTimewait(c, ib);
      break;
    case IbState::kDreqSent:
      Cancel(&id);
      [[fallthrough]];
    case IbState::kRepRcvd:
    case IbState::kMraRepSent:
      EnterTimewait(c, ib);
      break;
    default:
      return;
  }
  c.user->OnIbEvent(id.user, IbEventKind::kRejReceived, &rej);
}

void IbCm::ReceiveRep(const Context& c, uint8_t device, const Mad& rep) {
  const uint32_t ib = Match(c, device, rep.remote_cid, 0);
  if (ib == kNobody) {
    const uint32_t again = Match(c, device, rep.remote_cid, rep.local_cid);
    if (again == kNobody) return;
    const IbId& id = ids_[again];
    if (id.state == IbState::kMraRepSent) {
      Mad mra = Answer(id, MadKind::kMra);
      mra.about = About::kRep;
      mra.service_timeout = static_cast<uint8_t>(c.profile->timing.mra_service_timeout);
      Send(c, id, mra);
    } else if (id.state == IbState::kEstablished) {
      Send(c, id, Answer(id, MadKind::kRtu));
    }
    return;
  }
  IbId& id = ids_[ib];
  if (id.state != IbState::kReqSent && id.state != IbState::kMraReqRcvd) return;
  const uint8_t ca = c.fabric->CaOf(rep.sender);
  if (FindRemoteId(id.kernel, ca, rep.local_cid) != kNobody) return;
  const uint32_t stale = FindRemoteQp(id.kernel, ca, rep.qp_num);
  if (stale != kNobody) {
    Mad rej = Rejection(id, About::kRep, RejReason::kStaleConn);
    rej.remote_cid = rep.local_cid;
    rej.tid = rep.tid;
    Send(c, id, rej);
    if (ids_[stale].state == IbState::kEstablished) SendDreq(c, stale);
    return;
  }
  id.remote_cid = rep.local_cid;
  id.remote_qpn = rep.qp_num;
  more_[ib].peer = rep.conn;
  KnowRemotely(&id);
  id.av_timeout = AckTimeout(rep.ack_delay, id.av_timeout - 1);
  Cancel(&id);
  // The layer above makes duplicates be answered immediately.
  id.state = IbState::kMraRepSent;
  c.user->OnIbEvent(id.user, IbEventKind::kRepReceived, &rep);
}

void IbCm::ReceiveRtu(const Context& c, uint8_t device, const Mad& rtu) {
  const uint32_t ib = Match(c, device, rtu.remote_cid, rtu.local_cid);
  if (ib == kNobody) return;
  IbId& id = ids_[ib];
  if (id.state != IbState::kRepSent && id.state != IbState::kMraRepRcvd) return;
  Cancel(&id);
  id.state = IbState::kEstablished;
  c.user->OnIbEvent(id.user, IbEventKind::kRtuReceived, &rtu);
}

void IbCm::ReceiveDreq(const Context& c, uint8_t device, const Mad& dreq) {
  const uint32_t ib = Match(c, device, dreq.remote_cid, dreq.local_cid);
  if (ib == kNobody) {
    Mad drep;
    drep.kind = MadKind::kDrep;
    drep.local_cid = dreq.remote_cid;
    drep.remote_cid = dreq.local_cid;
    drep.tid = dreq.tid;
    drep.sender = device;
    c.fabric->Send(c.agenda, device, dreq.sender, drep);
    return;
  }
  IbId& id = ids_[ib];
  if (dreq.qp_num != id.local_qpn) return;
  switch (id.state) {
    case IbState::kRepSent:
    case IbState::kMraRepRcvd:
    case IbState::kDreqSent:
      Cancel(&id);
      break;
    case IbState::kEstablished:
      break;
    case IbState::kTimewait:
      Send(c, id, Answer(id, MadKind::kDrep));
      return;
    default:
      return;
  }
  id.state = IbState::kDreqRcvd;
  id.tid = dreq.tid;
  c.user->OnIbEvent(id.user, IbEventKind::kDreqReceived, &dreq);
}

// The layer above ignores it, and so it is never answered.
void IbCm::ReceiveLap(const Context& c, uint8_t device, const Mad& lap) {
  if (c.profile->transport != Transport::kInfiniband) return;
  const uint32_t ib = Match(c, device, lap.remote_cid, lap.local_cid);
  if (ib == kNobody || ids_[ib].state != IbState::kEstablished) return;
  IbId& id = ids_[ib];
  switch (id.lap) {
    case LapState::kUninit:
    case LapState::kIdle:
      id.lap = LapState::kLapRcvd;
      id.tid = lap.tid;
      id.pathless = false;  // the next message goes to this one's source
      return;
    case LapState::kLapRcvd:
      return;
    case LapState::kMraLapSent: {
      Mad mra = Answer(id, MadKind::kMra);
      mra.about = About::kOther;
      mra.service_timeout = static_cast<uint8_t>(c.profile->timing.mra_service_timeout);
      Send(c, id, mra);
      return;
    }
  }
}

void IbCm::ReceiveDrep(const Context& c, uint8_t device, const Mad& drep) {
  const uint32_t ib = Match(c, device, drep.remote_cid, drep.local_cid);
  if (ib == kNobody) return;
  IbId& id = ids_[ib];
  if (id.state != IbState::kDreqSent && id.state != IbState::kDreqRcvd) return;
  Cancel(&id);
  EnterTimewait(c, ib);
  c.user->OnIbEvent(id.user, IbEventKind::kDrepReceived, &drep);
}

}  // namespace cm::sim
