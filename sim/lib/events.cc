// Fetching and acknowledging: the library's processing of the kernel's events.
#include <utility>

#include "sim/lib/library.h"

namespace cm::sim {
namespace {

// Statuses that the library reports when its own steps failed. source: rdma-core 44 cma.c
constexpr int32_t kLibraryFailure = -1;

}  // namespace

Progress Library::GetCmEvent(Context c, uint32_t channel) {
  for (;;) {
    const Result<response::Event> event =
        Execute(c.kernel, channels_[channel].file, command::GetEvent{});
    if (!event.ok()) {
      if (channels_[channel].nonblocking) return {.reply = Reply::Refused(event.error())};
      return {.reply = Reply::Blocked(),
              .ongoing = {.waiting = Waiting::kEvent, .channel = channel}};
    }
    FetchedEvent fetched;
    // Some events are dropped here: the descriptor was readable, and no event is returned.
    if (Process(c, channel, event.value(), &fetched))
      return {.reply = Reply::Returned(), .made = fetched_.Add(std::move(fetched))};
  }
}

Reply Library::AckCmEvent(uint32_t event) {
  Release(event);
  return Reply::Returned();
}

void Library::Release(uint32_t event) {
  const uint32_t credits = fetched_[event].credits;
  const uint32_t membership = fetched_[event].membership;
  if (membership != kNobody && memberships_.Live(membership))
    ++memberships_[membership].events_completed;
  if (ids_.Live(credits)) ++ids_[credits].events_completed;
  fetched_.Free(event);
}

// False when the event is not for the application.
bool Library::Process(Context c, uint32_t channel, const response::Event& event,
                      FetchedEvent* fetched) {
  if (event.type == EventType::kMulticastJoin || event.type == EventType::kMulticastError) {
    ProcessMembership(c, event, fetched);
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
  switch (event.type) {
    case EventType::kAddrResolved:
      if (QueryAddr(c, id) != Errno::kNone) {
        fetched->event.type = EventType::kAddrError;
        fetched->event.status = kLibraryFailure;
      }
      return true;
    case EventType::kRouteResolved:
      // source: rdma-core 44 cma.c ucma_process_route_resolved
      if (c.profile->transport == Transport::kIwarp) return true;
      if (QueryPath(c, id) != Errno::kNone) {
        fetched->event.type = EventType::kRouteError;
        fetched->event.status = kLibraryFailure;
      }
      return true;
    case EventType::kInternal:
      ProcessInfo(c, fetched);
      return true;
    case EventType::kConnectRequest:
      // A datagram listener reads it as a datagram event, in any port space.
      if (ids_[id].qps_type == QpType::kUd && !IsDatagram(ids_[id].space)) {
        fetched->event.conn = {};
        fetched->event.private_data = {};
      }
      return ProcessRequest(c, channel, event, fetched);
    case EventType::kConnectResponse:
      if (ids_[id].qp == kNobody) ids_[id].remote_ece = event.ece;
      ProcessResponse(c, fetched);
      return true;
    case EventType::kRejected:
    case EventType::kDisconnected:
      if (ids_[id].connect_error) {
        ++ids_[id].events_completed;
        return false;
      }
      if (event.type == EventType::kRejected) QpToError(c, id);
      return true;
    case EventType::kEstablished:
      ids_[id].service = event.qp_num;
      return true;
    default:
      return true;
  }
}

bool Library::ProcessRequest(Context c, uint32_t channel, const response::Event& event,
                             FetchedEvent* fetched) {
  const uint32_t listener = fetched->id;
  const uint32_t id = ids_.Add({.live = true,
                                .responder_resources = event.conn.responder_resources,
                                .initiator_depth = event.conn.initiator_depth,
                                .space = ids_[listener].space,
                                .channel = channel,
                                .handle = event.id,
                                .remote_ece = event.ece});
  Errno error = Errno::kNone;
  if (ids_[listener].synchronous) error = MoveToOwnChannel(c, id);
  if (error != Errno::kNone || QueryAddr(c, id) != Errno::kNone ||
      QueryPath(c, id) != Errno::kNone) {
    // Its device is gone, or similar: the request is dropped, and counts for the listener. A
    // request on another channel stays in the kernel, and the real library frees its own part.
    const Reply destroyed = DestroyId(c, id).reply;
    if (destroyed.kind == ReplyKind::kReturned && !destroyed.succeeded()) FreeId(c, id);
    ++ids_[listener].events_completed;
    return false;
  }
  fetched->id = id;
  fetched->listen_id = listener;
  return true;
}

void Library::ProcessResponse(Context c, FetchedEvent* fetched) {
  const uint32_t id = fetched->id;
  if (ids_[id].qp == kNobody) return;
  Errno error = BringUp(c, id);
  if (error == Errno::kNone)
    error = Execute(c.kernel, FileOf(id), command::Accept{.id = ids_[id].handle});
  if (error == Errno::kNone) {
    fetched->event.type = EventType::kEstablished;
    return;
  }
  QpToError(c, id);
  ids_[id].connect_error = true;
  fetched->event.type = EventType::kConnectError;
  fetched->event.status = kLibraryFailure;
}

}  // namespace cm::sim
