// Lookup of a datagram service (SIDR): one request, one answer, and no state after that. source:
// linux 6.1 cm.c ib_send_cm_sidr_req, ib_send_cm_sidr_rep, cm_sidr_req_handler
#include "sim/ib_cm/ib_cm.h"

namespace cm::sim {

Errno IbCm::SendSidrReq(const Context& c, uint32_t ib, uint8_t to_device, const Mad& req) {
  IbId& id = ids_[ib];
  if (id.state != IbState::kIdle) return Errno::kInval;
  const Timing& timing = c.profile->timing;
  Mad& kept = Keep(&id, req);
  kept.kind = MadKind::kSidrReq;
  kept.local_cid = kept.tid = id.local_cid;
  kept.sender = id.device;
  Meet(c, &id, to_device);
  id.max_retries = static_cast<uint8_t>(timing.max_retries);
  id.state = IbState::kSidrReqSent;
  more_[ib].base_interval = Interval(timing.ReplyInterval());
  SendOutstanding(c, ib, MadKind::kSidrReq);
  return Errno::kNone;
}

Errno IbCm::SendSidrRep(const Context& c, uint32_t ib, Mad rep) {
  IbId& id = ids_[ib];
  if (rep.data.size() > c.profile->limits.datagram_reply_data) return Errno::kInval;
  if (id.state != IbState::kSidrReqRcvd || SourceLost(c, id)) return Errno::kInval;
  rep.kind = MadKind::kSidrRep;
  rep.local_cid = id.local_cid;
  rep.remote_cid = id.remote_cid;
  rep.tid = id.tid;
  rep.sender = id.device;
  rep.data = rep.data.Resized(c.profile->limits.datagram_reply_data);
  Send(c, id, rep);
  ResetToIdle(&id);
  return Errno::kNone;
}

void IbCm::ReceiveSidrReq(const Context& c, uint8_t device, const Mad& req) {
  if (req.unresolvable) return Occupy(c, device);
  const uint8_t kernel = c.fabric->KernelOf(device);
  // Indexed only while it is not answered: a retransmission after that is a new request.
  if (FindAsked(c, kernel, req.sender, req.local_cid) != kNobody) return;
  Mad refusal;
  refusal.kind = MadKind::kSidrRep;
  refusal.remote_cid = req.local_cid;
  refusal.tid = req.tid;
  refusal.sender = device;
  refusal.status = SidrStatus::kUnsupported;
  refusal.data = PrivateData().Resized(c.profile->limits.datagram_reply_data);
  if (!c.user->Listens(device, req)) {
    c.fabric->Send(c.agenda, device, req.sender, refusal);
    return;
  }
  const uint32_t ib = Create(kernel, device, kNobody, c.fabric->device(device).fail_overs);
  IbId& id = ids_[ib];
  id.state = IbState::kSidrReqRcvd;
  Meet(c, &id, req.sender);
  id.remote_cid = req.local_cid;
  KnowAsked(&id);
  id.tid = req.tid;
  if (c.user->OnRequest(ib, device, req) == RequestVerdict::kTaken) return;
  // Without room a SIDR_REQ is refused and not dropped.
  refusal.status = SidrStatus::kReject;
  c.fabric->Send(c.agenda, device, req.sender, refusal);
  Free(ib);
}

void IbCm::ReceiveSidrRep(const Context& c, uint8_t device, const Mad& rep) {
  const uint32_t ib = Match(c, device, rep.remote_cid, 0);
  if (ib == kNobody || ids_[ib].state != IbState::kSidrReqSent) return;
  IbId& id = ids_[ib];
  Cancel(&id);
  ResetToIdle(&id);
  c.user->OnIbEvent(id.user, IbEventKind::kSidrRepReceived, &rep);
}

}  // namespace cm::sim
