// Events, the ends of processes, faults and messages in a conversation of notes.
#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <variant>

#include "conformance/adapters/sim/wire_record.h"
#include "sim/uapi/bytes.h"
#include "tools/app/command_calls.h"
#include "tools/app/conversing.h"

namespace cm::app {

using sim::uapi::As;

void Conversing::Fetches(const noted::Answered& answered) {
  if (answered.answer.value < 0) return LeaveOut(answered.request);
  const auto returned = folded_.returned.find(at_);
  if (returned == folded_.returned.end())
    return LeaveOut("events that the library keeps for itself");
  const auto came = As<rdma_ucm_event_resp>(answered.answer.bytes).event;
  const uint32_t type = std::get<noted::Told>(notes_[returned->second].what).type;
  if (came == static_cast<uint32_t>(EventType::kConnectResponse) && type != came)
    Self().response = at_;
  else
    SayFetched(at_);
}

void Conversing::SayFetched(size_t fetched) {
  const auto& answered = std::get<noted::Answered>(notes_[fetched].what);
  const auto& told = std::get<noted::Told>(notes_[folded_.returned.at(fetched)].what);
  const auto came = As<rdma_ucm_event_resp>(answered.answer.bytes);
  const auto type = static_cast<EventType>(told.type);
  const bool of_group = type == EventType::kMulticastJoin || type == EventType::kMulticastError;
  const auto file = files_.find(answered.request.on);
  const bool requests = type == EventType::kConnectRequest;
  const auto membership = of_group ? memberships_.find(came.id) : memberships_.end();
  const Id* const id = requests ? ListenerOf(answered.request.on, came.uid) : Live(came.id);
  const bool known = of_group ? membership != memberships_.end() : id != nullptr;
  const Place place{note().who.process, told.event};
  given_back_.erase(place);
  if (told.type >= static_cast<uint32_t>(kEventTypeCount) || file == files_.end() || !known)
    return LeaveOut("events of ids that are left out");
  CmEvent event =
      EventOf(answered.answer.bytes, type, !of_group && IsDatagram(id->space), topology_);
  Held held{.event = log_.NewEvent(),
            .counts_for = of_group ? membership->second.id : id->name,
            .membership = of_group ? std::optional(came.id) : std::nullopt};
  held_[place] = held;
  if (requests) return SayRequested(answered, held, file->second.name, std::move(event));
  event.id = held.counts_for;
  Say(
      call::GetCmEvent{
          .channel = file->second.name, .event = held.event, .request = log_.NoRequest(held.event)},
      Reply::Returned(), std::move(event));
}

void Conversing::SayRequested(const noted::Answered& answered, const Held& held, ChannelRef channel,
                              CmEvent event) {
  const auto came = As<rdma_ucm_event_resp>(answered.answer.bytes);
  const PortSpace space = ListenerOf(answered.request.on, came.uid)->space;
  event.id = log_.NewId(came.id);
  event.listen_id = held.counts_for;
  ids_[came.id] = {.name = event.id, .file = answered.request.on, .space = space};
  gone_.erase(came.id);
  const IdRef id = event.id;
  Say(call::GetCmEvent{.channel = channel, .event = held.event, .request = id}, Reply::Returned(),
      std::move(event));
}

void Conversing::On(const noted::Told& told) {
  if (exited_.contains(note().side)) return;
  if (!told.returned) {
    if (!acknowledged_.contains(at_)) Acknowledges(told.event);
    return;
  }
  // The library has not reported to the peer.
  const auto self = threads_.find(note().who);
  if (self != threads_.end() && self->second.response)
    SayFetched(*std::exchange(self->second.response, std::nullopt));
}

void Conversing::Acknowledges(uint64_t address) {
  const Place place{note().who.process, address};
  const auto held = held_.find(place);
  if (held == held_.end()) {
    const auto before = given_back_.find(place);
    if (before == given_back_.end()) return;
    Say(call::AckCmEvent{.event = before->second}, Reply::Returned());
    return;
  }
  Say(call::AckCmEvent{.event = held->second.event}, Reply::Returned());
  given_back_[place] = held->second.event;
  held_.erase(held);
  std::erase_if(blocked_, [this](const Blocked& one) {
    const bool returns = !Counts(one.id, one.membership);
    if (returns) log_.Returns(one.line);
    return returns;
  });
}

// The kernel destroys what a process leaves. The language knows one process of a side.
void Conversing::On(const noted::Ended& /*ended*/) {
  const uint32_t process = note().who.process;
  std::vector<uint32_t> left;
  for (const auto& [number, file] : files_)
    if (file.process == process) left.push_back(number);
  const bool ids = std::ranges::any_of(
      ids_, [&](const auto& one) { return std::ranges::count(left, one.second.file) != 0; });
  const bool blocked =
      std::ranges::any_of(blocked_, [this](const Blocked& one) { return one.side == note().side; });
  if (!ids && !blocked) {
    if (!left.empty()) LeaveOut("event channels that the end of a process closes");
    return;
  }
  const bool goes_on = last_[note().side] > at_;
  if (goes_on) {
    for (const uint32_t file : left) Close(file);
    return LeaveOut("ends of processes that leave ids on a side that goes on");
  }
  log_.PassUntil(note().at);
  log_.Inject({.kind = FaultKind::kExit, .side = note().side});
  CloseAllOf(note().side);
}

void Conversing::On(const noted::Waits& waits) {
  const auto file = files_.find(waits.file);
  if (file == files_.end() || exited_.contains(note().side)) return;
  const EventRef event = log_.NewEvent();
  Say(
      call::GetCmEvent{
          .channel = file->second.name, .event = event, .request = log_.NoRequest(event)},
      Reply::Blocked());
}

void Conversing::On(const noted::Injected& injected) {
  log_.PassUntil(note().at);
  if (!injected.fault) return log_.Heal();
  log_.Inject(*injected.fault);
  const FaultKind kind = injected.fault->kind;
  if (kind != FaultKind::kCrash && kind != FaultKind::kExit) return;
  const uint8_t hit = injected.fault->side;
  for (uint8_t side = 0; side < topology_.sides.size(); ++side)
    if (side == hit ||
        (kind == FaultKind::kCrash && topology_.KernelOf(side) == topology_.KernelOf(hit)))
      CloseAllOf(side);
}

void Conversing::On(const noted::Sent& sent) { log_.Send(sim::RecordOf(sent.message, topology_)); }

}  // namespace cm::app
