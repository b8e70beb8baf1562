#include "sim/ib_cm/service_resolution.h"

#include "sim/ib_cm/id_table.h"
#include "sim/ib_cm/messages.h"

namespace cm::sim {

Errno SendSidrReq(const IbContext& c, Transmitter* tx, IbIndex ib, uint8_t to_device,
                  const Mad& req) {
  IbId& id = tx->ids()[ib];
  if (id.state != IbState::kIdle) return Errno::kInval;
  const Timing& timing = c.profile->timing;
  Mad& stored = tx->Store(&id, req);
  stored.kind = MadKind::kSidrReq;
  stored.local_cid = stored.tid = id.local_cid;
  stored.sender = id.device;
  IdTable::SetPeer(c, &id, to_device);
  id.max_retries = static_cast<uint8_t>(timing.max_retries);
  id.state = IbState::kSidrReqSent;
  tx->ids().more(ib).base_interval = Interval(timing.ReplyInterval());
  tx->Begin(c, ib, MadKind::kSidrReq);
  return Errno::kNone;
}

Errno SendSidrRep(const IbContext& c, Transmitter* tx, IbIndex ib, Mad rep) {
  IbId& id = tx->ids()[ib];
  const uint32_t room = c.profile->limits.datagram_reply_data;
  if (rep.data.size() > room) return Errno::kInval;
  if (id.state != IbState::kSidrReqRcvd || tx->CannotSend(c, id)) return Errno::kInval;
  rep.kind = MadKind::kSidrRep;
  rep.local_cid = id.local_cid;
  rep.remote_cid = id.remote_cid;
  rep.tid = id.tid;
  rep.sender = id.device;
  rep.data = rep.data.Resized(room);
  tx->Send(c, id, rep);
  tx->ResetToIdle(&id);
  return Errno::kNone;
}

Mad SidrRefusal(const IbContext& c, Mad answer, SidrStatus status) {
  answer.status = status;
  answer.data = PrivateData().Resized(c.profile->limits.datagram_reply_data);
  return answer;
}

void ReceiveSidrReq(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& req) {
  IdTable& ids = tx->ids();
  const uint8_t kernel = c.fabric->KernelOf(device);
  // Indexed only while it is not answered: a retransmission after that is a new request.
  if (ids.FindSidrRequest(c, kernel, req.sender, req.local_cid).valid()) return;
  const auto refuse = [&](SidrStatus status) {
    tx->Answer(c, device, req.sender,
               SidrRefusal(c, AnswerTo(req, device, MadKind::kSidrRep), status));
  };
  if (!c.user->Listens(device, req)) return refuse(SidrStatus::kUnsupported);
  const IbIndex ib = ids.Create(kernel, device, CmIdIndex(), c.fabric->device(device).fail_overs);
  IbId& id = ids[ib];
  id.state = IbState::kSidrReqRcvd;
  IdTable::SetPeer(c, &id, req.sender);
  id.remote_cid = req.local_cid;
  ids.IndexSidrRequest(&id);
  id.tid = req.tid;
  if (c.user->OnRequest(ib, device, req) == RequestVerdict::kTaken) return;
  refuse(SidrStatus::kReject);  // without room as well: it is not dropped
  tx->Free(ib);
}

void ReceiveSidrRep(const IbContext& c, Transmitter* tx, uint8_t device, const Mad& rep) {
  const IbIndex ib = tx->ids().Match(c, device, rep.remote_cid, 0);
  if (!ib.valid() || tx->ids()[ib].state != IbState::kSidrReqSent) return;
  IbId& id = tx->ids()[ib];
  tx->Cancel(&id);
  tx->ResetToIdle(&id);
  c.user->OnIbEvent(id.user, IbEventKind::kSidrRepReceived, &rep);
}

}  // namespace cm::sim
