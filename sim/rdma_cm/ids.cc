// Files and ids of the simulated kernel. source: linux 6.1 ucma.c
#include "sim/rdma_cm/ids.h"

#include <utility>

#include "sim/rdma_cm/transport.h"

namespace cm::sim {
namespace {

// A closing file goes with the last of its ids.
bool FreeIfUnused(const KernelContext& k, FileIndex file) {
  for (const CmIdIndex id : k.cma->ids.All())
    if (k.cma->ids[id].file == file) return false;
  k.cma->files.Free(file);
  return true;
}

void ReleaseKernelId(const KernelContext& k, CmIdIndex id) {
  CmId& owner = k.cma->ids[id];
  owner.ib = {};
  owner.iw = {};
  owner.device = kNoDevice;
  if (owner.owns_port) k.cma->ports.Leave(&k.cma->ids, id);
}

// An unfetched request is destroyed with its listener; its peer receives a REJ.
void CleanUpEvents(const KernelContext& k, CmIdIndex id) {
  CmIds& ids = k.cma->ids;
  for (const CmIdIndex request : k.cma->files.DropEventsOf(id, ids[id].file)) {
    if (!ids.Live(request)) continue;
    ids[request].destroy_wanted = true;
    if (ids[request].closed || DestroyKernelId(k, request)) ids.Free(request);
  }
}

// Frees the id; returns the number of its reported events.
uint32_t FreeContext(const KernelContext& k, CmIdIndex id) {
  CleanUpEvents(k, id);
  // A request's event may have moved to another file with its listener.
  if (k.cma->ids[id].listener.valid()) k.cma->files.ForgetRequest(id);
  LeaveAll(k, id);
  const uint32_t reported = k.cma->ids[id].events_reported;
  k.cma->ids.Free(id);
  return reported;
}

// False when its transport has to wait. If its device was removed first, its destruction has begun.
bool StartDestroy(const KernelContext& k, CmIdIndex id) {
  CmId& own = k.cma->ids[id];
  own.destroy_wanted = true;
  return own.closed ? !own.ib.valid() && !own.iw.valid() : DestroyKernelId(k, id);
}

}  // namespace

bool CloseFile(const KernelContext& k, FileIndex file) {
  k.cma->files.SetClosing(file);
  for (const CmIdIndex id : k.cma->ids.All()) {
    const CmId& own = k.cma->ids[id];
    if (own.file == file && !own.destroy_wanted && StartDestroy(k, id)) FreeContext(k, id);
  }
  return FreeIfUnused(k, file);
}

Result<CmIdIndex> Lookup(const KernelContext& k, FileIndex file, uint32_t handle) {
  const CmIdIndex id(handle);
  if (!k.cma->ids.Live(id) || k.cma->ids[id].destroy_wanted) return Errno::kNoEnt;
  if (k.cma->ids[id].file != file) return Errno::kInval;
  if (k.cma->ids[id].closed) return Errno::kNxIo;
  return id;
}

Result<CmIdIndex> LookupWithDevice(const KernelContext& k, FileIndex file, uint32_t handle) {
  const Result<CmIdIndex> id = Lookup(k, file, handle);
  if (id.ok() && k.cma->ids[id.value()].device == kNoDevice) return Errno::kInval;
  return id;
}

Result<uint32_t> Execute(const KernelContext& k, FileIndex file, const command::CreateId& cmd) {
  if (cmd.space != PortSpace::kTcp && cmd.space != PortSpace::kUdp && cmd.space != PortSpace::kIb &&
      cmd.space != PortSpace::kIpoib) {
    return Errno::kInval;
  }
  CmId id;
  id.kernel = k.cma->files[file].kernel;
  id.file = file;
  id.uid = cmd.uid;
  id.space = cmd.space;
  if (cmd.space == PortSpace::kIb) id.type = cmd.type;
  id.packet_lifetime = static_cast<uint8_t>(k.profile->timing.packet_lifetime);
  return k.cma->ids.Add(std::move(id)).value();
}

// The ids of unread requests stay on the old file.
Result<uint32_t> Execute(const KernelContext& k, FileIndex file, const command::MigrateId& cmd) {
  const Result<CmIdIndex> id = Lookup(k, cmd.from, cmd.id);
  if (!id.ok()) return id.error();
  k.cma->files.Move(id.value(), cmd.from, file);
  CmId& own = k.cma->ids[id.value()];
  own.file = file;
  return own.events_reported;
}

void Attach(const KernelContext& k, CmIdIndex id, uint8_t device) {
  CmId& own = k.cma->ids[id];
  own.device = device;
  own.source_since = k.fabric->device(device).fail_overs;
  own.attached = ++k.cma->attachments;
}

void Report(const KernelContext& k, CmIdIndex id, response::Event event) {
  const CmId& owner = k.cma->ids[id];
  if (owner.uid == 0) return;
  event.uid = owner.uid;
  event.id = id.value();
  k.cma->files.Push(owner.file, {.event = std::move(event), .on = id});
}

CmIdIndex ReportRequest(const KernelContext& k, CmIdIndex listener, uint8_t device, CmId request,
                        response::Event event) {
  CmId& owner = k.cma->ids[listener];
  --owner.backlog;
  request.state = CmState::kConnect;
  request.listener = listener;
  request.space = owner.space;
  request.type = owner.type;
  request.kernel = owner.kernel;
  request.file = owner.file;
  request.family_only = owner.family_only;
  request.interface = device;
  request.bond_slave = k.fabric->device(device).bond_slave;
  event.uid = owner.uid;
  const FileIndex file = owner.file;
  const CmIdIndex id = k.cma->ids.Add(std::move(request));
  Attach(k, id, device);
  event.id = id.value();
  k.cma->files.Push(file, {.event = std::move(event), .on = listener, .request = id});
  return id;
}

// Older kernels do not have this command.
Errno Execute(const KernelContext& k, FileIndex file, const command::WriteCmEvent& cmd) {
  if (!k.profile->capabilities.Has(Capability::kLaterCalls)) return Errno::kInval;
  const Result<CmIdIndex> id = Lookup(k, file, cmd.id);
  if (!id.ok()) return id.error();
  if (k.cma->ids[id.value()].uid == 0) return Errno::kInval;
  Report(k, id.value(), {.type = cmd.type, .status = cmd.status, .argument = cmd.argument});
  return Errno::kNone;
}

Result<response::Event> Execute(const KernelContext& k, FileIndex file, const command::GetEvent&) {
  std::optional<QueuedEvent> first = k.cma->files.Take(file);
  if (!first) return Errno::kAgain;
  if (k.cma->ids.Live(first->on)) {
    CmId& owner = k.cma->ids[first->on];
    if (first->event.type == EventType::kConnectRequest) ++owner.backlog;
    ++owner.events_reported;
    if (k.cma->memberships.Live(first->membership))
      ++k.cma->memberships[first->membership].events_reported;
  }
  return std::move(first->event);
}

bool DestroyKernelId(const KernelContext& k, CmIdIndex id) {
  CmId& owner = k.cma->ids[id];
  owner.state = CmState::kDestroying;
  owner.work = Instant::Never();
  if (!k.transport->Destroy(k, id)) return false;
  ReleaseKernelId(k, id);
  return true;
}

Result<response::DestroyId> Execute(const KernelContext& k, FileIndex file,
                                    const command::DestroyId& cmd) {
  const Result<CmIdIndex> found = Lookup(k, file, cmd.id);
  if (!found.ok() && found.error() != Errno::kNxIo) return found.error();
  const CmIdIndex id(cmd.id);
  if (!StartDestroy(k, id))
    return response::DestroyId{.finished = false, .ticket = k.cma->destroys.Add(id)};
  return response::DestroyId{.finished = true, .events_reported = FreeContext(k, id)};
}

void OnTransportGone(const KernelContext& k, CmIdIndex id) {
  ReleaseKernelId(k, id);
  CmId& own = k.cma->ids[id];
  if (!own.destroy_wanted) {
    own.closed = true;
    return;
  }
  const FileIndex file = own.file;
  k.cma->destroys.Finish(id, own.events_reported);
  FreeContext(k, id);
  if (k.cma->files[file].closing) FreeIfUnused(k, file);
}

void QueuePairBreaks(const KernelContext& k, uint32_t handle) {
  if (const CmIdIndex id(handle); k.cma->ids.Live(id)) k.transport->QueuePairBreaks(k, id);
}

Result<response::QueryAddr> Execute(const KernelContext& k, FileIndex file,
                                    const command::QueryAddr& cmd) {
  const Result<CmIdIndex> id = Lookup(k, file, cmd.id);
  if (!id.ok()) return id.error();
  const CmId& own = k.cma->ids[id.value()];
  response::QueryAddr answer{
      .source = own.source, .destination = own.destination, .device = own.device};
  if (own.device != kNoDevice) answer.port_num = k.fabric->topology().devices[own.device].port;
  return answer;
}

Result<response::QueryPath> Execute(const KernelContext& k, FileIndex file,
                                    const command::QueryPath& cmd) {
  const Result<CmIdIndex> id = Lookup(k, file, cmd.id);
  if (!id.ok()) return id.error();
  return response::QueryPath{.num_paths = k.cma->ids[id.value()].num_paths};
}

Errno Execute(const KernelContext& k, FileIndex file, const command::QueryService& cmd) {
  const Result<CmIdIndex> id = Lookup(k, file, cmd.id);
  return id.ok() ? Errno::kNoData : id.error();
}

}  // namespace cm::sim
