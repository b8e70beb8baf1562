// Event channels and ids: creating, binding, resolving, destroying. source: rdma-core 44
// librdmacm/cma.c
#include "sim/lib/calls.h"
#include "sim/lib/steps.h"
#include "sim/lib/waits.h"

namespace cm::sim {

// Opens a file of the device; `made` is the channel. Never fails.
Progress Do(const Context& c, Library& library, const call::CreateEventChannel& x,
            const Named& /*at*/) {
  return {.made = library.channels.Add(
              {.nonblocking = x.nonblocking, .file = c.kernel.cma->files.Open(library.kernel)})};
}

// Closes the file; blocks while an id of it has an outstanding message. Never refused.
Progress Do(const Context& c, Library& library, const call::DestroyEventChannel& /*x*/,
            const Named& at) {
  CloseFile(c.kernel, library.channels[at.channel].file);
  return FinishClose(c, library, {.waiting = Waiting::kChannelClose, .channel = at.channel});
}

Progress FinishClose(const Context& c, Library& library, const Ongoing& ongoing) {
  if (c.kernel.cma->files.IsOpen(library.channels[ongoing.channel].file)) return Blocked(ongoing);
  library.channels.Free(ongoing.channel);
  return {};
}

// `made` is the id, which is synchronous without a channel. EINVAL for an unknown port space.
Progress Do(const Context& c, Library& library, const call::CreateId& x, const Named& at) {
  const bool synchronous = at.channel == kNobody;
  const uint32_t channel = synchronous ? OpenPrivateChannel(c, library) : at.channel;
  const uint32_t id =
      library.ids.Add({.synchronous = synchronous, .space = x.space, .channel = channel});
  // The id's index plus one is the kernel's uid of every event: never 0.
  const Result<uint32_t> handle =
      Write(c, library, id, command::CreateId{.uid = id + 1, .space = x.space});
  if (!handle.ok()) {
    FreeId(c, library, id);
    return Ended(handle.error());
  }
  library.ids[id].handle = handle.value();
  return {.made = id};
}

void FreeId(const Context& c, Library& library, uint32_t id) {
  const UserId& own = library.ids[id];
  // A queue pair outlives its id: it belongs to the program. Here the program drops it.
  if (own.qp != kNobody) {
    c.verbs->SendRest(c, own.qp);
    c.verbs->Destroy(own.qp);
  }
  if (own.srq != kNobody) c.verbs->srqs().Destroy(own.srq);
  if (own.synchronous) ClosePrivateChannel(c, library, own.channel);
  FreeMemberships(library, id);
  library.ids.Free(id);
}

// Blocks until the fetched events of the id are acknowledged, and its messages are given up.
// source: man rdma_destroy_id(3)
Progress Do(const Context& c, Library& library, const call::DestroyId& /*x*/, const Named& at) {
  return DestroyId(c, library, at.id);
}

Progress DestroyId(const Context& c, Library& library, uint32_t id) {
  const Result<response::DestroyId> destroyed =
      Write(c, library, id, command::DestroyId{library.ids[id].handle});
  if (!destroyed.ok()) return Ended(destroyed.error());
  const auto& [finished, ticket, events_reported] = destroyed.value();
  return FinishDestroy(c, library,
                       {.waiting = finished ? Waiting::kAcks : Waiting::kKernelDestroy,
                        .id = id,
                        .ticket = ticket,
                        .events_reported = events_reported});
}

Progress FinishDestroy(const Context& c, Library& library, Ongoing ongoing) {
  if (ongoing.waiting == Waiting::kKernelDestroy) {
    const std::optional<uint32_t> reported = c.kernel.cma->destroys.Take(ongoing.ticket);
    if (!reported) return Blocked(ongoing);
    ongoing.events_reported = *reported;
    ongoing.waiting = Waiting::kAcks;
  }
  AckRetained(library, ongoing.id);
  if (library.ids[ongoing.id].events_completed < ongoing.events_reported) return Blocked(ongoing);
  FreeId(c, library, ongoing.id);
  return {};
}

// Blocks until the events fetched from the old channel are acknowledged. EINVAL when a synchronous
// id is to be synchronous again. The command is written to the new file; then the id leaves the old
// channel, and last the call waits for acknowledgements. source: man rdma_migrate_id(3)
Progress Do(const Context& c, Library& library, const call::MigrateId& /*x*/, const Named& at) {
  UserId& own = library.ids[at.id];
  const bool synchronous = at.channel == kNobody;
  if (synchronous && own.synchronous) return Ended(Errno::kInval);
  const uint32_t channel = synchronous ? OpenPrivateChannel(c, library) : at.channel;
  const Result<uint32_t> reported =
      Execute(c.kernel, library.channels[channel].file,
              command::MigrateId{.id = own.handle, .from = library.FileOf(at.id)});
  if (!reported.ok()) {
    if (synchronous) ClosePrivateChannel(c, library, channel);
    return Ended(reported.error());
  }
  if (own.synchronous) {
    AckRetained(library, at.id);
    ClosePrivateChannel(c, library, own.channel);
  }
  own.channel = channel;
  own.synchronous = synchronous;
  return FinishMigration(
      library,
      {.waiting = Waiting::kMigrationAcks, .id = at.id, .events_reported = reported.value()});
}

Progress FinishMigration(const Library& library, const Ongoing& ongoing) {
  const bool acked = library.ids[ongoing.id].events_completed >= ongoing.events_reported;
  return acked ? Progress{} : Blocked(ongoing);
}

// ENOSYS for an unknown option, EINVAL for a wrong length. source: man rdma_set_option(3)
Progress Do(const Context& c, Library& library, const call::SetOption& x, const Named& at) {
  return Ended(Write(c, library, at.id,
                     command::SetOption{.id = library.ids[at.id].handle,
                                        .option = x.option,
                                        .value = x.value,
                                        .length = x.length}));
}

Errno QueryAddr(const Context& c, Library& library, uint32_t id) {
  UserId& own = library.ids[id];
  const Result<response::QueryAddr> answer =
      Execute(c.kernel, library.FileOf(id), command::QueryAddr{own.handle});
  if (!answer.ok()) return answer.error();
  own.source = answer.value().source;
  // One that the kernel has forgotten has no length.
  if (answer.value().destination.kind != AddressKind::kNone)
    own.destination = answer.value().destination;
  if (own.device == kNoDevice && answer.value().device != kNoDevice) {
    own.device = answer.value().device;
    own.port_num = answer.value().port_num;
  }
  return Errno::kNone;
}

Errno QueryPath(const Context& c, Library& library, uint32_t id) {
  const Result<response::QueryPath> answer =
      Execute(c.kernel, library.FileOf(id), command::QueryPath{library.ids[id].handle});
  if (!answer.ok()) return answer.error();
  library.ids[id].num_paths = answer.value().num_paths;
  return Errno::kNone;
}

// EINVAL for an unknown family. source: man rdma_bind_addr(3)
Progress Do(const Context& c, Library& library, const call::BindAddr& x, const Named& at) {
  if (!FamilyKnown(x.address)) return Ended(Errno::kInval);
  const Errno error = Write(c, library, at.id, command::Bind{library.ids[at.id].handle, x.address});
  return Ended(error != Errno::kNone ? error : QueryAddr(c, library, at.id));
}

// Binds an unbound id first, as the kernel does. source: man rdma_listen(3)
Progress Do(const Context& c, Library& library, const call::Listen& x, const Named& at) {
  const Errno error =
      Write(c, library, at.id, command::Listen{library.ids[at.id].handle, x.backlog});
  return Ended(error != Errno::kNone ? error : QueryAddr(c, library, at.id));
}

// Starts the resolution, which ADDR_RESOLVED or ADDR_ERROR ends. EINVAL for an unknown family.
// source: man rdma_resolve_addr(3)
Progress Do(const Context& c, Library& library, const call::ResolveAddr& x, const Named& at) {
  return Complete(c, library, at.id, ResolveAddr(c, library, at.id, x));
}

Reply ResolveAddr(const Context& c, Library& library, uint32_t id, const call::ResolveAddr& x) {
  UserId& own = library.ids[id];
  if (!FamilyKnown(x.destination) || x.source.kind == AddressKind::kBadFamily)
    return Reply::Refused(Errno::kInval);
  const Errno error = Write(c, library, id,
                            command::ResolveAddr{.id = own.handle,
                                                 .source = x.source,
                                                 .destination = x.destination,
                                                 .timeout_ms = x.timeout_ms});
  if (error != Errno::kNone) return Reply::Refused(error);
  own.destination = x.destination;
  return Reply::Returned();
}

// Starts the resolution, which ROUTE_RESOLVED or ROUTE_ERROR ends. Crashes without a device: the
// library reads id->verbs. source: rdma-core 44 cma.c rdma_resolve_route
Progress Do(const Context& c, Library& library, const call::ResolveRoute& x, const Named& at) {
  return Complete(c, library, at.id, ResolveRoute(c, library, at.id, x.timeout_ms));
}

Reply ResolveRoute(const Context& c, Library& library, uint32_t id, int32_t timeout_ms) {
  const UserId& own = library.ids[id];
  if (own.device == kNoDevice) return Reply::Crashed();
  return Ended(Write(c, library, id, command::ResolveRoute{own.handle, timeout_ms})).reply;
}

Progress Do(const Context& /*c*/, Library& library, const call::GetSrcPort& /*x*/,
            const Named& at) {
  return {.output = PortOutput{library.ids[at.id].source.port}};
}

Progress Do(const Context& /*c*/, Library& library, const call::GetDstPort& /*x*/,
            const Named& at) {
  return {.output = PortOutput{library.ids[at.id].destination.port}};
}

// Not functions of the library: Show and the id's retained event answer them.
Progress Do(const Context& /*c*/, Library& /*library*/, const call::Show& /*x*/,
            const Named& /*at*/) {
  return {};
}

Progress Do(const Context& /*c*/, Library& /*library*/, const call::ShowEvent& /*x*/,
            const Named& /*at*/) {
  return {};
}

Shown Show(const Context& c, const Library& library, uint32_t id) {
  const UserId& own = library.ids[id];
  Shown shown;
  shown.device_known = own.device != kNoDevice;
  shown.device = shown.device_known ? c.fabric->CaOf(own.device) : uint8_t{0};
  shown.port_num = own.port_num;
  shown.source = own.source;
  shown.destination = own.destination;
  shown.num_paths = own.num_paths;
  if (own.qp != kNobody) shown.qp = c.verbs->at(own.qp).state;
  if (shown.qp && OverIwarp(c)) shown.qp = QpState::kReset;  // reported for every queue pair
  return shown;
}

}  // namespace cm::sim
