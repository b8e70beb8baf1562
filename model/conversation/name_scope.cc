#include "model/conversation/name_scope.h"

#include <algorithm>
#include <type_traits>

#include "model/vocabulary/call_names.h"

namespace cm {
namespace {

// Events with which the attempt of rdma_connect ends.
bool EndsConnecting(EventType type) {
  return type == EventType::kConnectResponse || type == EventType::kEstablished ||
         type == EventType::kRejected || type == EventType::kUnreachable ||
         type == EventType::kConnectError;
}

bool AnswersRequest(CallKind kind) {
  return kind == CallKind::kAccept || kind == CallKind::kReject;
}

// For which the library asks the device.
bool AsksForMaximum(const std::optional<ConnParam>& param) {
  return !param || param->responder_resources == kDeviceMaximum ||
         param->initiator_depth == kDeviceMaximum;
}

}  // namespace

NameScope::NameScope(const Conversation& conversation, std::optional<Transport> over)
    : conversation_(&conversation),
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
  const Profile* const known = FindProfile(conversation.profile);
  if (over)
    over_iwarp_ = *over == Transport::kIwarp;
  else
    over_iwarp_ = known != nullptr && known->transport == Transport::kIwarp;
}

bool NameScope::LaneWaits(Lane lane) const {
  return std::ranges::count(waiting_, lane, &WaitingCall::lane) > 0;
}

std::optional<NotMade> NameScope::WhyNotLane(Lane lane) const {
  if (crashed_) return NotMade::kCrashed;
  if (exited_[lane.side]) return NotMade::kExited;
  if (LaneWaits(lane)) return NotMade::kLaneWaits;
  return std::nullopt;
}

std::optional<NotMade> NameScope::WhyNot(const Line& line) const {
  if (const auto* calls = std::get_if<line::Calls>(&line))
    return WhyNotCall(calls->lane, calls->call);
  if (const auto* waits = std::get_if<line::Waits>(&line)) {
    if (const auto lane = WhyNotLane(waits->lane)) return lane;
    const Name& channel = At(waits->channel);
    if (!channel.live) return channel.made ? NotMade::kGone : NotMade::kNeverMade;
    if (channel.side != waits->lane.side) return NotMade::kOfAnotherSide;
  }
  if (const auto* sends = std::get_if<line::Sends>(&line)) {
    // State of an id that is kept after its destroy.
    for (const IdRef id : IdsIn(sends->mad))
      if (id.valid() && !At(id).made) return NotMade::kNeverMade;
  }
  return std::nullopt;
}

std::optional<NotMade> NameScope::WhyNotCall(Lane lane, const Call& call) const {
  if (const auto why = WhyNotLane(lane)) return why;
  std::optional<NotMade> why;
  EachName(call, [&](const auto& ref, const FieldInfo& info) {
    if (!why && info.use != NameUse::kMakes) why = WhyNotThere(lane.side, ref, info);
  });
  if (why) return why;
  if (KindOf(call) == CallKind::kDestroyEventChannel &&
      std::ranges::count(waiting_, cm::ChannelOf(call), &WaitingCall::channel) > 0)
    return NotMade::kChannelInUse;
  const IdRef id = IdOf(call);
  if (!id.valid() || MakesItsId(KindOf(call))) return std::nullopt;
  if (WaitedOn(id)) return NotMade::kIdInUse;
  if (CompletionWaitedFor(id, call)) return NotMade::kQueueInUse;
  if (!conversation_->capabilities.Has(Capability::kCrashes) && WouldCrash(call))
    return NotMade::kWouldCrash;
  return std::nullopt;
}

// Objects to release, and regions, exist as long as they are not freed: there is no misuse of them.
// The application must keep the key and the address of a remote region, as long as one process has
// registered both.
template <typename Tag>
std::optional<NotMade> NameScope::WhyNotThere(uint8_t side, Ref<Tag> ref,
                                              const FieldInfo& info) const {
  const Name& name = At(ref);
  if (!name.made) return NotMade::kNeverMade;
  const bool elsewhere = name.side != side;
  if (elsewhere && (!info.remote || apart_)) return NotMade::kOfAnotherSide;
  constexpr bool kMayBeMisused = !std::is_same_v<Tag, HeldTag> && !std::is_same_v<Tag, MrTag>;
  const bool misused = kMayBeMisused && conversation_->capabilities.Has(Capability::kMisuse);
  if (!name.live && !info.remote && !misused) return NotMade::kGone;
  return std::nullopt;
}

void NameScope::Mark(Record* record) const {
  const Line& line = conversation_->lines[record->line];
  if (std::holds_alternative<seen::Released>(record->seen)) return;
  record->not_made = WhyNot(line);
  const auto* calls = std::get_if<line::Calls>(&line);
  if (calls != nullptr && !record->not_made) record->misuse = MisuseIn(calls->call);
}

// A call on an id while another thread waits for its event would interfere with it.
bool NameScope::WaitedOn(IdRef id) const {
  return std::ranges::count(waiting_, id, &WaitingCall::id) > 0;
}

bool NameScope::Completes(const Call& call) const {
  const CallKind kind = KindOf(call);
  return (CompletesWithEvent(kind) || kind == CallKind::kGetRequest) &&
         ids_[IdOf(call).index].synchronous;
}

std::optional<Misuse> NameScope::MisuseIn(const Call& call) const {
  const auto gone = [](const Name& name) { return name.made && !name.live; };
  if (const auto* ack = std::get_if<call::AckCmEvent>(&call)) {
    if (gone(events_[ack->event.index])) return Misuse::kEventAcknowledged;
    return std::nullopt;
  }
  const CallKind kind = KindOf(call);
  const IdRef id = IdOf(call);
  if (id.valid() && !MakesItsId(kind) && gone(ids_[id.index])) {
    const ChannelRef on = ids_[id.index].channel;
    const bool orphaned = on.valid() && !ids_[id.index].freed && gone(channels_[on.index]);
    return orphaned ? Misuse::kIdWithoutChannel : Misuse::kIdDestroyed;
  }
  const ChannelRef channel = cm::ChannelOf(call);
  if (kind != CallKind::kCreateEventChannel && channel.valid() && gone(channels_[channel.index]))
    return Misuse::kChannelDestroyed;
  return std::nullopt;
}

// source: rdma-core 44 cma.c: these read id->verbs or id->qp without checking for null
bool NameScope::WouldCrash(const Call& call) const {
  const Name& id = ids_[IdOf(call).index];
  if (!id.live) return false;
  const CallKind kind = KindOf(call);
  if (EndsWaitOfKernel(id, kind)) return true;
  if (kind == CallKind::kResolveRoute || QpAskedBy(call)) return !id.device_known;
  // Without a queue pair and parameters it is refused before it reads them.
  if (const auto* connect = std::get_if<call::Connect>(&call))
    return !id.device_known &&
           (id.tcp ? id.has_qp || connect->param : AsksForMaximum(connect->param));
  if (const auto* accept = std::get_if<call::Accept>(&call))
    return (!id.device_known && (id.tcp || AsksForMaximum(accept->param))) ||
           (!id.has_qp && !accept->param);
  // It frees the group, and events of it still point there.
  if (kind == CallKind::kLeaveMulticast) return removed_[id.side] && id.untold > 0;
  if (const call::Work* work = WorkOf(call)) return WorkWouldCrash(id, kind, *work);
  if (RegistersRegion(kind) || kind == CallKind::kCreateSrq) return !id.device_known;
  if (const auto* create = std::get_if<call::CreateSrqEx>(&call))
    return create->typed && !id.device_known;
  // A queue pair that uses the shared queue keeps it, without notice to the library.
  if (kind == CallKind::kDestroySrq) return !id.has_srq || id.has_qp;
  return TraitsOf(kind).on_cq && !id.has_qp;
}

// The refusal ends the wait that keeps a destroy of the id from meeting its unanswered request, at
// which the kernel stops with a lock held.
// source: linux 6.1 iwcm.c iw_cm_accept, iw_cm_reject, destroy_cm_id; observed 6.1-siw
bool NameScope::EndsWaitOfKernel(const Name& id, CallKind kind) const {
  return over_iwarp_ && id.connecting && AnswersRequest(kind);
}

// source: <rdma/rdma_verbs.h>: rdma_post_recv asserts that its element is within the region
bool NameScope::WorkWouldCrash(const Name& id, CallKind kind, const call::Work& work) const {
  if (kind == CallKind::kPostRecv) {
    const Sge& sge = work.sges.front();
    if (uint64_t{sge.offset} + sge.length > regions_[sge.mr.index].length) return true;
  }
  if (IsReceive(kind)) return !id.has_qp && !id.has_srq;
  if (kind == CallKind::kPostUdSend) return !id.has_qp || !id.knows_peer;
  return !id.has_qp || id.datagram;  // a datagram has no address
}

// Another thread waits within the queue that the call destroys, or for the same completion.
bool NameScope::CompletionWaitedFor(IdRef id, const Call& call) const {
  const CallKind kind = KindOf(call);
  const bool destroys = kind == CallKind::kDestroyQp || kind == CallKind::kDestroyId ||
                        kind == CallKind::kDestroyEp || kind == CallKind::kMigrateId;
  return std::ranges::any_of(waiting_, [&](const WaitingCall& w) {
    return w.queues.valid() && w.queues == id && (destroys || w.kind == kind);
  });
}

bool NameScope::NeedsChannel(const Call& call, ChannelRef channel) const {
  const IdRef id = IdOf(call);
  return cm::ChannelOf(call) == channel ||
         (id.valid() && !MakesItsId(KindOf(call)) && ids_[id.index].channel == channel);
}

// source: rdma-core 44 cma.c: an id's fields, its queue pair and its channel are read and changed
// without a lock; the kernel's state of it, and the count of acknowledgements, have one
bool NameScope::Contend(const Call& a, const Call& b) const {
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
  const auto in_kernel = [](const Call& call) { return TraitsOf(KindOf(call)).in_kernel; };
  return ids_[id.index].synchronous || !in_kernel(a) || !in_kernel(b);
}

void NameScope::SideExits(uint8_t side) {
  exited_[side] = true;
  std::erase_if(waiting_, [side](const WaitingCall& w) { return w.lane.side == side; });
  for (auto* table : {&ids_, &channels_, &events_, &held_, &regions_})
    for (Name& name : *table)
      if (name.side == side) name.live = false;
}

// A restarted host has new processes, without the state of earlier ones.
void NameScope::Suffer(const Fault& fault) {
  if (fault.kind == FaultKind::kExit) SideExits(fault.side);
  if (fault.kind == FaultKind::kRemoveDevice) removed_[fault.side] = true;
  if (fault.kind != FaultKind::kCrash && fault.kind != FaultKind::kRestart) return;
  const Topology& topology = *conversation_->topology;
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

void NameScope::EventFetched(const call::GetCmEvent& get, uint8_t side, const CmEvent& event) {
  if (event.id.valid() && EndsConnecting(event.type)) At(event.id).connecting = false;
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

void NameScope::Make(Lane lane, const Call& call) {
  EachName(call, [&](const auto& ref, const FieldInfo& info) {
    if (info.use == NameUse::kMakes && !info.derived)
      At(ref) = {.live = true, .made = true, .side = lane.side};
  });
}

void NameScope::Free(const Call& call) {
  EachName(call, [&](const auto& ref, const FieldInfo& info) {
    if (info.use != NameUse::kFrees) return;
    At(ref).live = false;
    At(ref).freed = true;
  });
}

void NameScope::CallAnswered(Lane lane, const Call& call, const Reply& reply,
                             const std::optional<CmEvent>& event) {
  const bool refused = reply.kind == ReplyKind::kReturned && reply.value != 0;
  if (refused) return;
  Free(call);
  if (const auto* close = std::get_if<call::DestroyEventChannel>(&call)) {
    for (Name& id : ids_)
      if (id.channel == close->channel) id.live = false;
  } else if (const auto* migrate = std::get_if<call::MigrateId>(&call)) {
    // The id has moved, though the call may still wait for acknowledgements.
    At(migrate->id).channel = migrate->channel;
    At(migrate->id).synchronous = !migrate->channel.valid();
  }
  if (const auto* connect = std::get_if<call::Connect>(&call))
    At(connect->id).connecting = !At(connect->id).synchronous;
  if (reply.kind == ReplyKind::kBlocked) return;
  Make(lane, call);
  if (const auto* get = std::get_if<call::GetCmEvent>(&call); get != nullptr && event)
    EventFetched(*get, lane.side, *event);
  Learn(lane, call);
}

// Effects of a successful call on ids and regions besides their existence.
void NameScope::Learn(Lane lane, const Call& call) {
  if (const auto* create = std::get_if<call::CreateId>(&call)) {
    MakeId(create->id, lane.side, create->channel);
    At(create->id).datagram = IsDatagram(create->space);
    At(create->id).tcp = create->space == PortSpace::kTcp;
  } else if (const auto* get = std::get_if<call::GetRequest>(&call)) {
    MakeId(get->request, lane.side, {});
    At(get->request).device_known = true;
    At(get->request).datagram = At(get->id).datagram;
    At(get->request).has_qp = At(get->id).gives_qps;
  } else if (const auto* ep = std::get_if<call::CreateEp>(&call)) {
    MakeId(ep->id, lane.side, {});
    At(ep->id).device_known = !ep->passive || !ep->source.AnyOrLoopback();
    At(ep->id).has_qp = ep->with_qp && !ep->passive;
    At(ep->id).gives_qps = ep->with_qp && ep->passive;
    At(ep->id).datagram = IsDatagram(ep->space);
    At(ep->id).tcp = ep->space == PortSpace::kTcp;
  } else if (const auto* resolve = std::get_if<call::ResolveAddr>(&call)) {
    const bool own_event = At(resolve->id).synchronous && !At(resolve->id).written_to;
    if (own_event) At(resolve->id).device_known = true;
  } else if (const auto* write = std::get_if<call::WriteCmEvent>(&call)) {
    At(write->id).written_to = true;
  } else if (const auto* bind = std::get_if<call::BindAddr>(&call)) {
    if (!bind->address.AnyOrLoopback()) At(bind->id).device_known = true;
  } else if (const auto qp = QpAskedBy(call)) {
    At(qp->id).has_qp = true;
  } else if (const auto* destroy = std::get_if<call::DestroyQp>(&call)) {
    At(destroy->id).has_qp = false;
  } else if (const auto* ack = std::get_if<call::AckCmEvent>(&call)) {
    if (const IdRef owner = At(ack->event).owner; owner.valid()) --At(owner).untold;
  } else if (std::holds_alternative<call::JoinMulticast>(call) ||
             std::holds_alternative<call::JoinMulticastEx>(call)) {
    ++At(IdOf(call)).untold;
  } else if (std::holds_alternative<call::CreateSrq>(call) ||
             std::holds_alternative<call::CreateSrqEx>(call)) {
    At(IdOf(call)).has_srq = true;
  } else if (const auto* srq = std::get_if<call::DestroySrq>(&call)) {
    At(srq->id).has_srq = false;
  } else if (RegistersRegion(KindOf(call))) {
    std::visit(
        [this](const auto& c) {
          if constexpr (requires { c.mr, c.length; }) At(c.mr).length = c.length;
        },
        call);
  }
}

void NameScope::Observe(const Record& record) {
  const Line& line = conversation_->lines[record.line];
  if (const auto* injects = std::get_if<line::Injects>(&line)) {
    return Suffer(injects->fault);
  }
  const auto* calls = std::get_if<line::Calls>(&line);
  if (calls == nullptr) return;
  if (const auto* released = std::get_if<seen::Released>(&record.seen)) {
    std::erase_if(waiting_, [&](const WaitingCall& w) { return w.lane == calls->lane; });
    // Over iWARP rdma_connect waits for the TCP connection, and may fail with it.
    if (const auto* connect = std::get_if<call::Connect>(&calls->call))
      At(connect->id).connecting = false;
    CallAnswered(calls->lane, calls->call, released->reply, released->event);
    return;
  }
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  if (answered == nullptr || answered->reply.kind == ReplyKind::kNotApplicable) return;
  // A refused rdma_get_request may have taken the event by which the library knows the device.
  const auto* show = std::get_if<call::Show>(&calls->call);
  if (show != nullptr && answered->shown && answered->shown->device_known)
    At(show->id).device_known = true;
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
    const CallKind kind = KindOf(calls->call);
    const bool alone = migrates || leaves || Completes(calls->call) || kind == CallKind::kDestroyQp;
    waiting_.push_back({.lane = calls->lane,
                        .channel = needed,
                        .id = alone ? id : IdRef{},
                        .queues = TraitsOf(kind).on_cq ? id : IdRef{},
                        .kind = kind});
  }
  CallAnswered(calls->lane, calls->call, answered->reply, answered->event);
}

void MarkRecords(History* history, std::optional<Transport> over) {
  const Conversation& conversation = history->conversation;
  NameScope scope(conversation, over);
  size_t marked = 0;
  for (size_t i = 0; i < history->records.size(); ++i) {
    if (i >= marked) {
      const size_t end = EndOfTogether(conversation, history->records[i].line);
      for (marked = i; marked < history->records.size(); ++marked) {
        Record& record = history->records[marked];
        if (marked > i && record.line >= end) break;
        scope.Mark(&record);
        const auto* calls = std::get_if<line::Calls>(&conversation.lines[record.line]);
        const auto* answered = std::get_if<seen::Answered>(&record.seen);
        const bool left_out = answered != nullptr && answered->reply == Reply::NotApplicable();
        if (left_out && !record.not_made && calls != nullptr && calls->meanwhile)
          record.not_made = NotMade::kContends;
        // A recording has what a driver would have left out.
        if (answered != nullptr && !left_out && calls != nullptr)
          record.misuse = scope.MisuseIn(calls->call);
      }
    }
    scope.Observe(history->records[i]);
  }
}

}  // namespace cm
