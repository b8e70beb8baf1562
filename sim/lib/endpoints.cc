// Endpoints: ids that one call creates, binds or resolves, and gives a queue pair. source:
// rdma-core 44 librdmacm/cma.c rdma_create_ep, ucma_passive_ep, rdma_destroy_ep
#include "sim/lib/library.h"

namespace cm::sim {
namespace {

constexpr int32_t kTimeoutMs = 2000;

}  // namespace

// Undoes all steps so far.
Progress Library::FailEp(Context c, uint32_t id, Reply reply) {
  if (reply.kind == ReplyKind::kReturned) static_cast<void>(DestroyEp(c, id));
  return {.reply = reply};
}

Progress Library::CreateEp(Context c, const call::CreateEp& call) {
  const Progress created = CreateId(c, kNobody, call.space);
  if (!created.reply.succeeded()) return created;
  const uint32_t id = created.made;
  if (call.passive) {
    const Reply bound = BindAddr(c, id, call.source);
    if (!bound.succeeded()) return FailEp(c, id, bound);
    ids_[id].gives_qps = call.with_qp;
    ids_[id].qps_type = call.type;
    return {.reply = bound, .made = id};
  }
  const Reply started = ResolveAddr(c, id, {{}, call.source, call.destination, kTimeoutMs});
  if (!started.succeeded()) return FailEp(c, id, started);
  return GoOnWithEp(
      c, {.waiting = Waiting::kEpAddress, .id = id, .with_qp = call.with_qp, .type = call.type});
}

// Each step waits for the next event of the channel, of any type.
Progress Library::GoOnWithEp(Context c, const Ongoing& ongoing) {
  AckRetained(ongoing.id);
  const Progress got = TakeCompletion(c, ongoing);
  if (got.reply.kind == ReplyKind::kBlocked) return got;
  if (!got.reply.succeeded()) return FailEp(c, ongoing.id, got.reply);
  if (ongoing.waiting == Waiting::kEpRoute) return FinishEp(c, ongoing);
  const Reply started = ResolveRoute(c, ongoing.id, kTimeoutMs);
  if (!started.succeeded()) return FailEp(c, ongoing.id, started);
  Ongoing next = ongoing;
  next.waiting = Waiting::kEpRoute;
  return GoOnWithEp(c, next);
}

Progress Library::FinishEp(Context c, const Ongoing& ongoing) {
  Reply made = Reply::Returned();
  if (ongoing.with_qp) made = CreateQp(c, ongoing.id, ongoing.type);
  if (!made.succeeded()) return FailEp(c, ongoing.id, made);
  return {.reply = made, .made = ongoing.id};
}

// The queue pair is destroyed first, in every state of the id; errors are ignored.
Progress Library::DestroyEp(Context c, uint32_t id) {
  if (ids_[id].qp != kNobody) static_cast<void>(DestroyQp(c, id));
  return DestroyId(c, id);
}

}  // namespace cm::sim
