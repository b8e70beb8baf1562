// The canonical hash of a world: equal for worlds that behave alike from now on.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/base/digest.h"
#include "sim/world/fingerprint_parts.h"
#include "sim/world/world.h"

namespace cm::sim {
namespace parts {

void Put(Digest* d, const Address& a) {
  d->U8(static_cast<uint8_t>(a.kind));
  d->U8(a.side);
  d->U8(a.v6 ? 1 : 0);
  d->U8(a.group);
  d->U16(a.port);
  d->U8(a.nth);
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
  d->U32(ece.comp_mask);
}

void Put(Digest* d, const response::Event& e) {
  d->U8(static_cast<uint8_t>(e.type));
  d->U32(static_cast<uint32_t>(e.status));
  Put(d, e.conn);
  Put(d, e.ece);
  d->U32(e.qp_num);
  d->U32(e.qkey);
  Put(d, e.group);
  d->U64(e.argument);
  d->Bytes(e.private_data.bytes());
}

uint64_t HashOf(const Mad& mad) {
  Digest d;
  d.U8(static_cast<uint8_t>(mad.kind));
  d.U8(static_cast<uint8_t>(mad.about));
  d.U16(static_cast<uint16_t>(mad.reason));
  d.U8(static_cast<uint8_t>(mad.info));
  d.U8(mad.service_timeout);
  d.U16(static_cast<uint16_t>(mad.space));
  d.U16(mad.port);
  d.U8(mad.sender);
  d.U16(mad.p_key);
  for (const bool flag :
       {mad.unreliable, mad.extended, mad.alternate_path, mad.mixed_gids, mad.unresolvable})
    d.U8(flag ? 1 : 0);
  d.U8(mad.cma_version);
  d.U16(mad.attribute);
  d.U8(mad.method);
  d.U8(mad.class_version);
  d.U8(mad.base_version);
  d.U32(mad.qp_num);
  d.U8(mad.response_timeout);
  d.U8(mad.max_retries);
  d.U8(mad.ack_timeout);
  d.U8(mad.ack_delay);
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

uint64_t HashOf(const IbCm& ib, IbIndex place, Instant now) {
  const IbId& id = ib.at(place);
  Digest d;
  d.U8(id.dying ? 1 : 0);
  d.U8(static_cast<uint8_t>(id.state));
  d.U8(static_cast<uint8_t>(id.lap));
  d.U8(id.device);
  d.U8(id.peer_device);
  d.U8(id.av_timeout);
  d.U8(id.max_retries);
  d.U8(id.outstanding ? 1 : 0);
  d.U8(id.pathless ? 1 : 0);
  d.U8(id.known_remotely ? 1 : 0);
  d.U8(id.queued ? 1 : 0);
  d.U32(id.local_qpn);
  d.U32(id.remote_qpn);
  d.I64(ib.ids().more(place).base_interval.span().nanoseconds());
  PutTime(&d, id.mad_timer, now);
  PutTime(&d, id.timewait_timer, now);
  d.U32(id.source_since);
  d.U8(ib.ids().more(place).retry_count);
  Put(&d, ib.ids().more(place).peer);
  if (!id.outstanding) return d.Value();
  d.U8(id.retries_left);
  d.I64(id.interval.span().nanoseconds());
  d.U8(static_cast<uint8_t>(id.message_state));
  d.U64(HashOf(ib.transmitter().MessageOf(id)));
  return d.Value();
}

uint64_t HashOf(const IwId& id, Instant now) {
  Digest d;
  d.U8(id.passive ? 1 : 0);
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
  d.U8(id.owns_port ? 1 : 0);
  d.U8(id.listens_on_device ? 1 : 0);
  d.U8(id.family_only_given ? 1 : 0);
  d.U8(id.destroy_wanted ? 1 : 0);
  d.U8(static_cast<uint8_t>(id.state));
  d.U16(static_cast<uint16_t>(id.space));
  d.U8(static_cast<uint8_t>(id.type));
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
  d.U8(id.path_given ? 1 : id.path_to == kNoDevice ? 0 : id.path_to + 2);
  d.U8(id.ack_timeout);
  d.U8(id.packet_lifetime);
  d.U8(id.num_paths);
  d.U32(id.events_reported);
  d.U32(static_cast<uint32_t>(id.backlog));
  Put(&d, id.source);
  Put(&d, id.destination);
  PutTime(&d, id.work, now);
  d.I64(id.asking.interval.nanoseconds());
  d.I64(id.asking.left);
  d.U8(id.asking.answered ? 1 : 0);
  d.U8(id.resolve_interface);
  d.U32(static_cast<uint32_t>(id.resolve_status));
  d.U8(id.listener.valid() ? 1 : 0);
  d.U64(id.ib.valid() ? HashOf(ib, id.ib, now) : 0);
  if (id.iw.valid()) d.U64(HashOf(iw.at(id.iw), now));
  return d.Value();
}

// An id in a group whose order matters: those of one device report its removal in the order of
// their attachment, and the newest owner of a port decides who may have it.
struct Placed {
  uint64_t group = 0;
  uint32_t nth = 0;  // no two of a group have the same
  uint64_t hash = 0;
  friend auto operator<=>(const Placed&, const Placed&) = default;
};

void PutIds(const Below& below, Instant now, std::vector<uint64_t>* parts,
            std::vector<Placed>* placed) {
  constexpr uint64_t kOfPort = uint64_t{1} << 40;  // above all devices
  for (const CmIdIndex number : below.cma.ids.All()) {
    const CmId& id = below.cma.ids[number];
    const uint64_t hash = HashOf(id, below.ib, below.iw, now);
    parts->push_back(hash);
    if (id.device != kNoDevice)
      placed->push_back({below.fabric.CaOf(id.device), id.attached, hash});
    if (!id.owns_port) continue;
    const uint64_t port = uint64_t{id.kernel} << 32 | static_cast<uint64_t>(id.space) << 16 |
                          uint64_t{id.source.port};
    placed->push_back({kOfPort | port, id.took_port, hash});
  }
}

// Which ids a group has is known by their contents; one alone has no order.
void PutOrder(Digest* d, std::vector<Placed>* placed) {
  std::ranges::sort(*placed);  // lint: no two are equal
  for (size_t i = 0; i < placed->size(); ++i) {
    const Placed& own = (*placed)[i];
    const bool after_one = i > 0 && (*placed)[i - 1].group == own.group;
    const bool before_one = i + 1 < placed->size() && (*placed)[i + 1].group == own.group;
    if (after_one || before_one) d->U64(own.hash);
  }
}

void Put(Digest* d, const AddrInfoOutput& info) {
  d->U32(info.flags);
  d->U8(info.family);
  d->U8(info.type ? static_cast<uint8_t>(*info.type) : 0);
  d->U16(info.space ? static_cast<uint16_t>(*info.space) : 0);
  Put(d, info.source);
  Put(d, info.destination);
}

// State of an id in the library, without the kernel's.
uint64_t HashOf(const UserId& id) {
  Digest d;
  d.U8(id.connect_error ? 1 : 0);
  d.U8(id.synchronous ? 1 : 0);
  d.U8(id.device);
  d.U8(id.port_num);
  d.U8(id.num_paths);
  d.U8(id.responder_resources);
  d.U8(id.initiator_depth);
  d.U8(id.gives_qps ? 1 : 0);
  d.U8(id.looks_up ? 1 : 0);
  d.U8(id.qps_type ? static_cast<uint8_t>(*id.qps_type) : 0);
  d.U16(static_cast<uint16_t>(id.space));
  d.U8(id.qp != kNobody ? 1 : 0);
  d.U8(id.srq != kNobody ? 1 : 0);
  d.U8(id.service != 0 ? 1 : 0);
  d.U8(id.event != kNobody ? 1 : 0);
  d.U32(id.events_completed);
  for (const int64_t events : id.cq_events_unacked) d.U64(static_cast<uint64_t>(events));
  Put(&d, id.local_ece);
  Put(&d, id.remote_ece);
  Put(&d, id.source);
  Put(&d, id.destination);
  d.U8(id.info ? 1 : 0);
  if (id.info) Put(&d, *id.info);
  return d.Value();
}

uint64_t HashOf(const UserMembership& membership, const Library& library) {
  Digest d;
  d.U8(membership.joined ? 1 : 0);
  d.U8(membership.send_only ? 1 : 0);
  d.U16(membership.context);
  d.U32(membership.events_completed);
  Put(&d, membership.address);
  d.U64(HashOf(library.ids[membership.id]));
  return d.Value();
}

// For a fetched event, the effect of its acknowledgement, and what the application sees.
uint64_t HashOf(const FetchedEvent& fetched, const Library& library) {
  Digest d;
  const CmEvent& event = fetched.event;
  d.U8(static_cast<uint8_t>(event.type));
  d.U32(static_cast<uint32_t>(event.status));
  d.U32(event.qp_num);
  d.U32(event.qkey);
  d.U16(event.context);
  Put(&d, event.conn);
  Put(&d, event.group);
  d.U64(event.argument);
  d.Bytes(event.private_data.bytes());
  d.U64(library.ids.Live(fetched.credits) ? HashOf(library.ids[fetched.credits]) : 0);
  d.U8(fetched.membership != kNobody ? 1 : 0);
  return d.Value();
}

void PutParts(const Library& library, std::vector<uint64_t>* parts) {
  for (const uint32_t id : library.ids.All()) parts->push_back(HashOf(library.ids[id]));
  for (const uint32_t m : library.memberships.All())
    parts->push_back(HashOf(library.memberships[m], library));
  for (const uint32_t e : library.events.All())
    parts->push_back(HashOf(library.events[e], library));
}

// Frames in flight over TCP.
void PutFrames(const IwCm& iw, Instant now, std::vector<uint64_t>* parts) {
  for (const FrameIndex f : iw.frames().All()) {
    const Frame& frame = iw.frames()[f];
    Digest d;
    d.U8(static_cast<uint8_t>(frame.kind));
    d.U8(frame.from_passive ? 1 : 0);
    d.U32(iw.AheadOf(frame));
    d.U8(frame.from_device);
    d.U8(frame.to_device);
    d.U8(frame.depths.ird);
    d.U8(frame.depths.ord);
    d.Bytes(frame.data.bytes());
    d.U16(static_cast<uint16_t>(frame.space));
    Put(&d, frame.source);
    Put(&d, frame.destination);
    PutTime(&d, frame.arrives, now);
    parts->push_back(d.Value());
  }
}

// Indices of objects are left out: their contents have been counted.
void Put(Digest* d, const WaitingLane& waiting) {
  const Ongoing& ongoing = waiting.ongoing;
  d->U8(waiting.lane.side);
  d->U8(waiting.lane.number);
  d->U8(static_cast<uint8_t>(ongoing.waiting));
  d->U8(ongoing.with_qp ? 1 : 0);
  d->U8(ongoing.receives ? 1 : 0);
  d->U8(ongoing.polls ? 1 : 0);
  d->U8(ongoing.type ? static_cast<uint8_t>(*ongoing.type) : 0);
  d->U8(waiting.done ? 1 : 0);
  if (!waiting.done) return;
  d->U8(static_cast<uint8_t>(waiting.done->reply.kind));
  d->U32(static_cast<uint32_t>(waiting.done->reply.value));
  d->U32(static_cast<uint32_t>(waiting.done->reply.error));
}

void Put(Digest* d, const Region& region) {
  d->U8(region.live ? 1 : 0);
  d->U8(region.remote_read ? 1 : 0);
  d->U8(region.remote_write ? 1 : 0);
  d->U8(region.device);
  d->Bytes(region.bytes);
}

void Put(Digest* d, const DeviceState& state) {
  d->U8(state.registered ? 1 : 0);
  d->U8(state.receives ? 1 : 0);
  d->U8(state.up ? 1 : 0);
  for (const Neighbour entry : state.neighbours) d->U8(static_cast<uint8_t>(entry));
  d->U8(state.halted ? 1 : 0);
  d->U8(state.bond_slave);
  d->U32(state.fail_overs);
  d->U8(state.sm_silent ? 1 : 0);
  d->U8(static_cast<uint8_t>(state.hears));
  d->U8(state.mute ? 1 : 0);
}

void Put(Digest* d, const Flapping& flapping, Instant now) {
  d->U8(flapping.device);
  d->I64(flapping.every.nanoseconds());
  d->U32(flapping.turns_left);
  PutTime(d, flapping.next, now);
}

// Work that waits for a kernel's busy CM.
void Put(Digest* d, const WorkQueue& queue, const IbCm& ib, Instant now) {
  d->U8(queue.kernel);
  PutTime(d, queue.free_at, now);
  for (const Work& work : queue.waiting) {
    d->U8(work.device);
    if (!work.ib.valid())
      d->U64(HashOf(work.mad));
    else if (ib.ids().Live(work.ib))
      d->U64(HashOf(ib, work.ib, now));
  }
}

// The remaining effect of a fault rule.
void Put(Digest* d, const InstalledRule& rule, Instant now) {
  const Fault& fault = rule.fault;
  d->U8(static_cast<uint8_t>(fault.kind));
  d->U8(fault.side);
  d->U8(fault.to);
  for (const MadKind kind : kMads) d->U8(fault.messages.Has(kind) ? 1 : 0);
  d->U32(fault.first);
  d->U32(fault.last);
  d->U32(fault.CountsMessages() ? rule.seen : 0);
  d->I64(fault.by.nanoseconds());
  d->I64(fault.MostLate().nanoseconds());
  d->U8(static_cast<uint8_t>(fault.shape));
  const bool ends = fault.window != Duration::Max();
  PutTime(d, ends ? rule.since + fault.after + fault.window : Instant::Never(), now);
  PutTime(d, std::max(rule.since + fault.after, now), now);
}

uint64_t HashOf(const Fabric& fabric, uint32_t number, Instant now) {
  const Packet& packet = fabric.packets()[number];
  Digest d;
  d.U8(packet.from);
  d.U8(packet.to);
  PutTime(&d, packet.arrives, now);
  d.U8(packet.late ? 1 : 0);
  d.U8(fabric.IsHeld(number) ? 1 : 0);
  d.U64(HashOf(packet.mad));
  return d.Value();
}

}  // namespace parts

// The parts are hashed one by one and combined in the order of their hashes, which depends on their
// contents and not on their slots.
uint64_t World::Fingerprint() const {
  using parts::HashOf;
  using parts::Put;
  using parts::PutParts;
  using parts::PutTime;
  const Instant now = Now();
  std::vector<uint64_t> all;
  all.reserve(64);
  std::vector<parts::Placed> placed;
  placed.reserve(16);
  parts::PutIds({fabric_, ib_, iw_, cma_, verbs_}, now, &all, &placed);
  for (const uint32_t p : fabric_.packets().All()) all.push_back(HashOf(fabric_, p, now));
  parts::PutFrames(iw_, now, &all);
  for (const MembershipIndex m : cma_.memberships.All()) {
    const Membership& membership = cma_.memberships[m];
    if (membership.left) continue;
    Digest d;
    d.U32(membership.events_reported);
    Put(&d, membership.address);
    PutTime(&d, membership.work, now);
    d.I64(membership.asking.left);
    d.U8(membership.asking.answered ? 1 : 0);
    d.U8(membership.send_only ? 1 : 0);
    d.U8(membership.joined ? 1 : 0);
    d.U64(HashOf(cma_.ids[membership.id], ib_, iw_, now));
    all.push_back(d.Value());
  }
  for (const Library& library : libraries_) PutParts(library, &all);
  for (const uint32_t qp : verbs_.qps().All())
    all.push_back(HashOf(verbs_.at(qp), verbs_.srqs(), now));
  std::ranges::sort(all);  // lint: equal hashes are interchangeable
  Digest d;
  d.U32(static_cast<uint32_t>(all.size()));
  for (const uint64_t part : all) d.U64(part);
  d.U32(static_cast<uint32_t>(fabric_.ByRegistration().size()));
  for (const uint8_t device : fabric_.ByRegistration()) d.U8(device);
  for (uint8_t device = 0; device < fabric_.device_count(); ++device)
    Put(&d, fabric_.device(device));
  d.U32(static_cast<uint32_t>(verbs_.regions().all().size()));
  for (const Region& region : verbs_.regions().all()) Put(&d, region);
  d.U32(verbs_.srqs().all().live_count());
  for (const uint32_t srq : verbs_.srqs().all().All()) Put(&d, verbs_.srqs()[srq].receives);
  d.U32(static_cast<uint32_t>(fabric_.rules().size()));
  for (const InstalledRule& rule : fabric_.rules()) Put(&d, rule, now);
  for (const Library& library : libraries_) {
    d.U32(library.ids.live_count());
    d.U32(library.events.live_count());
    d.U32(library.handed_out);
    d.U32(library.channels.live_count());
    for (const uint32_t channel : library.channels.All())
      d.U8(library.channels[channel].nonblocking ? 1 : 0);
  }
  for (const Flapping& flapping : flapping_)
    if (flapping.turns_left != 0) Put(&d, flapping, now);
  d.U32(static_cast<uint32_t>(waiting_.size()));
  for (const WaitingLane& waiting : waiting_) Put(&d, waiting);
  // Requests that wait for their turn, in their order.
  for (const PortQueue& port : ib_.transmitter().ports().queues())
    for (const IbIndex ib : port.backlog) d.U64(HashOf(ib_, ib, now));
  for (const WorkQueue& queue : ib_.work().queues()) Put(&d, queue, ib_, now);
  parts::PutOrder(&d, &placed);
  // Queued events, file by file in the order of opening.
  for (const FileIndex f : cma_.files.All()) {
    d.U32(static_cast<uint32_t>(cma_.files[f].queue.size()));
    for (const QueuedEvent& queued : cma_.files[f].queue) Put(&d, queued.event);
  }
  return d.Value();
}

uint64_t World::FingerprintOf(uint8_t side, uint32_t id) const {
  return parts::HashOf(libraries_[side], id, {fabric_, ib_, iw_, cma_, verbs_}, Now());
}

}  // namespace cm::sim
