// Regions, shared receive queues, posted work and its completions. source: <rdma/rdma_verbs.h>,
// rdma-core 44 librdmacm/cma.c rdma_create_srq_ex
#include <utility>
#include <vector>

#include "sim/fabric/names.h"
#include "sim/lib/calls.h"
#include "sim/lib/steps.h"
#include "sim/lib/waits.h"

namespace cm::sim {
namespace {

// EINVAL without a type in the extended attributes; crashes without a device.
Progress CreateSrq(const Context& c, Library& library, uint32_t id, bool typed) {
  UserId& own = library.ids[id];
  if (!typed) return Ended(Errno::kInval);
  if (own.device == kNoDevice) return Ended(Reply::Crashed());
  // A second one replaces the first, which cannot be reached any more.
  if (own.srq != kNobody) c.verbs->srqs().Destroy(own.srq);
  own.srq = c.verbs->srqs().Create();
  return {};
}

// `made` is the region, whose content is that of its name; crashes without a device. The function
// decides about remote access.
Progress Register(const Context& c, Library& library, const Named& at, uint32_t length,
                  Region region) {
  const uint8_t device = library.ids[at.id].device;
  if (device == kNoDevice) return Ended(Reply::Crashed());
  region.device = c.fabric->CaOf(device);
  for (uint32_t i = 0; i < length; ++i) region.bytes.push_back(PatternAt(at.region_name, i));
  library.regions.push_back(c.verbs->regions().Register(std::move(region)));
  return {.made = library.regions.back()};
}

WorkRequest RequestOf(const call::Work& x, const Named& at, WcOpcode opcode) {
  WorkRequest request{.opcode = opcode,
                      .context = x.context,
                      .signaled = (x.flags & kSignaled) != 0,
                      .is_inline = (x.flags & kInline) != 0,
                      .solicited = (x.flags & kSolicited) != 0};
  for (size_t i = 0; i < x.sges.size(); ++i)
    request.pieces.push_back({at.regions[i], x.sges[i].offset, x.sges[i].length});
  const uint32_t remote = x.remote.mr.valid() ? at.regions.back() : kNobody;
  request.remote = {remote, x.remote.offset, request.length()};
  return request;
}

// What the provider refuses.
Progress Refused(const Context& c, Errno error) {
  const auto number = static_cast<int32_t>(error);
  return Ended(c.profile->dialect.refused_posts_are_negative ? static_cast<Errno>(-number) : error);
}

// Return the provider's errno (verbs.h); crash without a queue pair, or, to receive, a shared
// queue.
Progress PostReceive(const Context& c, const Library& library, const call::Work& x,
                     const Named& at) {
  const UserId& own = library.ids[at.id];
  WorkRequest work = RequestOf(x, at, WcOpcode::kReceive);
  if (own.srq != kNobody) return Refused(c, c.verbs->srqs().Post(own.srq, std::move(work)));
  if (own.qp == kNobody) return Ended(Reply::Crashed());
  return Refused(c, c.verbs->PostReceive(own.qp, std::move(work)));
}

Progress PostSend(const Context& c, const Library& library, const call::Work& x, const Named& at,
                  WcOpcode opcode) {
  const UserId& own = library.ids[at.id];
  if (own.qp == kNobody) return Ended(Reply::Crashed());
  WorkRequest work = RequestOf(x, at, opcode);
  if (c.verbs->at(own.qp).datagram) {
    const Topology& topology = c.fabric->topology();
    work.to = {c.fabric->DeviceOf(own.destination), own.service};
    const Gid to = GidOf(own.destination, topology);
    const Gid from = SourceGid(topology, own.device, to);
    work.header = RouteHeader(from, to, work.length());
  }
  const Errno refused = c.verbs->CheckSend(own.qp, work);
  if (refused != Errno::kNone) return Refused(c, refused);
  return Ended(c.verbs->PostSend(c, own.qp, std::move(work)));
}

// It polls, asks for an event, polls again, and waits for the event. Crashes without a queue pair.
Progress PollOrWait(const Context& c, const Library& library, const Ongoing& ongoing) {
  const uint32_t qp = library.ids[ongoing.id].qp;
  if (qp == kNobody) return Ended(Reply::Crashed());
  CqEvents& events = c.verbs->EventsOf(qp, ongoing.receives);
  for (;;) {
    if (const std::optional<Completion> done = c.verbs->Poll(qp, ongoing.receives))
      return {.output = *done};
    events.Arm(false);
    if (!events.Take()) return Blocked(ongoing);
  }
}

}  // namespace

Progress Do(const Context& c, Library& library, const call::CreateSrq& /*x*/, const Named& at) {
  return CreateSrq(c, library, at.id, true);
}
Progress Do(const Context& c, Library& library, const call::CreateSrqEx& x, const Named& at) {
  return CreateSrq(c, library, at.id, x.typed);
}

// Crashes without one.
Progress Do(const Context& c, Library& library, const call::DestroySrq& /*x*/, const Named& at) {
  UserId& own = library.ids[at.id];
  if (own.srq == kNobody) return Ended(Reply::Crashed());
  c.verbs->srqs().Destroy(own.srq);
  own.srq = kNobody;
  return {};
}

Progress Do(const Context& c, Library& library, const call::RegMsgs& x, const Named& at) {
  return Register(c, library, at, x.length, {});
}
Progress Do(const Context& c, Library& library, const call::RegRead& x, const Named& at) {
  return Register(c, library, at, x.length, {.remote_read = true});
}
Progress Do(const Context& c, Library& library, const call::RegWrite& x, const Named& at) {
  return Register(c, library, at, x.length, {.remote_write = true});
}

// `output` is the digest of the final content of the region's buffer.
Progress Do(const Context& c, Library& /*library*/, const call::DeregMr& /*x*/, const Named& at) {
  const uint32_t region = at.regions.front();
  c.verbs->regions().Deregister(region);
  BytesDigest digest;
  digest.Add(c.verbs->regions()[region].bytes);
  return {.output = BytesOutput{digest.value()}};
}

Progress Do(const Context& c, Library& library, const call::PostRecv& x, const Named& at) {
  return PostReceive(c, library, x, at);
}
Progress Do(const Context& c, Library& library, const call::PostRecvv& x, const Named& at) {
  return PostReceive(c, library, x, at);
}
Progress Do(const Context& c, Library& library, const call::PostSend& x, const Named& at) {
  return PostSend(c, library, x, at, WcOpcode::kSend);
}
Progress Do(const Context& c, Library& library, const call::PostSendv& x, const Named& at) {
  return PostSend(c, library, x, at, WcOpcode::kSend);
}
Progress Do(const Context& c, Library& library, const call::PostUdSend& x, const Named& at) {
  return PostSend(c, library, x, at, WcOpcode::kSend);
}
Progress Do(const Context& c, Library& library, const call::PostRead& x, const Named& at) {
  return PostSend(c, library, x, at, WcOpcode::kRead);
}
Progress Do(const Context& c, Library& library, const call::PostReadv& x, const Named& at) {
  return PostSend(c, library, x, at, WcOpcode::kRead);
}
Progress Do(const Context& c, Library& library, const call::PostWrite& x, const Named& at) {
  return PostSend(c, library, x, at, WcOpcode::kWrite);
}
Progress Do(const Context& c, Library& library, const call::PostWritev& x, const Named& at) {
  return PostSend(c, library, x, at, WcOpcode::kWrite);
}

// Wait for a completion, which is `output`.
Progress Do(const Context& c, Library& library, const call::GetSendComp& /*x*/, const Named& at) {
  return PollOrWait(c, library, {.waiting = Waiting::kCqEvent, .id = at.id, .polls = true});
}
Progress Do(const Context& c, Library& library, const call::GetRecvComp& /*x*/, const Named& at) {
  return PollOrWait(c, library,
                    {.waiting = Waiting::kCqEvent, .id = at.id, .receives = true, .polls = true});
}

// Crashes without a queue pair. source: man ibv_req_notify_cq(3)
Progress Do(const Context& c, Library& library, const call::ReqNotifyCq& x, const Named& at) {
  const uint32_t qp = library.ids[at.id].qp;
  if (qp == kNobody) return Ended(Reply::Crashed());
  c.verbs->EventsOf(qp, x.receives).Arm(x.solicited_only);
  return {};
}

// Blocked without an event; crashes without a queue pair. source: man ibv_get_cq_event(3)
Progress Do(const Context& c, Library& library, const call::GetCqEvent& x, const Named& at) {
  return TakeCqEvent(c, library,
                     {.waiting = Waiting::kCqEvent, .id = at.id, .receives = x.receives});
}

// Crashes without a queue pair. source: man ibv_ack_cq_events(3)
Progress Do(const Context& /*c*/, Library& library, const call::AckCqEvents& x, const Named& at) {
  if (library.ids[at.id].qp == kNobody) return Ended(Reply::Crashed());
  library.ids[at.id].cq_events_unacked[x.receives ? 1 : 0] -= x.events;
  return {};
}

Progress TakeCqEvent(const Context& c, Library& library, const Ongoing& ongoing) {
  const uint32_t qp = library.ids[ongoing.id].qp;
  if (qp == kNobody) return Ended(Reply::Crashed());
  if (!c.verbs->EventsOf(qp, ongoing.receives).Take()) return Blocked(ongoing);
  if (ongoing.polls) return PollOrWait(c, library, ongoing);
  ++library.ids[ongoing.id].cq_events_unacked[ongoing.receives ? 1 : 0];
  return {};
}

}  // namespace cm::sim
