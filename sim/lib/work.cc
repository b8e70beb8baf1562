// Regions, shared receive queues, posted work and its completions. source: <rdma/rdma_verbs.h>,
// rdma-core 44 librdmacm/cma.c rdma_create_srq_ex
#include <utility>

#include "sim/fabric/names.h"
#include "sim/lib/library.h"
#include "sim/lib/shared.h"

namespace cm::sim {
Reply Library::CreateSrq(Context c, uint32_t id, bool typed) {
  if (!typed) return Reply::Refused(Errno::kInval);
  if (ids_[id].device == kNoDevice) return Reply::Crashed();
  // A second one replaces the first, which cannot be reached any more.
  if (ids_[id].srq != kNobody) c.verbs->srqs().Destroy(ids_[id].srq);
  ids_[id].srq = c.verbs->srqs().Create();
  return Reply::Returned();
}

Reply Library::DestroySrq(Context c, uint32_t id) {
  if (ids_[id].srq == kNobody) return Reply::Crashed();
  c.verbs->srqs().Destroy(ids_[id].srq);
  ids_[id].srq = kNobody;
  return Reply::Returned();
}

Progress Library::Register(Context c, uint32_t id, const std::vector<uint8_t>& bytes,
                           bool remote_read, bool remote_write) {
  if (ids_[id].device == kNoDevice) return {.reply = Reply::Crashed()};
  const uint32_t region = c.verbs->regions().Register({.remote_read = remote_read,
                                                       .remote_write = remote_write,
                                                       .device = c.fabric->CaOf(ids_[id].device),
                                                       .bytes = bytes});
  regions_.push_back(region);
  return {.reply = Reply::Returned(), .made = region};
}

Progress Library::Deregister(Context c, uint32_t region) {
  c.verbs->regions().Deregister(region);
  BytesDigest digest;
  digest.Add(c.verbs->regions()[region].bytes);
  return {.reply = Reply::Returned(), .handed = BytesHanded{digest.value()}};
}

Reply Library::PostReceive(Context c, uint32_t id, WorkRequest work) {
  const UserId& own = ids_[id];
  if (own.srq != kNobody) return FromErrno(c.verbs->srqs().Post(own.srq, std::move(work)));
  if (own.qp == kNobody) return Reply::Crashed();
  return FromErrno(c.verbs->PostReceive(own.qp, std::move(work)));
}

Reply Library::PostSend(Context c, uint32_t id, WorkRequest work) {
  const UserId& own = ids_[id];
  if (own.qp == kNobody) return Reply::Crashed();
  if (c.verbs->at(own.qp).datagram) {
    const Fabric& fabric = *c.fabric;
    work.to = {fabric.DeviceOf(own.destination), own.service};
    const Gid to = GidOf(own.destination, fabric.topology());
    const Gid from = GidAt(fabric.topology(), own.device, IsMapped(to) ? 0 : 1).value_or(Gid{});
    work.header = RouteHeader(from, to, work.length());
  }
  return FromErrno(c.verbs->PostSend(c, own.qp, std::move(work)));
}

Progress Library::GetCompletion(Context c, uint32_t id, Waiting which) {
  const UserId& own = ids_[id];
  if (own.qp == kNobody) return {.reply = Reply::Crashed()};
  const std::optional<Completion> done =
      which == Waiting::kSentWork ? c.verbs->PollSent(own.qp) : c.verbs->PollReceived(own.qp);
  if (!done) return {.reply = Reply::Blocked(), .ongoing = {.waiting = which, .id = id}};
  return {.reply = Reply::Returned(), .handed = *done};
}

}  // namespace cm::sim
