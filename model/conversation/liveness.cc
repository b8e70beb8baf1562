#include "model/conversation/liveness.h"

#include <algorithm>

namespace cm {

Liveness::Liveness(const Conversation& conversation)
    : conversation_(conversation),
      ids_(conversation.names.ids.size()),
      channels_(conversation.names.channels.size()),
      events_(conversation.names.events.size()),
      exited_(conversation.topology->sides.size(), false) {}

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
  return true;
}

bool Liveness::CallApplicable(Lane lane, const Call& call) const {
  if (crashed_ || exited_[lane.side] || LaneWaits(lane)) return false;
  const auto of_side = [lane](const Name& name) { return name.live && name.side == lane.side; };
  switch (KindOf(call)) {
    case CallKind::kCreateEventChannel:
      return true;
    case CallKind::kDestroyEventChannel:
      if (std::ranges::count(waiting_, cm::ChannelOf(call), &WaitingCall::channel) > 0)
        return false;
      [[fallthrough]];
    case CallKind::kGetCmEvent:
    case CallKind::kCreateId:
      return of_side(channels_[cm::ChannelOf(call).index]);
    case CallKind::kAckCmEvent:
      return of_side(events_[std::get<call::AckCmEvent>(call).event.index]);
    default:
      return of_side(ids_[IdOf(call).index]) &&
             (conversation_.capabilities.Has(Capability::kCrashes) || !WouldCrash(call));
  }
}

// source: rdma-core 44 cma.c: these read id->verbs or id->qp without looking whether it is there
bool Liveness::WouldCrash(const Call& call) const {
  const Name& id = ids_[IdOf(call).index];
  switch (KindOf(call)) {
    case CallKind::kResolveRoute:
    case CallKind::kCreateQp:
      return !id.device_known;
    case CallKind::kDestroyQp:
      return !id.has_qp;
    case CallKind::kConnect:  // without a queue pair and parameters it is refused before it looks
      return !id.device_known && (id.has_qp || std::get<call::Connect>(call).param);
    case CallKind::kAccept:
      return !id.device_known || (!id.has_qp && !std::get<call::Accept>(call).param);
    default:
      return false;
  }
}

void Liveness::SideExits(uint8_t side) {
  exited_[side] = true;
  std::erase_if(waiting_, [side](const WaitingCall& w) { return w.lane.side == side; });
  for (auto* table : {&ids_, &channels_, &events_})
    for (Name& name : *table)
      if (name.side == side) name.live = false;
}

void Liveness::EventFetched(const call::GetCmEvent& get, uint8_t side, const CmEvent& event) {
  if (event.type == EventType::kConnectRequest) {
    MakeId(get.request, side, get.channel);
    At(get.request).device_known = true;
  } else if (event.type == EventType::kAddrResolved && event.id.valid()) {
    At(event.id).device_known = true;
  }
}

void Liveness::CallAnswered(Lane lane, const Call& call, const Reply& reply,
                            const std::optional<CmEvent>& event) {
  const bool refused = reply.kind == ReplyKind::kReturned && reply.value != 0;
  if (refused) return;
  if (const auto* c = std::get_if<call::CreateEventChannel>(&call)) {
    channels_[c->channel.index] = {.live = true, .side = lane.side};
  } else if (const auto* d = std::get_if<call::DestroyEventChannel>(&call)) {
    channels_[d->channel.index].live = false;
    for (Name& id : ids_)
      if (id.channel == d->channel) id.live = false;
  } else if (const auto* i = std::get_if<call::CreateId>(&call)) {
    MakeId(i->id, lane.side, i->channel);
  } else if (const auto* x = std::get_if<call::DestroyId>(&call)) {
    ids_[x->id.index].live = false;
  } else if (const auto* g = std::get_if<call::GetCmEvent>(&call)) {
    if (reply.kind == ReplyKind::kBlocked) return;
    events_[g->event.index] = {.live = true, .side = lane.side};
    if (event) EventFetched(*g, lane.side, *event);
  } else if (const auto* b = std::get_if<call::BindAddr>(&call)) {
    if (!b->address.AnyOrLoopback()) At(b->id).device_known = true;
  } else if (const auto* q = std::get_if<call::CreateQp>(&call)) {
    At(q->id).has_qp = true;
  } else if (const auto* p = std::get_if<call::DestroyQp>(&call)) {
    At(p->id).has_qp = false;
  } else if (const auto* a = std::get_if<call::AckCmEvent>(&call)) {
    events_[a->event.index].live = false;
  }
}

void Liveness::Observe(const Record& record) {
  const Line& line = conversation_.lines[record.line];
  if (const auto* injects = std::get_if<line::Injects>(&line)) {
    if (injects->fault.kind == FaultKind::kExit) SideExits(injects->fault.side);
    return;
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
    const ChannelRef needed = id.valid() ? ids_[id.index].channel : cm::ChannelOf(calls->call);
    waiting_.push_back({calls->lane, needed});
  }
  CallAnswered(calls->lane, calls->call, answered->reply, answered->event);
}

}  // namespace cm
