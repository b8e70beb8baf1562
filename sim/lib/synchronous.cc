// Synchronous mode: ids with a channel of their own, and calls that wait for their event on it.
// source: rdma-core 44 librdmacm/cma.c ucma_complete, rdma_get_request, rdma_migrate_id
#include "sim/lib/library.h"

namespace cm::sim {

uint32_t Library::OpenPrivateChannel(Context c) {
  Channel channel;
  channel.file = c.kernel.cma->files.Open(kernel_);
  return channels_.Add(channel);
}

// Its unread events are dropped, and requests that the listener has not read are destroyed.
void Library::ClosePrivateChannel(Context c, uint32_t channel) {
  CloseFile(c.kernel, channels_[channel].file);
  channels_.Free(channel);
}

void Library::AckRetained(uint32_t id) {
  const uint32_t event = ids_[id].event;
  if (event == kNobody) return;
  ids_[id].event = kNobody;
  Release(event);
}

Progress Library::Complete(Context c, uint32_t id, Reply started) {
  if (!started.succeeded() || !ids_[id].synchronous) return {.reply = started};
  AckRetained(id);
  return TakeCompletion(c, {.waiting = Waiting::kCompletion, .id = id});
}

Progress Library::CompleteAccept(Context c, uint32_t id, Reply started) {
  if (!IsDatagram(ids_[id].space)) return Complete(c, id, started);
  const bool releases = c.profile->dialect.accept_releases_datagram_request;
  if (releases && started.succeeded() && ids_[id].synchronous) AckRetained(id);
  return {.reply = started};
}

// The next event, of any type: the library does not check it.
Progress Library::TakeCompletion(Context c, const Ongoing& ongoing) {
  const Progress got = GetCmEvent(c, ids_[ongoing.id].channel);
  if (got.reply.kind == ReplyKind::kBlocked) return {.reply = got.reply, .ongoing = ongoing};
  ids_[ongoing.id].event = got.made;
  const CmEvent& event = fetched_[got.made].event;
  if (event.status == 0) return {.reply = Reply::Returned()};
  if (event.type == EventType::kRejected) return {.reply = Reply::Refused(Errno::kConnRefused)};
  const int64_t status = event.status;
  const int64_t number = status < 0 ? -status : status;
  return {.reply = Reply::Refused(static_cast<Errno>(number))};
}

Progress Library::GetRequest(Context c, uint32_t listener) {
  if (!ids_[listener].synchronous) return {.reply = Reply::Refused(Errno::kInval)};
  AckRetained(listener);
  return TakeRequest(c, {.waiting = Waiting::kRequest, .id = listener});
}

Progress Library::TakeRequest(Context c, const Ongoing& ongoing) {
  const Progress got = GetCmEvent(c, ids_[ongoing.id].channel);
  if (got.reply.kind == ReplyKind::kBlocked) return {.reply = got.reply, .ongoing = ongoing};
  const CmEvent& event = fetched_[got.made].event;
  if (event.type == EventType::kConnectRequest && event.status == 0) {
    const uint32_t request = fetched_[got.made].id;
    if (ids_[ongoing.id].gives_qps) {
      const Reply made = CreateQp(c, request, ids_[ongoing.id].qps_type);
      if (!made.succeeded()) {
        // The new id is not returned, and leaks.
        ids_[ongoing.id].event = got.made;
        return {.reply = made};
      }
    }
    ids_[request].event = got.made;
    return {.reply = Reply::Returned(), .made = request};
  }
  ids_[ongoing.id].event = got.made;
  Errno error = Errno::kInval;
  if (event.type == EventType::kRejected)
    error = Errno::kConnRefused;
  else if (event.status != 0)
    error = static_cast<Errno>(-int64_t{event.status});
  return {.reply = Reply::Refused(error)};
}

// The id of a request leaves the channel of its listener before rdma_get_request returns.
Errno Library::MoveToOwnChannel(Context c, uint32_t id) {
  const uint32_t own = OpenPrivateChannel(c);
  const Result<uint32_t> reported = Execute(
      c.kernel, channels_[own].file, command::MigrateId{.id = ids_[id].handle, .from = FileOf(id)});
  if (!reported.ok()) {
    ClosePrivateChannel(c, own);
    return reported.error();
  }
  ids_[id].channel = own;
  ids_[id].synchronous = true;
  return Errno::kNone;
}

}  // namespace cm::sim
