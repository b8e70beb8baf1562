#include "sim/world/world.h"

#include <algorithm>

#include "model/base/check.h"
#include "sim/rdma_cm/ib_transport.h"
#include "sim/rdma_cm/iw_transport.h"
#include "sim/rdma_cm/transports.h"

namespace cm::sim {

namespace {

// A stream beside the world's own, so that draws of one do not influence the other.
StreamState DelaysOf(StreamState coins) {
  coins.stream ^= NamedStream(0, "delays").stream;
  return coins;
}

// Those of a kernel that go before others that are due in the same tick.
// source: linux 6.1 timer.c enqueue_timer, mad.c wait_for_response
bool IsTimer(const Event& event) {
  return event.kind() == EventKind::kMadTimer || event.kind() == EventKind::kTimewaitOver;
}

}  // namespace

World::World(const Topology* topology, const Profile* profile, StreamState coins)
    : topology_(topology),
      profile_(profile),
      transport_(&TransportOf(*profile)),
      stream_(coins),
      fabric_(topology, profile, DelaysOf(coins)),
      verbs_(*topology) {
  for (uint8_t side = 0; side < topology->sides.size(); ++side)
    libraries_.push_back({.kernel = topology->KernelOf(side)});
}

Library::Context World::Context() {
  return {{&agenda_, &fabric_, profile_, memory_.lent}, Kernel(), &verbs_};
}

size_t World::PickThread(size_t ready) {
  RandomChoice coin(&stream_);
  return coin.Below(ready, "which thread is first");
}

void World::Step(Choice* order) {
  agenda_.VisitNearing([this](auto coming, auto near) { ib_.ids().PrefetchNearing(coming, near); });
  const Event event = TakeNext(order);
  journal_.Note(event);
  Happens(event);
  GoOn();
}

// Both are messages of one link.
bool World::IsBehind(const Event& later, const Event& earlier) const {
  if (later.kind() != earlier.kind()) return false;
  if (later.kind() == EventKind::kPacketArrives) {
    const Slab<Packet>& packets = fabric_.packets();
    if (!packets.Live(later.on()) || !packets.Live(earlier.on())) return false;
    const Packet& a = packets[later.on()];
    const Packet& b = packets[earlier.on()];
    return a.from == b.from && a.to == b.to;
  }
  if (later.kind() != EventKind::kFrameArrives) return false;
  const auto& frames = iw_.frames();
  const FrameIndex a(later.on());
  const FrameIndex b(earlier.on());
  return frames.Live(a) && frames.Live(b) && frames[a].from_device == frames[b].from_device &&
         frames[a].to_device == frames[b].to_device;
}

Event World::TakeNext(Choice* order) {
  const size_t together = order == nullptr ? 1 : agenda_.Together();
  if (together == 1) return agenda_.Take();
  std::vector<size_t> first;
  for (size_t later = 0; later < together; ++later) {
    const bool behind = std::ranges::any_of(first, [&](size_t earlier) {
      return IsBehind(agenda_.Peek(later), agenda_.Peek(earlier));
    });
    if (!behind) first.push_back(later);
  }
  if (first.size() == 1) return agenda_.Take();
  std::vector<size_t> timers;
  for (const size_t nth : first)
    if (IsTimer(agenda_.Peek(nth))) timers.push_back(nth);
  for (size_t& nth : first) {
    if (!IsTimer(agenda_.Peek(nth))) continue;
    nth = timers.back();
    timers.pop_back();
  }
  return agenda_.Take(first[order->Below(first.size(), "which event is first")]);
}

// A thread within a synchronous call continues as soon as its event is there: a peer may be waiting
// for the library's reaction to the event.
void World::GoOn() {
  for (WaitingLane& waiting : waiting_) {
    const Waiting what = waiting.ongoing.waiting;
    const bool synchronous = WaitsOnOwnChannel(what) || what == Waiting::kReply;
    if (!synchronous || waiting.done) continue;
    Progress progress = sim::Continue(Context(), Prepared(waiting.lane.side), waiting.ongoing);
    if (progress.reply.kind == ReplyKind::kBlocked)
      waiting.ongoing = progress.ongoing;
    else
      waiting.done = progress;
  }
}

void World::RunUntil(Instant when, Choice* order) {
  while (agenda_.NextAt() && *agenda_.NextAt() <= when) Step(order);
  agenda_.AdvanceTo(when);
}

// The complete list of event kinds.
void World::Happens(const Event& event) {
  const KernelContext k = Kernel();
  const IbCall ib(k);
  const IwCall iw(k);
  switch (event.kind()) {
    case EventKind::kPacketArrives:
      if (const Packet* const packet = fabric_.Arrive(agenda_.Now(), event.on()))
        ib_.Receive(ib, packet->to, packet->mad);
      else if (const Packet* const late = fabric_.TakeLate())
        ib_.Postpone(ib, late->to, late->mad);
      return;
    case EventKind::kMadTimer:
      return ib_.OnMadTimer(ib, IbIndex(event.on()));
    case EventKind::kTimewaitOver:
      return ib_.OnTimewaitOver(ib, IbIndex(event.on()));
    case EventKind::kSendFailed:
      return ib_.OnSendFailed(ib, IbIndex(event.on()));
    case EventKind::kWorkGoesOn:
      return ib_.OnWorkGoesOn(ib, static_cast<uint8_t>(event.on()));
    case EventKind::kAddressWork:
      return OnAddressWork(k, CmIdIndex(event.on()));
    case EventKind::kRouteWork:
      return OnRouteWork(k, CmIdIndex(event.on()));
    case EventKind::kNeighbourWork:
      return OnNeighbourWork(k, CmIdIndex(event.on()));
    case EventKind::kNeighbourFails:
      return OnNeighbourFails(k, static_cast<uint8_t>(event.on() >> 8),
                              static_cast<uint8_t>(event.on()));
    case EventKind::kAddrChangeWork:
      return OnAddrChangeWork(k, CmIdIndex(event.on()));
    case EventKind::kCloseWork:
      return OnCloseWork(k, CmIdIndex(event.on()));
    case EventKind::kMembershipWork:
      return OnMembershipWork(k, MembershipIndex(event.on()));
    case EventKind::kWorkDue:
      return verbs_.OnWorkDue(Context(), event.on());
    case EventKind::kFrameArrives:
      return iw_.OnFrame(iw, FrameIndex(event.on()));
    case EventKind::kReplyTimer:
      return iw_.OnReplyTimer(iw, IwIndex(event.on()));
    case EventKind::kIwWork:
      return iw_.OnWork(iw, IwIndex(event.on()));
    case EventKind::kLinkTurn:
      return OnFlap(event.on());
    case EventKind::kAgentGone:
      if (!fabric_.device(static_cast<uint8_t>(event.on())).registered)
        fabric_.device(static_cast<uint8_t>(event.on())).receives = false;
      return;
  }
}

void World::Block(Lane lane, const Ongoing& ongoing) {
  CM_CHECK(!Waits(lane));
  waiting_.push_back({lane, ongoing});
}

bool World::Waits(Lane lane) const {
  return std::ranges::any_of(waiting_, [lane](const WaitingLane& w) { return w.lane == lane; });
}

bool World::Completes(Lane lane) const {
  return std::ranges::any_of(waiting_, [lane](const WaitingLane& w) {
    return w.lane == lane &&
           (WaitsOnOwnChannel(w.ongoing.waiting) || w.ongoing.waiting == Waiting::kMigrationAcks);
  });
}

Progress World::Continue(Lane lane) {
  const auto waiting =
      std::ranges::find_if(waiting_, [lane](const WaitingLane& w) { return w.lane == lane; });
  CM_CHECK(waiting != waiting_.end());
  Progress progress = waiting->done
                          ? *waiting->done
                          : sim::Continue(Context(), Prepared(lane.side), waiting->ongoing);
  if (progress.reply.kind == ReplyKind::kBlocked)
    waiting->ongoing = progress.ongoing;
  else
    waiting_.erase(waiting);
  return progress;
}

void World::SetLink(uint8_t device, bool up) { fabric_.device(device).up = up; }

void World::SetNeighbours(uint8_t device, const NeighbourTable& neighbours) {
  const NeighbourTable before = std::exchange(fabric_.device(device).neighbours, neighbours);
  if (before != neighbours) NeighboursChanged(Kernel(), device, before);
}

// A host with a link to it believes the other host.
void World::DuplicateAddress(uint8_t device) {
  for (uint8_t peer = 0; peer < fabric_.device_count(); ++peer) {
    if (peer == device || !topology_->Linked(peer, device)) continue;
    NeighbourTable believed = fabric_.device(peer).neighbours;
    believed.Set(device, Neighbour::kWrong);
    SetNeighbours(peer, believed);
  }
}

// The link ends up.
void World::Flap(const Fault& fault) {
  flapping_.push_back({.device = topology_->sides[fault.side].device,
                       .every = fault.by,
                       .turns_left = 2 * fault.last,
                       .next = Now()});
  OnFlap(static_cast<uint32_t>(flapping_.size() - 1));
}

void World::OnFlap(uint32_t number) {
  if (number >= flapping_.size() || flapping_[number].next != Now()) return;
  Flapping& flapping = flapping_[number];
  --flapping.turns_left;
  SetLink(flapping.device, flapping.turns_left % 2 == 0);
  flapping.next = flapping.turns_left == 0 ? Instant::Never() : Now() + flapping.every;
  if (flapping.turns_left != 0) agenda_.At(flapping.next, EventKind::kLinkTurn, number);
}

void World::Crash(uint8_t kernel) {
  const KernelContext k = Kernel();
  CrashKernel(k, kernel);
  ib_.Crash(IbCall(k), kernel);
  for (uint8_t device = 0; device < fabric_.device_count(); ++device) {
    if (fabric_.KernelOf(device) != kernel) continue;
    iw_.Crash(device);
    fabric_.Unregister(device);
    fabric_.device(device).receives = false;
    fabric_.device(device).halted = true;
  }
  for (uint8_t side = 0; side < topology_->sides.size(); ++side) {
    if (topology_->KernelOf(side) != kernel) continue;
    std::erase_if(waiting_, [side](const WaitingLane& w) { return w.lane.side == side; });
    sim::Crash(Context(), libraries_[side]);
  }
}

void World::Restart(uint8_t kernel) {
  for (uint8_t device = 0; device < fabric_.device_count(); ++device) {
    if (fabric_.KernelOf(device) != kernel || !fabric_.device(device).halted) continue;
    fabric_.Register(device);
    verbs_.Restart(device);
  }
}

void World::Inject(const Fault& fault) {
  const FaultAction act = ActionOf(fault.kind);
  CM_CHECK(act != nullptr) << "no action in faults.cc for " << ToString(fault.kind);
  act(*this, fault);
}

void World::Send(uint8_t from_side, uint8_t to_side, const Mad& mad) {
  const auto device = [this](uint8_t side) { return topology_->sides[side].device; };
  fabric_.Send(&agenda_, device(from_side), device(to_side), mad);
}

CmNumbers World::NumbersOf(uint8_t side, uint32_t id) const {
  if (!libraries_[side].ids.Live(id)) return {};
  const CmIdIndex handle(libraries_[side].ids[id].handle);
  if (!cma_.ids.Live(handle) || !cma_.ids[handle].ib.valid()) return {};
  const IbId& ib = ib_.at(cma_.ids[handle].ib);
  return {.cid = ib.local_cid, .qp_num = ib.local_qpn};
}

void World::Heal() {
  fabric_.RemoveRules();
  flapping_.clear();
  for (uint8_t device = 0; device < fabric_.device_count(); ++device) {
    SetLink(device, true);
    SetNeighbours(device, NeighbourTable());
    fabric_.device(device).sm_silent = false;
  }
}

Usage World::InUse() const {
  Usage usage{.kernel_ids = cma_.ids.live_count(),
              .ib_ids = ib_.ids().live_count() + iw_.live_count(),
              .queue_pairs = verbs_.qps().live_count(),
              .receive_queues = verbs_.srqs().all().live_count(),
              .regions = verbs_.regions().live_count()};
  for (const Library& library : libraries_) {
    usage.library_ids += library.ids.live_count();
    usage.unacknowledged += library.events.live_count();
    usage.handed_out += library.handed_out;
  }
  return usage;
}

}  // namespace cm::sim
