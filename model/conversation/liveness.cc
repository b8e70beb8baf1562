#include "model/conversation/liveness.h"

#include <algorithm>

namespace cm {

Liveness::Liveness(const Conversation& conversation)
    : conversation_(conversation),
      ids_(conversation.names.ids.size()),
      channels_(conversation.names.channels.size()),
      events_(conversation.names.events.size()),
      held_(conversation.names.held.size()),
      regions_(conversation.names.regions.size()),
      exited_(conversation.topology->sides.size(), false),
      removed_(conversation.topology->sides.size(), false),
      halted_(conversation.topology->sides.size(), false) {
  for (const Line& line : conversation.lines) {
    const auto* injects = std::get_if<line::Injects>(&line);
    apart_ |= injects != nullptr && injects->fault.kind == FaultKind::kExit;
  }
}

bool Liveness::LaneWaits(Lane lane) const {
  return std::ranges::count(waiting_, lane, &WaitingCall::lane) > 0;
}

bool Liveness::Applicable(const Line& line) const {
  if (const auto* calls = std::get_if<line::Calls>(&line))
    return CallApplicable(calls->lane, calls->call);
  if (const auto* waits = std::get_if<line::Waits>(&line)) {
    return !crashed_ && !exited_[waits->lane.side] && !LaneWaits(waits->lane) &&
           ChannelIsLive(waits->channel) &&
           channels_[waits->channel.index].side == waits->lane.side;
  }
  if (const auto* sends = std::get_if<line::Sends>(&line)) {
    // What an id has had is known of it when it is gone as well.
    return std::ranges::all_of(IdsIn(sends->mad),
                               [this](IdRef id) { return !id.valid() || ids_[id.index].made; });
  }
  return true;
}

bool Liveness::CallApplicable(Lane lane, const Call& call) const {
  if (crashed_ || exited_[lane.side] || LaneWaits(lane)) return false;
  const bool misuse = conversation_.capabilities.Has(Capability::kMisuse);
  const auto of_side = [lane, misuse](const Name& name) {
    return (name.live || (misuse && name.made)) && name.side == lane.side;
  };
  switch (KindOf(call)) {
    case CallKind::kCreateEventChannel:
      return true;
    case CallKind::kDestroyEventChannel:
      if (std::ranges::count(waiting_, cm::ChannelOf(call), &WaitingCall::channel) > 0)
        return false;
      [[fallthrough]];
    case CallKind::kGetCmEvent:
      return of_side(channels_[cm::ChannelOf(call).index]);
    case CallKind::kCreateId: {
      const ChannelRef channel = cm::ChannelOf(call);
      return !channel.valid() || of_side(channels_[channel.index]);
    }
    case CallKind::kMigrateId: {
      const ChannelRef channel = cm::ChannelOf(call);
      const bool there = !channel.valid() || of_side(channels_[channel.index]);
      return there && of_side(ids_[IdOf(call).index]) && !WaitedOn(IdOf(call));
    }
    case CallKind::kCreateEp:
    case CallKind::kEventStr:
    case CallKind::kGetAddrInfo:
    case CallKind::kGetDevices:
      return true;
    case CallKind::kFreeAddrInfo:
    case CallKind::kFreeDevices:
      return held_[HeldOf(call).index].live && held_[HeldOf(call).index].side == lane.side;
    case CallKind::kAckCmEvent:
      return of_side(events_[std::get<call::AckCmEvent>(call).event.index]);
    default:
      if (!QueueCallApplicable(lane, call)) return false;
      if (KindOf(call) == CallKind::kDeregMr) return true;
      return of_side(ids_[IdOf(call).index]) && !WaitedOn(IdOf(call)) &&
             !CompletionWaitedFor(IdOf(call), call) &&
             (conversation_.capabilities.Has(Capability::kCrashes) || !WouldCrash(call));
  }
}

// What is called on an id while another thread waits for its event would be between the two.
bool Liveness::WaitedOn(IdRef id) const {
  return std::ranges::count(waiting_, id, &WaitingCall::id) > 0;
}

bool Liveness::Completes(const Call& call) const {
  const CallKind kind = KindOf(call);
  return (CompletesWithEvent(kind) || kind == CallKind::kGetRequest) &&
         ids_[IdOf(call).index].synchronous;
}

std::optional<Misuse> Liveness::MisuseIn(const Call& call) const {
  const auto gone = [](const Name& name) { return name.made && !name.live; };
  if (const auto* ack = std::get_if<call::AckCmEvent>(&call)) {
    if (gone(events_[ack->event.index])) return Misuse::kEventAcknowledged;
    return std::nullopt;
  }
  const CallKind kind = KindOf(call);
  const IdRef id = IdOf(call);
  const bool makes_id = kind == CallKind::kCreateId || kind == CallKind::kCreateEp;
  if (id.valid() && !makes_id && gone(ids_[id.index])) {
    const ChannelRef on = ids_[id.index].channel;
    const bool orphaned = on.valid() && !ids_[id.index].destroyed && gone(channels_[on.index]);
    return orphaned ? Misuse::kIdWithoutChannel : Misuse::kIdDestroyed;
  }
  const ChannelRef channel = cm::ChannelOf(call);
  if (kind != CallKind::kCreateEventChannel && channel.valid() && gone(channels_[channel.index]))
    return Misuse::kChannelDestroyed;
  return std::nullopt;
}

// source: rdma-core 44 cma.c: these read id->verbs or id->qp without looking whether it is there
bool Liveness::WouldCrash(const Call& call) const {
  const Name& id = ids_[IdOf(call).index];
  if (!id.live) return false;
  switch (KindOf(call)) {
    case CallKind::kResolveRoute:
    case CallKind::kCreateQp:
    case CallKind::kCreateQpEx:
      return !id.device_known;
    case CallKind::kDestroyQp:
      return !id.has_qp;
    case CallKind::kConnect:  // without a queue pair and parameters it is refused before it looks
      return !id.device_known && (id.has_qp || std::get<call::Connect>(call).param);
    case CallKind::kAccept:
      return !id.device_known || (!id.has_qp && !std::get<call::Accept>(call).param);
    case CallKind::kLeaveMulticast:  // it forgets the group, and events of it still point there
      return removed_[id.side] && id.untold > 0;
    default:
      return QueueCallWouldCrash(id, call);
  }
}

bool Liveness::NeedsChannel(const Call& call, ChannelRef channel) const {
  const IdRef id = IdOf(call);
  const CallKind kind = KindOf(call);
  const bool makes_id = kind == CallKind::kCreateId || kind == CallKind::kCreateEp;
  return cm::ChannelOf(call) == channel ||
         (id.valid() && !makes_id && ids_[id.index].channel == channel);
}

// source: rdma-core 44 cma.c: an id's fields, its queue pair and its channel are read and changed
// without a lock; what the kernel holds for it, and the count of acknowledgements, have one
bool Liveness::Contend(const Call& a, const Call& b) const {
  const auto ack = [](const Call& call) { return std::get_if<call::AckCmEvent>(&call); };
  if (ack(a) != nullptr && ack(b) != nullptr) return ack(a)->event == ack(b)->event;
  for (const Call* one : {&a, &b}) {
    const Call& other = one == &a ? b : a;
    if (const auto* closes = std::get_if<call::DestroyEventChannel>(one))
      if (NeedsChannel(other, closes->channel)) return true;
  }
  if (HeldOf(a).valid() && HeldOf(a) == HeldOf(b)) return true;
  const IdRef id = IdOf(a);
  if (!id.valid() || id != IdOf(b)) return false;
  const auto only_asks_kernel = [](const Call& call) {
    switch (KindOf(call)) {
      case CallKind::kListen:
      case CallKind::kResolveAddr:
      case CallKind::kResolveRoute:
      case CallKind::kDisconnect:
      case CallKind::kReject:
      case CallKind::kRejectEce:
      case CallKind::kNotify:
      case CallKind::kWriteCmEvent:
        return true;
      default:
        return false;
    }
  };
  return ids_[id.index].synchronous || !only_asks_kernel(a) || !only_asks_kernel(b);
}

void Liveness::SideExits(uint8_t side) {
  exited_[side] = true;
  std::erase_if(waiting_, [side](const WaitingCall& w) { return w.lane.side == side; });
  for (auto* table : {&ids_, &channels_, &events_, &held_, &regions_})
    for (Name& name : *table)
      if (name.side == side) name.live = false;
}

// A host that starts again has processes again, which know nothing of the ones before.
void Liveness::Suffer(const Fault& fault) {
  if (fault.kind == FaultKind::kExit) SideExits(fault.side);
  if (fault.kind == FaultKind::kRemoveDevice) removed_[fault.side] = true;
  if (fault.kind != FaultKind::kCrash && fault.kind != FaultKind::kRestart) return;
  const Topology& topology = *conversation_.topology;
  for (uint8_t side = 0; side < topology.sides.size(); ++side) {
    if (topology.KernelOf(side) != topology.KernelOf(fault.side)) continue;
    if (fault.kind == FaultKind::kCrash) {
      SideExits(side);
      halted_[side] = true;
    } else if (halted_[side]) {
      exited_[side] = removed_[side] = halted_[side] = false;
    }
  }
}

void Liveness::EventFetched(const call::GetCmEvent& get, uint8_t side, const CmEvent& event) {
  if (event.type == EventType::kConnectRequest) {
    MakeId(get.request, side, get.channel);
    At(get.request).device_known = true;
    At(get.request).datagram = event.listen_id.valid() && At(event.listen_id).datagram;
  } else if (event.type == EventType::kEstablished && event.id.valid()) {
    At(event.id).knows_peer = At(event.id).datagram;
  } else if (event.type == EventType::kAddrResolved && event.id.valid()) {
    At(event.id).device_known = true;
  } else if (event.type == EventType::kMulticastJoin || event.type == EventType::kMulticastError) {
    events_[get.event.index].owner = event.id;
  }
}

void Liveness::EventAcknowledged(EventRef event) {
  Name& name = events_[event.index];
  name.live = false;
  if (name.owner.valid()) --At(name.owner).untold;
}

void Liveness::EpMade(Lane lane, const call::CreateEp& call) {
  MakeId(call.id, lane.side, {});
  At(call.id).device_known = !call.passive || !call.source.AnyOrLoopback();
  At(call.id).has_qp = call.with_qp && !call.passive;
  At(call.id).gives_qps = call.with_qp && call.passive;
  At(call.id).datagram = IsDatagram(call.space);
}

void Liveness::CallAnswered(Lane lane, const Call& call, const Reply& reply,
                            const std::optional<CmEvent>& event) {
  const bool refused = reply.kind == ReplyKind::kReturned && reply.value != 0;
  if (refused) return;
  if (const auto* c = std::get_if<call::CreateEventChannel>(&call)) {
    channels_[c->channel.index] = {.live = true, .made = true, .side = lane.side};
  } else if (const auto* d = std::get_if<call::DestroyEventChannel>(&call)) {
    channels_[d->channel.index].live = false;
    for (Name& id : ids_)
      if (id.channel == d->channel) id.live = false;
  } else if (const auto* i = std::get_if<call::CreateId>(&call)) {
    MakeId(i->id, lane.side, i->channel);
    At(i->id).datagram = IsDatagram(i->space);
  } else if (KindOf(call) == CallKind::kDestroyId || KindOf(call) == CallKind::kDestroyEp) {
    At(IdOf(call)).live = false;
    At(IdOf(call)).destroyed = true;
  } else if (const auto* m = std::get_if<call::MigrateId>(&call)) {
    // It has moved, though it may still wait for acknowledgements.
    ids_[m->id.index].channel = m->channel;
    ids_[m->id.index].synchronous = !m->channel.valid();
  } else if (const auto* g = std::get_if<call::GetCmEvent>(&call)) {
    if (reply.kind == ReplyKind::kBlocked) return;
    events_[g->event.index] = {.live = true, .made = true, .side = lane.side};
    if (event) EventFetched(*g, lane.side, *event);
  } else if (reply.kind == ReplyKind::kBlocked) {
    return;
  } else if (const auto* r = std::get_if<call::GetRequest>(&call)) {
    MakeId(r->request, lane.side, {});
    At(r->request).device_known = true;
    At(r->request).datagram = At(r->id).datagram;
    At(r->request).has_qp = At(r->id).gives_qps;
  } else if (const auto* ep = std::get_if<call::CreateEp>(&call)) {
    EpMade(lane, *ep);
  } else if (const HeldRef held = HeldOf(call); held.valid()) {
    const CallKind kind = KindOf(call);
    const bool made = kind == CallKind::kGetAddrInfo || kind == CallKind::kQueryAddrInfo ||
                      kind == CallKind::kGetDevices;
    held_[held.index] = {.live = made, .made = true, .side = lane.side};
  } else if (const auto* s = std::get_if<call::ResolveAddr>(&call)) {
    const bool own_event = At(s->id).synchronous && !At(s->id).written_to;
    if (own_event) At(s->id).device_known = true;
  } else if (KindOf(call) == CallKind::kWriteCmEvent) {
    At(IdOf(call)).written_to = true;
  } else if (const auto* b = std::get_if<call::BindAddr>(&call)) {
    if (!b->address.AnyOrLoopback()) At(b->id).device_known = true;
  } else if (QpAskedBy(call)) {
    At(IdOf(call)).has_qp = true;
  } else if (const auto* p = std::get_if<call::DestroyQp>(&call)) {
    At(p->id).has_qp = false;
  } else if (const auto* a = std::get_if<call::AckCmEvent>(&call)) {
    EventAcknowledged(a->event);
  } else if (KindOf(call) == CallKind::kJoinMulticast ||
             KindOf(call) == CallKind::kJoinMulticastEx) {
    ++At(IdOf(call)).untold;
  } else {
    QueueCallAnswered(lane, call);
  }
}

void Liveness::Observe(const Record& record) {
  const Line& line = conversation_.lines[record.line];
  if (const auto* injects = std::get_if<line::Injects>(&line)) {
    return Suffer(injects->fault);
  }
  const auto* calls = std::get_if<line::Calls>(&line);
  if (calls == nullptr) return;
  if (const auto* released = std::get_if<seen::Released>(&record.seen)) {
    std::erase_if(waiting_, [&](const WaitingCall& w) { return w.lane == calls->lane; });
    CallAnswered(calls->lane, calls->call, released->reply, released->event);
    return;
  }
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  if (answered == nullptr || answered->reply.kind == ReplyKind::kNotApplicable) return;
  if (answered->reply.kind == ReplyKind::kCrashed) {
    crashed_ = true;
    return;
  }
  if (answered->reply.kind == ReplyKind::kBlocked) {
    const IdRef id = IdOf(calls->call);
    const bool migrates = std::holds_alternative<call::MigrateId>(calls->call);
    const bool leaves = std::holds_alternative<call::LeaveMulticast>(calls->call);
    const bool on_id = id.valid() && !migrates;
    const ChannelRef needed = on_id ? ids_[id.index].channel : cm::ChannelOf(calls->call);
    const bool alone = migrates || leaves || Completes(calls->call);
    const CallKind kind = KindOf(calls->call);
    waiting_.push_back({.lane = calls->lane,
                        .channel = needed,
                        .id = alone ? id : IdRef{},
                        .queues = IsCompletion(kind) ? id : IdRef{},
                        .kind = kind});
  }
  CallAnswered(calls->lane, calls->call, answered->reply, answered->event);
}

}  // namespace cm
