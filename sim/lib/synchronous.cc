// Calls that wait: ids with a channel of their own, calls that wait for their event on it, and
// endpoints, which one call creates and resolves. source: rdma-core 44 librdmacm/cma.c
// ucma_complete, rdma_get_request, rdma_create_ep
#include "sim/lib/calls.h"
#include "sim/lib/steps.h"
#include "sim/lib/waits.h"

namespace cm::sim {
namespace {

constexpr int32_t kEpTimeoutMs = 2000;

// The queue pair is destroyed first, in every state of the id; errors are ignored.
Progress DestroyEp(const Context& c, Library& library, uint32_t id) {
  if (library.ids[id].qp != kNobody) static_cast<void>(DestroyQp(c, library, id));
  return FinishDestroyQp(c, library, {.waiting = Waiting::kEpCqAcks, .id = id});
}

// Undoes all steps so far.
Progress FailEp(const Context& c, Library& library, uint32_t id, const Reply& reply) {
  if (reply.kind == ReplyKind::kReturned) static_cast<void>(DestroyEp(c, library, id));
  return Ended(reply);
}

}  // namespace

uint32_t OpenPrivateChannel(const Context& c, Library& library) {
  return library.channels.Add({.file = c.kernel.cma->files.Open(library.kernel)});
}

// Its unread events are dropped, and requests that the listener has not read are destroyed.
void ClosePrivateChannel(const Context& c, Library& library, uint32_t channel) {
  CloseFile(c.kernel, library.channels[channel].file);
  library.channels.Free(channel);
}

Errno MoveToOwnChannel(const Context& c, Library& library, uint32_t id) {
  UserId& own = library.ids[id];
  const uint32_t channel = OpenPrivateChannel(c, library);
  const Result<uint32_t> reported =
      Execute(c.kernel, library.channels[channel].file,
              command::MigrateId{.id = own.handle, .from = library.FileOf(id)});
  if (!reported.ok()) {
    ClosePrivateChannel(c, library, channel);
    return reported.error();
  }
  own.channel = channel;
  own.synchronous = true;
  return Errno::kNone;
}

void AckRetained(Library& library, uint32_t id) {
  const uint32_t event = library.ids[id].event;
  if (event == kNobody) return;
  library.ids[id].event = kNobody;
  Release(library, event);
}

Progress Complete(const Context& c, Library& library, uint32_t id, const Reply& started) {
  if (!started.succeeded() || !library.ids[id].synchronous) return Ended(started);
  AckRetained(library, id);
  return TakeCompletion(c, library, {.waiting = Waiting::kCompletion, .id = id});
}

// The next event, of any type: the library does not check it.
Progress TakeCompletion(const Context& c, Library& library, const Ongoing& ongoing) {
  const Progress got = GetCmEvent(c, library, library.ids[ongoing.id].channel);
  if (got.reply.kind == ReplyKind::kBlocked) return Blocked(ongoing);
  library.ids[ongoing.id].event = got.made;
  const CmEvent& event = library.events[got.made].event;
  if (event.status == 0) return {};
  if (event.type == EventType::kRejected) return Ended(Errno::kConnRefused);
  const int64_t status = event.status;
  return Ended(static_cast<Errno>(status < 0 ? -status : status));
}

// `made` is the id of the next request; waits for it. EINVAL on an id that is not synchronous, or
// for an event that is no request; the status of a failure event, or of the queue pair's creation.
// source: man rdma_get_request(3)
Progress Do(const Context& c, Library& library, const call::GetRequest& /*x*/, const Named& at) {
  if (!library.ids[at.id].synchronous) return Ended(Errno::kInval);
  AckRetained(library, at.id);
  return TakeRequest(c, library, {.waiting = Waiting::kRequest, .id = at.id});
}

Progress TakeRequest(const Context& c, Library& library, const Ongoing& ongoing) {
  const Progress got = GetCmEvent(c, library, library.ids[ongoing.id].channel);
  if (got.reply.kind == ReplyKind::kBlocked) return Blocked(ongoing);
  UserId& listener = library.ids[ongoing.id];
  const CmEvent& event = library.events[got.made].event;
  if (event.type == EventType::kConnectRequest && event.status == 0) {
    const uint32_t request = library.events[got.made].id;
    Reply made = Reply::Returned();
    if (listener.gives_qps) made = CreateQp(c, library, request, listener.qps_type);
    // After a failure the new id is not returned, and leaks.
    (made.succeeded() ? library.ids[request] : listener).event = got.made;
    return {.reply = made, .made = request};
  }
  listener.event = got.made;
  if (event.status != 0 && c.profile->dialect.get_request_sets_status)
    return Ended(static_cast<Errno>(event.status));
  if (event.type == EventType::kRejected) return Ended(Errno::kConnRefused);
  if (event.status != 0) return Ended(static_cast<Errno>(-int64_t{event.status}));
  return Ended(Errno::kInval);
}

// `made` is the id. Waits for each resolution; returns the error of the step that fails, and then
// leaves no id. source: man rdma_create_ep(3), rdma-core 44 cma.c ucma_passive_ep
Progress Do(const Context& c, Library& library, const call::CreateEp& x, const Named& /*at*/) {
  const Progress created = Do(c, library, call::CreateId{.space = x.space}, Named{});
  if (!created.reply.succeeded()) return created;
  const uint32_t id = created.made;
  if (x.passive) {
    const Reply bound = Do(c, library, call::BindAddr{.address = x.source}, {.id = id}).reply;
    if (!bound.succeeded()) return FailEp(c, library, id, bound);
    library.ids[id].gives_qps = x.with_qp;
    library.ids[id].qps_type = x.type;
    return created;
  }
  const Reply started = ResolveAddr(c, library, id, {{}, x.source, x.destination, kEpTimeoutMs});
  if (!started.succeeded()) return FailEp(c, library, id, started);
  return GoOnWithEp(
      c, library, {.waiting = Waiting::kEpAddress, .id = id, .with_qp = x.with_qp, .type = x.type});
}

// Each step waits for the next event of the channel, of any type.
Progress GoOnWithEp(const Context& c, Library& library, Ongoing ongoing) {
  const uint32_t id = ongoing.id;
  for (;;) {
    AckRetained(library, id);
    const Progress got = TakeCompletion(c, library, ongoing);
    if (got.reply.kind == ReplyKind::kBlocked) return got;
    if (!got.reply.succeeded()) return FailEp(c, library, id, got.reply);
    if (ongoing.waiting == Waiting::kEpRoute) break;
    const Reply started = ResolveRoute(c, library, id, kEpTimeoutMs);
    if (!started.succeeded()) return FailEp(c, library, id, started);
    ongoing.waiting = Waiting::kEpRoute;
  }
  const Reply made = ongoing.with_qp ? CreateQp(c, library, id, ongoing.type) : Reply::Returned();
  if (!made.succeeded()) return FailEp(c, library, id, made);
  return {.made = id};
}

// rdma_destroy_qp, ignoring its errors, and rdma_destroy_id. source: man rdma_destroy_ep(3)
Progress Do(const Context& c, Library& library, const call::DestroyEp& /*x*/, const Named& at) {
  return DestroyEp(c, library, at.id);
}

}  // namespace cm::sim
