// The canonical hash of a world: equal for worlds that will behave alike.
#include <algorithm>

#include "model/base/digest.h"
#include "sim/world/world.h"

namespace cm::sim {
namespace {

void Put(Digest* d, const Address& a) {
  d->U8(static_cast<uint8_t>(a.kind));
  d->U8(a.side);
  d->U8(a.v6 ? 1 : 0);
  d->U8(a.group);
  d->U16(a.port);
}

void Put(Digest* d, const ConnFields& c) {
  d->U8(c.responder_resources);
  d->U8(c.initiator_depth);
  d->U8(c.flow_control);
  d->U8(c.retry_count);
  d->U8(c.rnr_retry_count);
  d->U8(c.srq);
}

void Put(Digest* d, const EceOptions& ece) {
  d->U32(ece.vendor_id);
  d->U32(ece.options);
}

void Put(Digest* d, const response::Event& e) {
  d->U8(static_cast<uint8_t>(e.type));
  d->U32(static_cast<uint32_t>(e.status));
  Put(d, e.conn);
  Put(d, e.ece);
  d->U32(e.qkey);
  Put(d, e.group);
  if (e.argument != 0) d->U64(e.argument);
  d->Bytes(e.private_data.bytes());
}

// Times are relative; what never comes is 0.
void PutTime(Digest* d, Instant at, Instant now) {
  d->I64(at == Instant::Never() ? 0 : (at - now).nanoseconds() + 1);
}

uint64_t HashOf(const Mad& mad) {
  Digest d;
  d.U8(static_cast<uint8_t>(mad.kind));
  d.U8(static_cast<uint8_t>(mad.about));
  d.U16(static_cast<uint16_t>(mad.reason));
  d.U16(mad.port);
  Put(&d, mad.conn);
  Put(&d, mad.ece);
  Put(&d, mad.source);
  Put(&d, mad.destination);
  d.Bytes(mad.data.bytes());
  if (mad.kind == MadKind::kSidrRep) {
    d.U8(static_cast<uint8_t>(mad.status));
    d.U32(mad.qkey);
  }
  return d.Value();
}

uint64_t HashOf(const IbId& id, Instant now) {
  Digest d;
  d.U8(id.dying ? 1 : 0);
  d.U8(static_cast<uint8_t>(id.state));
  d.U8(id.device);
  d.U8(id.peer_device);
  d.U8(id.av_timeout);
  d.U8(id.retries_left);
  d.U8(id.outstanding ? 1 : 0);
  d.U8(id.known_remotely ? 1 : 0);
  d.U8(id.pathless ? 1 : 0);
  d.I64(id.interval.nanoseconds());
  PutTime(&d, id.mad_timer, now);
  PutTime(&d, id.timewait_timer, now);
  d.U32(id.source_since);
  d.U8(id.retry_count);
  Put(&d, id.peer);
  if (id.outstanding) d.U64(HashOf(id.message));
  return d.Value();
}

uint64_t HashOf(const IwId& id, Instant now) {
  Digest d;
  d.U8(id.dying ? 1 : 0);
  d.U8(id.qp_broken ? 1 : 0);
  d.U8(id.says_closed ? 1 : 0);
  d.U8(static_cast<uint8_t>(id.state));
  d.U8(id.device);
  d.U8(id.peer_device);
  d.U8(id.depths.ird);
  d.U8(id.depths.ord);
  PutTime(&d, id.reply_timer, now);
  PutTime(&d, id.work, now);
  return d.Value();
}

uint64_t HashOf(const CmId& id, const IbCm& ib, const IwCm& iw, Instant now) {
  Digest d;
  d.U8(id.closed ? 1 : 0);
  d.U8(static_cast<uint8_t>(id.state));
  d.U8(id.kernel);
  d.U8(id.device);
  d.U8(id.interface);
  d.U8(id.bond_slave);
  d.U32(id.source_since);
  d.U32(id.peer_fail_overs);
  d.U8(id.addr_change_due);
  d.U8(id.neighbour_due);
  d.U8(id.neighbour_tracked ? 1 : 0);
  d.U8(id.resolved_wrong_neighbour ? 1 : 0);
  d.U8(id.uid != 0 ? 1 : 0);
  d.U8(id.family_only ? 1 : 0);
  d.U8(id.shares_port ? 1 : 0);
  d.U8(id.path_given ? 1 : 0);
  d.U8(id.ack_timeout);
  d.U8(id.packet_lifetime);
  d.U32(id.events_reported);
  d.U32(static_cast<uint32_t>(id.backlog));
  Put(&d, id.source);
  Put(&d, id.destination);
  PutTime(&d, id.work, now);
  d.U64(id.ib == kNobody ? 0 : HashOf(ib.at(id.ib), now));
  if (id.iw != kNobody) d.U64(HashOf(iw.at(id.iw), now));
  return d.Value();
}

// What an id has looked up; 0 for nothing.
uint64_t HashOfLookup(const UserId& id, const RdmaCm& cma, const IbCm& ib, const IwCm& iw,
                      Instant now) {
  if (!id.looks_up && !id.info) return 0;
  Digest d;
  d.U8(id.looks_up ? 1 : 0);
  d.U8(id.info ? 1 : 0);
  d.U64(cma.Live(id.handle) ? HashOf(cma.at(id.handle), ib, iw, now) : 0);
  if (!id.info) return d.Value();
  d.U32(id.info->flags);
  d.U8(id.info->type ? static_cast<uint8_t>(*id.info->type) : 0);
  d.U16(id.info->space ? static_cast<uint16_t>(*id.info->space) : 0);
  Put(&d, id.info->source);
  Put(&d, id.info->destination);
  return d.Value();
}

void Put(Digest* d, const WorkRequest& work) {
  d->U8(static_cast<uint8_t>(work.opcode));
  d->U16(work.context);
  d->U8(work.signaled ? 1 : 0);
  for (const Piece& piece : work.pieces) {
    d->U32(piece.region);
    d->U32(piece.offset);
    d->U32(piece.length);
  }
  d->Bytes(work.data);
  d->U32(work.remote.region);
  d->U32(work.remote.offset);
}

void Put(Digest* d, const std::deque<Finished>& done) {
  d->U32(static_cast<uint32_t>(done.size()));
  for (const Finished& one : done) {
    d->U8(static_cast<uint8_t>(one.completion.status));
    d->U16(one.completion.context);
    d->U32(one.completion.length);
  }
}

uint64_t HashOf(const Qp& qp, Instant now) {
  Digest d;
  d.U8(qp.device);
  d.U8(static_cast<uint8_t>(qp.state));
  PutTime(&d, qp.due, now);
  d.U8(qp.retries_left);
  d.U8(qp.rnr_retries_left);
  for (const WorkRequest& work : qp.sends) Put(&d, work);
  d.U8(0xff);
  for (const WorkRequest& work : qp.receives) Put(&d, work);
  Put(&d, qp.sent);
  Put(&d, qp.received);
  return d.Value();
}

// What is under way over TCP.
void PutFrames(const Slab<Frame>& frames, Instant now, std::vector<uint64_t>* parts) {
  for (uint32_t f = 0; f < frames.end(); ++f) {
    if (!frames.Live(f)) continue;
    Digest d;
    d.U8(static_cast<uint8_t>(frames[f].kind));
    d.U8(frames[f].from_device);
    d.U8(frames[f].to_device);
    d.U8(frames[f].depths.ird);
    d.U8(frames[f].depths.ord);
    d.Bytes(frames[f].data.bytes());
    PutTime(&d, frames[f].arrives, now);
    parts->push_back(d.Value());
  }
}

void Put(Digest* d, const DeviceState& state) {
  d->U8(state.registered ? 1 : 0);
  d->U8(state.receives ? 1 : 0);
  d->U8(state.up ? 1 : 0);
  d->U8(state.neighbour_wrong ? 1 : 0);
  d->U8(state.bond_slave);
  d->U32(state.fail_overs);
  d->U8(state.deaf ? 1 : 0);
}

// What a rule will still do.
void Put(Digest* d, const InstalledRule& rule, Instant now) {
  const Fault& fault = rule.fault;
  d->U8(static_cast<uint8_t>(fault.kind));
  d->U8(fault.side);
  for (int kind = 0; kind < kMadKindCount; ++kind)
    d->U8(fault.messages.Has(static_cast<MadKind>(kind)) ? 1 : 0);
  const bool counts = fault.first != 1 || fault.last != 0;
  d->U32(fault.first);
  d->U32(fault.last);
  d->U32(counts ? rule.seen : 0);
  d->I64(fault.by.nanoseconds());
  const bool ends = fault.window != Duration::Max();
  PutTime(d, ends ? rule.since + fault.window : Instant::Never(), now);
}

}  // namespace

// The parts are hashed one by one and combined in the order of their hashes, which depends on what
// they are and not on where they are stored.
uint64_t World::Fingerprint() const {
  const Instant now = Now();
  std::vector<uint64_t> parts;
  for (uint32_t id = 0; id < cma_.id_end(); ++id)
    if (cma_.Live(id)) parts.push_back(HashOf(cma_.at(id), ib_, iw_, now));
  const Slab<Packet>& packets = fabric_.packets();
  for (uint32_t p = 0; p < packets.end(); ++p) {
    if (!packets.Live(p)) continue;
    Digest d;
    d.U8(packets[p].from);
    d.U8(packets[p].to);
    PutTime(&d, packets[p].arrives, now);
    d.U64(HashOf(packets[p].mad));
    parts.push_back(d.Value());
  }
  PutFrames(iw_.frames(), now, &parts);
  const Slab<Membership>& memberships = cma_.memberships();
  for (uint32_t m = 0; m < memberships.end(); ++m) {
    if (!memberships.Live(m) || memberships[m].left) continue;
    Digest d;
    d.U32(memberships[m].events_reported);
    Put(&d, memberships[m].address);
    PutTime(&d, memberships[m].work, now);
    d.U64(HashOf(cma_.at(memberships[m].id), ib_, iw_, now));
    parts.push_back(d.Value());
  }
  for (const Library& library : libraries_) {
    for (uint32_t id = 0; id < library.id_end(); ++id) {
      if (!library.LiveId(id)) continue;
      const uint64_t looked_up = HashOfLookup(library.at(id), cma_, ib_, iw_, now);
      if (looked_up != 0) parts.push_back(looked_up);
    }
  }
  for (uint32_t qp = 0; qp < verbs_.end(); ++qp)
    if (verbs_.Live(qp)) parts.push_back(HashOf(verbs_.at(qp), now));
  std::ranges::sort(parts);  // lint: equal hashes are interchangeable
  Digest d;
  for (const uint64_t part : parts) d.U64(part);
  for (const uint8_t device : fabric_.ByRegistration()) d.U8(device);
  for (uint8_t device = 0; device < fabric_.device_count(); ++device)
    Put(&d, fabric_.device(device));
  for (const Region& region : verbs_.regions()) {
    d.U8(region.live ? 1 : 0);
    d.Bytes(region.bytes);
  }
  for (uint32_t srq = 0; srq < verbs_.srqs().end(); ++srq)
    if (verbs_.srqs().Live(srq))
      for (const WorkRequest& work : verbs_.srqs()[srq].receives) Put(&d, work);
  for (const InstalledRule& rule : fabric_.rules()) Put(&d, rule, now);
  for (const Library& library : libraries_) {
    d.U32(library.live_ids());
    d.U32(library.live_events());
    d.U32(library.handed_out());
  }
  for (const WaitingLane& waiting : waiting_) {
    d.U8(waiting.lane.side);
    d.U8(waiting.lane.number);
    d.U8(static_cast<uint8_t>(waiting.ongoing.waiting));
    d.U8(waiting.ongoing.with_qp ? 1 : 0);
  }
  // What is queued, file by file in the order of opening.
  for (uint32_t f = 0; f < cma_.file_end(); ++f) {
    if (!cma_.LiveFile(f)) continue;
    for (const QueuedEvent& queued : cma_.file(f).queue) Put(&d, queued.event);
    d.U8(0xff);
  }
  return d.Value();
}

}  // namespace cm::sim
