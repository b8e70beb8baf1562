// Files, ids and event queues of the simulated kernel. source: linux 6.1 ucma.c
#include <algorithm>

#include "sim/rdma_cm/rdma_cm.h"

namespace cm::sim {

uint32_t RdmaCm::Open(uint8_t kernel) {
  File file;
  file.kernel = kernel;
  return files_.Add(std::move(file));
}

bool RdmaCm::Close(uint32_t file) {
  files_[file].closing = true;
  for (uint32_t id = 0; id < ids_.end(); ++id) {
    if (ids_.Live(id) && ids_[id].file == file && !ids_[id].destroy_wanted)
      static_cast<void>(Write(file, command::DestroyId{id}));
  }
  return FreeIfUnused(file);
}

bool RdmaCm::FreeIfUnused(uint32_t file) {
  for (uint32_t id = 0; id < ids_.end(); ++id)
    if (ids_.Live(id) && ids_[id].file == file) return false;
  files_.Free(file);
  return true;
}

Errno RdmaCm::Lookup(uint32_t file, uint32_t id) const {
  if (!ids_.Live(id) || ids_[id].destroy_wanted) return Errno::kNoEnt;
  if (ids_[id].file != file) return Errno::kInval;
  return ids_[id].closed ? Errno::kNxIo : Errno::kNone;
}

Errno RdmaCm::LookupWithDevice(uint32_t file, uint32_t id) const {
  const Errno error = Lookup(file, id);
  if (error != Errno::kNone) return error;
  return ids_[id].device == kNoDevice ? Errno::kInval : Errno::kNone;
}

Result<uint32_t> RdmaCm::Write(uint32_t file, const command::CreateId& cmd) {
  if (cmd.space != PortSpace::kTcp && cmd.space != PortSpace::kUdp && cmd.space != PortSpace::kIb &&
      cmd.space != PortSpace::kIpoib) {
    return Errno::kInval;
  }
  CmId id;
  id.kernel = files_[file].kernel;
  id.file = file;
  id.uid = cmd.uid;
  id.space = cmd.space;
  id.packet_lifetime = static_cast<uint8_t>(c_.profile->timing.packet_lifetime);
  return ids_.Add(std::move(id));
}

// The id's unread events move with it, to the end of the new queue; those of an id that stays move
// to the end as well. The ids of unread requests stay on the old file.
Result<uint32_t> RdmaCm::Write(uint32_t file, const command::MigrateId& cmd) {
  const Errno error = Lookup(cmd.from, cmd.id);
  if (error != Errno::kNone) return error;
  const auto goes = [&](const QueuedEvent& queued) { return queued.on == cmd.id; };
  std::vector<QueuedEvent> moved;
  for (const QueuedEvent& queued : files_[cmd.from].queue)
    if (goes(queued)) moved.push_back(queued);
  files_[cmd.from].queue.EraseIf(goes);
  for (const QueuedEvent& queued : moved) files_[file].queue.push_back(queued);
  ids_[cmd.id].file = file;
  return ids_[cmd.id].events_reported;
}

void RdmaCm::AttachTo(uint32_t id, uint8_t device) {
  ids_[id].device = device;
  ids_[id].source_since = c_.fabric->device(device).fail_overs;
  ids_[id].attached = ++attach_count_;
}

// Events for an id that its owner does not know yet are discarded.
void RdmaCm::Queue(uint32_t id, response::Event event) {
  const CmId& owner = ids_[id];
  if (owner.uid == 0) return;
  event.uid = owner.uid;
  event.id = id;
  files_[owner.file].queue.push_back({.event = std::move(event), .on = id});
}

// source: linux 7.2 ucma.c ucma_write_cm_event. Older kernels do not have this command.
Errno RdmaCm::Write(uint32_t file, const command::WriteCmEvent& cmd) {
  if (!c_.profile->capabilities.Has(Capability::kLaterCalls)) return Errno::kInval;
  const Errno error = Lookup(file, cmd.id);
  if (error != Errno::kNone) return error;
  if (ids_[cmd.id].uid == 0) return Errno::kInval;
  Queue(cmd.id, {.type = cmd.type, .status = cmd.status, .argument = cmd.argument});
  return Errno::kNone;
}

// Without the SA of an InfiniBand link there are no records.
Errno RdmaCm::QueryService(uint32_t file, const command::Query& cmd) const {
  const Errno error = Lookup(file, cmd.id);
  return error == Errno::kNone ? Errno::kNoData : error;
}

void RdmaCm::QueueRequest(uint32_t listener, uint32_t request, response::Event event) {
  const CmId& owner = ids_[listener];
  event.uid = owner.uid;
  event.id = request;
  files_[owner.file].queue.push_back(
      {.event = std::move(event), .on = listener, .request = request});
}

Result<response::Event> RdmaCm::GetEvent(uint32_t file) {
  Fifo<QueuedEvent>& queue = files_[file].queue;
  if (queue.empty()) return Errno::kAgain;
  const QueuedEvent first = queue.front();
  queue.pop_front();
  if (ids_.Live(first.on)) {
    if (first.event.type == EventType::kConnectRequest) ++ids_[first.on].backlog;
    ++ids_[first.on].events_reported;
    if (first.membership != kNobody && memberships_.Live(first.membership))
      ++memberships_[first.membership].events_reported;
  }
  return first.event;
}

bool RdmaCm::DestroyTransport(uint32_t id) {
  const CmId& owner = ids_[id];
  if (owner.iw != kNobody) return c_.iw->Destroy(IwContext(), owner.iw);
  return owner.ib == kNobody || c_.ib->Destroy(IbContext(), owner.ib);
}

// Removes the id from ports, device and IB CM. False while a message of it is outstanding.
bool RdmaCm::DestroyKernelId(uint32_t id) {
  CmId& owner = ids_[id];
  owner.state = CmState::kDestroying;
  owner.work = Instant::Never();
  if (!DestroyTransport(id)) return false;
  ReleaseKernelId(id);
  return true;
}

void RdmaCm::ReleaseKernelId(uint32_t id) {
  CmId& owner = ids_[id];
  owner.ib = owner.iw = kNobody;
  owner.device = kNoDevice;
  if (owner.owns_port) LeavePort(id);
}

void RdmaCm::CleanUpEvents(uint32_t id) {
  std::vector<uint32_t> requests;
  files_[ids_[id].file].queue.EraseIf([&](const QueuedEvent& queued) {
    if (queued.on != id) return false;
    if (queued.request != kNobody) requests.push_back(queued.request);
    return true;
  });
  // An unfetched request is destroyed with its listener; its peer receives a REJ.
  for (const uint32_t request : requests) {
    if (!ids_.Live(request)) continue;
    ids_[request].destroy_wanted = true;
    if (ids_[request].closed || DestroyKernelId(request)) ids_.Free(request);
  }
}

// Where its listener has moved to another file with its event, that event has no id from now on.
void RdmaCm::ForgetRequest(uint32_t id) {
  if (ids_[id].listener == kNobody) return;
  for (uint32_t file = 0; file < files_.end(); ++file) {
    if (!files_.Live(file)) continue;
    for (QueuedEvent& queued : files_[file].queue) {
      if (queued.request != id) continue;
      queued.request = kNobody;
      queued.event.id = kNobody;
    }
  }
}

void RdmaCm::FreeContext(uint32_t id) {
  CleanUpEvents(id);
  ForgetRequest(id);
  LeaveAll(id);
  ids_.Free(id);
}

Result<Destroyed> RdmaCm::Write(uint32_t file, const command::DestroyId& cmd) {
  const Errno error = Lookup(file, cmd.id);
  if (error != Errno::kNone && error != Errno::kNxIo) return error;
  ids_[cmd.id].destroy_wanted = true;
  const CmId& own = ids_[cmd.id];
  // If its device was removed first, its destruction has begun, and may have to wait as well.
  if (own.closed ? own.ib != kNobody || own.iw != kNobody : !DestroyKernelId(cmd.id)) {
    pending_destroys_.push_back({.ticket = ++last_ticket_, .id = cmd.id});
    return Destroyed{.finished = false, .ticket = last_ticket_};
  }
  CleanUpEvents(cmd.id);
  const uint32_t reported = ids_[cmd.id].events_reported;
  FreeContext(cmd.id);
  return Destroyed{.finished = true, .events_reported = reported};
}

std::optional<uint32_t> RdmaCm::TakeDestroyed(uint32_t ticket) {
  for (size_t i = 0; i < pending_destroys_.size(); ++i) {
    if (pending_destroys_[i].ticket != ticket || !pending_destroys_[i].finished) continue;
    const uint32_t reported = pending_destroys_[i].events_reported;
    pending_destroys_.erase(pending_destroys_.begin() + static_cast<ptrdiff_t>(i));
    return reported;
  }
  return std::nullopt;
}

void RdmaCm::OnIbGone(uint32_t id) { OnTransportGone(id); }

void RdmaCm::OnTransportGone(uint32_t id) {
  ReleaseKernelId(id);
  if (!ids_[id].destroy_wanted) {
    ids_[id].closed = true;
    return;
  }
  CleanUpEvents(id);
  for (PendingDestroy& pending : pending_destroys_) {
    if (pending.id != id || pending.finished) continue;
    pending.finished = true;
    pending.events_reported = ids_[id].events_reported;
  }
  const uint32_t file = ids_[id].file;
  FreeContext(id);
  if (files_[file].closing) FreeIfUnused(file);
}

}  // namespace cm::sim
