// Fetching, acknowledging and writing events: the library's processing of the kernel's events.
// source: rdma-core 44 librdmacm/cma.c
#include <utility>

#include "model/vocabulary/ece.h"
#include "sim/lib/calls.h"
#include "sim/lib/steps.h"
#include "sim/lib/waits.h"

namespace cm::sim {
namespace {

// False when the request is not for the application.
bool ProcessRequest(const Context& c, Library& library, uint32_t channel,
                    const response::Event& event, FetchedEvent* fetched) {
  const uint32_t listener = fetched->id;
  // A datagram listener reads it as a datagram event, in any port space.
  if (library.ids[listener].qps_type == QpType::kUd && !IsDatagram(library.ids[listener].space)) {
    fetched->event.conn = {};
    fetched->event.private_data = {};
  }
  const uint32_t id = library.ids.Add({.responder_resources = event.conn.responder_resources,
                                       .initiator_depth = event.conn.initiator_depth,
                                       .space = library.ids[listener].space,
                                       .channel = channel,
                                       .handle = event.id,
                                       .remote_ece = event.ece});
  Errno error = Errno::kNone;
  if (library.ids[listener].synchronous) error = MoveToOwnChannel(c, library, id);
  if (error != Errno::kNone || QueryAddr(c, library, id) != Errno::kNone ||
      QueryPath(c, library, id) != Errno::kNone) {
    // Its device is gone, or similar: the request is dropped, and counts for the listener. A
    // request on another channel stays in the kernel, and the real library frees its own part.
    const Reply destroyed = DestroyId(c, library, id).reply;
    if (destroyed.kind == ReplyKind::kReturned && !destroyed.succeeded()) FreeId(c, library, id);
    ++library.ids[listener].events_completed;
    return false;
  }
  fetched->id = id;
  fetched->listen_id = listener;
  return true;
}

// False where the reply has the ECE vendor id of another vendor than that of the queue pair; one
// without a vendor id leaves out the options. source: rdma-core 44 cma.c ucma_process_conn_resp_ece
bool TakeVendor(const EceOptions& received, UserId* own) {
  if (received.vendor_id != 0 && received.vendor_id != own->local_ece.vendor_id) return false;
  own->remote_ece.vendor_id = received.vendor_id;
  return true;
}

void ProcessResponse(const Context& c, Library& library, const response::Event& event,
                     FetchedEvent* fetched) {
  const uint32_t id = fetched->id;
  UserId& own = library.ids[id];
  if (own.qp == kNobody) {
    own.remote_ece = event.ece;
    return;
  }
  Errno error = TakeVendor(event.ece, &own) ? BringUp(c, library, id, false) : Errno::kInval;
  if (error == Errno::kNone) error = Write(c, library, id, command::Accept{.id = own.handle});
  if (error == Errno::kNone) {
    fetched->event.type = EventType::kEstablished;
    return;
  }
  QpToError(c, library, id);
  own.connect_error = true;
  Fail(fetched, EventType::kConnectError);
}

// False when the event is not for the application.
bool Process(const Context& c, Library& library, uint32_t channel, const response::Event& event,
             FetchedEvent* fetched) {
  if (event.type == EventType::kMulticastJoin || event.type == EventType::kMulticastError) {
    ProcessMembership(c, library, event, fetched);
    return true;
  }
  const auto id = static_cast<uint32_t>(event.uid - 1);
  fetched->credits = id;
  fetched->id = id;
  fetched->event.type = event.type;
  fetched->event.status = event.status;
  fetched->event.conn = event.conn;
  fetched->event.qp_num = event.qp_num;
  fetched->event.qkey = event.qkey;
  fetched->event.argument = event.argument;
  fetched->event.private_data = event.private_data;
  if (event.type == EventType::kAddrResolved) {
    if (QueryAddr(c, library, id) != Errno::kNone) Fail(fetched, EventType::kAddrError);
  } else if (event.type == EventType::kRouteResolved) {
    // source: rdma-core 44 cma.c ucma_process_route_resolved
    if (!OverIwarp(c) && QueryPath(c, library, id) != Errno::kNone)
      Fail(fetched, EventType::kRouteError);
  } else if (event.type == EventType::kInternal) {
    ProcessInfo(c, library, fetched);
  } else if (event.type == EventType::kConnectRequest) {
    return ProcessRequest(c, library, channel, event, fetched);
  } else if (event.type == EventType::kConnectResponse) {
    ProcessResponse(c, library, event, fetched);
  } else if (event.type == EventType::kEstablished) {
    library.ids[id].service = event.qp_num;
  } else if (event.type == EventType::kRejected || event.type == EventType::kDisconnected) {
    if (library.ids[id].connect_error) {
      ++library.ids[id].events_completed;
      return false;
    }
    if (event.type == EventType::kRejected) QpToError(c, library, id);
  }
  return true;
}

}  // namespace

// `made` is the event. Blocks on an empty channel; EAGAIN on a non-blocking one.
// source: man rdma_get_cm_event(3)
Progress Do(const Context& c, Library& library, const call::GetCmEvent& /*x*/, const Named& at) {
  return GetCmEvent(c, library, at.channel);
}

Progress GetCmEvent(const Context& c, Library& library, uint32_t channel) {
  for (;;) {
    const Result<response::Event> event =
        Execute(c.kernel, library.channels[channel].file, command::GetEvent{});
    if (!event.ok()) {
      if (library.channels[channel].nonblocking) return Ended(event.error());
      return Blocked({.waiting = Waiting::kEvent, .channel = channel});
    }
    FetchedEvent fetched;
    // Some events are dropped here: the descriptor was readable, and no event is returned.
    if (Process(c, library, channel, event.value(), &fetched))
      return {.made = library.events.Add(std::move(fetched))};
  }
}

bool Readable(const Context& c, const Library& library, uint32_t channel) {
  return c.kernel.cma->files.Readable(library.channels[channel].file);
}

// Frees the event; may release a destroy, a migration or a leave. Never refused.
// source: man rdma_ack_cm_event(3)
Progress Do(const Context& /*c*/, Library& library, const call::AckCmEvent& /*x*/,
            const Named& at) {
  Release(library, at.event);
  return {};
}

void Release(Library& library, uint32_t event) {
  const uint32_t credits = library.events[event].credits;
  const uint32_t membership = library.events[event].membership;
  if (membership != kNobody && library.memberships.Live(membership))
    ++library.memberships[membership].events_completed;
  if (library.ids.Live(credits)) ++library.ids[credits].events_completed;
  library.events.Free(event);
}

// EINVAL for another type than USER. source: rdma-core 65 cma.c rdma_write_cm_event
Progress Do(const Context& c, Library& library, const call::WriteCmEvent& x, const Named& at) {
  if (x.type != static_cast<uint8_t>(EventType::kUser)) return Ended(Errno::kInval);
  return Ended(Write(c, library, at.id,
                     command::WriteCmEvent{.id = library.ids[at.id].handle,
                                           .type = EventType::kUser,
                                           .status = x.status,
                                           .argument = x.argument}));
}

// A library with the events of map 1.4 names the first two of them. source: man rdma_event_str(3)
Progress Do(const Context& c, Library& /*library*/, const call::EventStr& x, const Named& /*at*/) {
  const bool later = c.profile->capabilities.Has(Capability::kLaterCalls);
  const bool known = x.type < kFirstEventTypeCount || (later && x.type < kFirstEventTypeCount + 2);
  return {.output = TextOutput::Of(known ? ToString(static_cast<EventType>(x.type))
                                         : std::string_view("UNKNOWN EVENT"))};
}

}  // namespace cm::sim
