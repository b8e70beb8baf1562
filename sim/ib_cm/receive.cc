#include "sim/ib_cm/receive.h"

#include <algorithm>

#include "sim/ib_cm/id_table.h"
#include "sim/ib_cm/messages.h"
#include "sim/ib_cm/service_resolution.h"

namespace cm::sim {
namespace {

constexpr uint16_t kFullMember = 0x8000;  // membership bit of a P_Key

void ReceiveDuplicateReq(const IbContext& c, Transmitter* tx, IbIndex ib) {
  const IbId& id = tx->ids()[ib];
  if (id.state != IbState::kMraReqSent) return;
  tx->Answer(c, id, MraFrom(id, About::kReq, c.profile->timing.mra_service_timeout));
}

// The connection that its peer does not know any more is ended.
void EndStale(const IbContext& c, Transmitter* tx, IbIndex ib) {
  if (tx->ids()[ib].state == IbState::kEstablished) static_cast<void>(tx->SendDreq(c, ib));
}

// Over RoCE the address of an alternate path is looked up by a field that a request has no room
// for. source: linux 6.1 cm.c cm_req_handler, cm_init_av_by_path
RejReason PathRefusedBecause(const IbContext& c, const Mad& req) {
  const bool member = (req.p_key | kFullMember) == kDefaultPkey;
  if (!member || req.mixed_gids) return RejReason::kInvalidGid;
  if (req.alternate_path && c.profile->transport == Transport::kRoce)
    return RejReason::kInvalidAltGid;
  return RejReason::kNone;
}

// The id of a request that is neither a duplicate nor stale.
IbIndex NewId(const IbContext& c, IdTable* ids, uint8_t device, const Mad& req) {
  const IbIndex ib = ids->Create(c.fabric->KernelOf(device), device, CmIdIndex(),
                                 c.fabric->device(device).fail_overs);
  IbId& id = (*ids)[ib];
  id.state = IbState::kReqRcvd;
  id.tid = req.tid;
  IdTable::SetPeer(c, &id, req.sender);
  id.remote_cid = req.local_cid;
  id.remote_qpn = req.qp_num;
  id.av_timeout = std::max<uint8_t>(req.ack_timeout, 1);
  id.max_retries = req.max_retries;
  IbMore& more = ids->more(ib);
  more.peer = req.conn;
  more.retry_count = req.conn.retry_count;
  more.base_interval = Interval(Timing::Exponent(req.response_timeout));
  ids->IndexByPeer(&id);
  return ib;
}

void ReceiveReq(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& req) {
  IdTable& ids = tx->ids();
  const uint8_t kernel = c.fabric->KernelOf(device);
  const uint8_t ca = c.fabric->CaOf(req.sender);
  const IbIndex duplicate = ids.FindRemoteId(kernel, ca, req.local_cid);
  if (duplicate.valid()) return ReceiveDuplicateReq(c, tx, duplicate);
  Mad rej = AnswerTo(req, device, MadKind::kRej);
  rej.about = About::kReq;
  const auto reject = [&](RejReason reason) {
    rej.reason = reason;
    tx->Answer(c, device, req.sender, rej);
  };
  const IbIndex stale = ids.FindRemoteQp(kernel, ca, req.qp_num);
  if (stale.valid()) {
    reject(RejReason::kStaleConn);
    return EndStale(c, tx, stale);
  }
  if (!c.user->Listens(device, req)) return reject(RejReason::kInvalidServiceId);
  if (const RejReason reason = PathRefusedBecause(c, req); reason != RejReason::kNone) {
    rej.info = reason == RejReason::kInvalidGid ? RejInfo::kPortGid : RejInfo::kPathGid;
    return reject(reason);
  }
  const IbIndex ib = NewId(c, &ids, device, req);
  switch (c.user->OnRequest(ib, device, req)) {
    case RequestVerdict::kTaken:
      ids[ib].state = IbState::kMraReqSent;  // from now on duplicates are answered by MRA
      return;
    case RequestVerdict::kRejected:
      reject(RejReason::kConsumerDefined);
      break;
    case RequestVerdict::kDropped:
      break;
  }
  tx->Free(ib);
}

void ReceiveMra(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& mra) {
  const IbIndex ib =
      tx->ids().Match(c, device, mra.remote_cid, mra.about == About::kReq ? 0 : mra.local_cid);
  if (!ib.valid()) return;
  IbId& id = tx->ids()[ib];
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
  id.mad_timer = c.TimerAt(id.interval.span());
  c.agenda->At(id.mad_timer, EventKind::kMadTimer, ib.value());
}

void ReceiveRej(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& rej) {
  IbIndex ib;
  if (rej.reason == RejReason::kTimeout && rej.info == RejInfo::kGuid) {
    ib = tx->ids().FindRemoteId(c.fabric->KernelOf(device), c.fabric->CaOf(rej.sender),
                                rej.local_cid);
  } else {
    ib = tx->ids().Match(c, device, rej.remote_cid, rej.about == About::kReq ? 0 : rej.local_cid);
  }
  if (!ib.valid()) return;
  IbId& id = tx->ids()[ib];
  const bool stale = rej.reason == RejReason::kStaleConn;
  switch (id.state) {
    case IbState::kReqSent:
    case IbState::kMraReqRcvd:
    case IbState::kRepSent:
    case IbState::kMraRepRcvd:
      tx->Cancel(&id);
      [[fallthrough]];
    case IbState::kReqRcvd:
    case IbState::kMraReqSent:
      if (stale)
        tx->EnterTimewait(c, ib);
      else
        tx->ResetToIdle(&id);
      break;
    case IbState::kEstablished:
      if (id.lap != LapState::kUninit) return;
      tx->EnterTimewait(c, ib);
      break;
    case IbState::kDreqSent:
      tx->Cancel(&id);
      [[fallthrough]];
    case IbState::kMraRepSent:
      tx->EnterTimewait(c, ib);
      break;
    case IbState::kIdle:
    case IbState::kDreqRcvd:
    case IbState::kTimewait:
    case IbState::kSidrReqSent:
    case IbState::kSidrReqRcvd:
      return;
  }
  c.user->OnIbEvent(id.user, IbEventKind::kRejReceived, &rej);
}

void ReceiveDuplicateRep(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& rep) {
  const IbIndex ib = tx->ids().Match(c, device, rep.remote_cid, rep.local_cid);
  if (!ib.valid()) return;
  const IbId& id = tx->ids()[ib];
  if (id.state == IbState::kMraRepSent)
    tx->Answer(c, id, MraFrom(id, About::kRep, c.profile->timing.mra_service_timeout));
  else if (id.state == IbState::kEstablished)
    tx->Answer(c, id, MessageFrom(id, MadKind::kRtu));
}

void ReceiveRep(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& rep) {
  const IbIndex ib = tx->ids().Match(c, device, rep.remote_cid, 0);
  if (!ib.valid()) return ReceiveDuplicateRep(c, tx, device, rep);
  IbId& id = tx->ids()[ib];
  if (!id.IsIn(IbState::kReqSent, IbState::kMraReqRcvd)) return;
  const uint8_t ca = c.fabric->CaOf(rep.sender);
  if (tx->ids().FindRemoteId(id.kernel, ca, rep.local_cid).valid()) return;
  const IbIndex stale = tx->ids().FindRemoteQp(id.kernel, ca, rep.qp_num);
  if (stale.valid()) {
    Mad rej = RejFrom(id, About::kRep, RejReason::kStaleConn);
    rej.remote_cid = rep.local_cid;
    rej.tid = rep.tid;
    tx->Answer(c, id, rej);
    return EndStale(c, tx, stale);
  }
  id.remote_cid = rep.local_cid;
  id.remote_qpn = rep.qp_num;
  tx->ids().more(ib).peer = rep.conn;
  tx->ids().IndexByPeer(&id);
  id.av_timeout = AckTimeout(rep.ack_delay, id.av_timeout - 1);
  tx->Cancel(&id);
  // The layer above makes duplicates be answered immediately.
  id.state = IbState::kMraRepSent;
  c.user->OnIbEvent(id.user, IbEventKind::kRepReceived, &rep);
}

void ReceiveRtu(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& rtu) {
  const IbIndex ib = tx->ids().Match(c, device, rtu.remote_cid, rtu.local_cid);
  if (!ib.valid()) return;
  IbId& id = tx->ids()[ib];
  if (!id.IsIn(IbState::kRepSent, IbState::kMraRepRcvd)) return;
  tx->Cancel(&id);
  id.state = IbState::kEstablished;
  c.user->OnIbEvent(id.user, IbEventKind::kRtuReceived, &rtu);
}

void ReceiveDreq(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& dreq) {
  const IbIndex ib = tx->ids().Match(c, device, dreq.remote_cid, dreq.local_cid);
  if (!ib.valid()) {
    Mad drep = AnswerTo(dreq, device, MadKind::kDrep);
    drep.local_cid = dreq.remote_cid;
    tx->Answer(c, device, dreq.sender, drep);
    return;
  }
  IbId& id = tx->ids()[ib];
  if (dreq.qp_num != id.local_qpn) return;
  if (id.state == IbState::kTimewait) {
    tx->Answer(c, id, MessageFrom(id, MadKind::kDrep));
    return;
  }
  const bool waits = id.IsIn(IbState::kRepSent, IbState::kMraRepRcvd, IbState::kDreqSent);
  if (!waits && id.state != IbState::kEstablished) return;
  const bool outlives =
      id.state == IbState::kMraRepRcvd && c.profile->dialect.delayed_reply_outlives_dreq;
  if (waits && !outlives) tx->Cancel(&id);
  id.state = IbState::kDreqRcvd;
  id.tid = dreq.tid;
  c.user->OnIbEvent(id.user, IbEventKind::kDreqReceived, &dreq);
}

// The layer above ignores it, and so it is never answered.
void ReceiveLap(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& lap) {
  if (c.profile->transport != Transport::kInfiniband) return;
  const IbIndex ib = tx->ids().Match(c, device, lap.remote_cid, lap.local_cid);
  if (!ib.valid() || tx->ids()[ib].state != IbState::kEstablished) return;
  IbId& id = tx->ids()[ib];
  if (id.lap == LapState::kLapRcvd) return;
  id.lap = LapState::kLapRcvd;
  id.tid = lap.tid;
  id.pathless = false;  // the next message goes to this one's source
}

void ReceiveDrep(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& drep) {
  const IbIndex ib = tx->ids().Match(c, device, drep.remote_cid, drep.local_cid);
  if (!ib.valid()) return;
  IbId& id = tx->ids()[ib];
  if (!id.IsIn(IbState::kDreqSent, IbState::kDreqRcvd)) return;
  tx->Cancel(&id);
  tx->EnterTimewait(c, ib);
  c.user->OnIbEvent(id.user, IbEventKind::kDrepReceived, &drep);
}

}  // namespace

void Receive(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& mad) {
  switch (mad.kind) {
    case MadKind::kReq:
      return ReceiveReq(c, tx, device, mad);
    case MadKind::kMra:
      return ReceiveMra(c, tx, device, mad);
    case MadKind::kRej:
      return ReceiveRej(c, tx, device, mad);
    case MadKind::kRep:
      return ReceiveRep(c, tx, device, mad);
    case MadKind::kRtu:
      return ReceiveRtu(c, tx, device, mad);
    case MadKind::kDreq:
      return ReceiveDreq(c, tx, device, mad);
    case MadKind::kDrep:
      return ReceiveDrep(c, tx, device, mad);
    case MadKind::kSidrReq:
      return ReceiveSidrReq(c, tx, device, mad);
    case MadKind::kSidrRep:
      return ReceiveSidrRep(c, tx, device, mad);
    case MadKind::kLap:
      return ReceiveLap(c, tx, device, mad);
    case MadKind::kApr:  // no LAP was sent
    case MadKind::kOther:
    case MadKind::kMpaRequest:
    case MadKind::kMpaReply:
    case MadKind::kMpaReject:
    case MadKind::kFin:
      return;
  }
}

}  // namespace cm::sim
