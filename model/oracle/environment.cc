// Lines of the environment: faults and their effects.
#include <algorithm>

#include "model/oracle/oracle.h"

namespace cm::model {

// Executes the turns of flapping links until then.
void Oracle::LetLinksTurn(int64_t until) {
  while (const std::optional<int64_t> at = fault_model_.NextTurn(until)) {
    CloseAll({*at, *at, settled_});
    fault_model_.Turn();
  }
}

// Events in progress may still happen in the old environment: every set is closed first.
void Oracle::CloseAll(const Window& window) {
  for (auto& [number, component] : components_) {
    Judgement ignored;
    Close(&component, window, &ignored);
  }
}

Judgement Oracle::ObserveEnvironment(const Record& record, const Line& line) {
  const Window window = WindowOf(record);
  if (std::holds_alternative<line::Settles>(line)) {
    settled_ = window.begin;
    fault_model_.Settle(window.end);
    return {};
  }
  if (std::holds_alternative<line::Passes>(line)) return {};
  CloseAll({window.begin, window.end, settled_});
  if (std::holds_alternative<line::Sends>(line))
    return TesterSends(record.line, {window.begin, window.end});
  const int64_t now = window.begin;
  if (const auto* injects = std::get_if<line::Injects>(&line)) {
    const Fault& fault = injects->fault;
    if (fault.OnPackets()) {
      fault_model_.InjectOnPackets(fault, now, MessagesUnderWay(now));
      return {};
    }
    const uint8_t device = facts_.topology().sides[fault.side].device;
    fault_model_.Inject(fault, now);
    facts_.fail_overs[device] = static_cast<uint8_t>(fault_model_.FailOvers(device));
    const FaultRow& row = RowOf(fault.kind);
    const uint8_t kernel = facts_.topology().KernelOf(fault.side);
    if (row.leaves == FaultPremise::kHostStopped) Crashed(kernel);
    if (row.leaves == FaultPremise::kHostRunning) ++facts_.boots[kernel];
    Told(row.tells, fault.side, window);
    return {};
  }
  fault_model_.Heal(window.end);
  NeighboursChanged(window);
  return {};
}

void Oracle::Told(FaultTells tells, uint8_t side, const Window& window) {
  const uint8_t device = facts_.topology().sides[side].device;
  switch (tells) {
    case FaultTells::kNoId:
    case FaultTells::kSenders:  // by what becomes of their messages
      return;
    case FaultTells::kIdsOfDevice:
      return DeviceRemoved(device, window);
    case FaultTells::kIdsOfBond:
      return FailedOver(device, window);
    case FaultTells::kNeighbours:
      return NeighboursChanged(window);
    case FaultTells::kPeersOfProcess:
      return Exited(side, window);
  }
}

// Whether a message may have been sent at that instant and not have arrived.
bool Oracle::MessagesUnderWay(int64_t now) const {
  return std::ranges::any_of(components_, [now](const auto& numbered) {
    return std::ranges::any_of(numbered.second.set.items(), [now](const Possibility& p) {
      return std::ranges::any_of(
          p.flights, [now](const Flight& flight) { return flight.since.latest >= now; });
    });
  });
}

void Oracle::DeviceRemoved(uint8_t device, const Window& window) {
  for (auto& [number, component] : components_) {
    for (Possibility& p : component.set.mutable_items()) {
      for (IdState& id : p.ids) {
        const bool on_it = facts_.CaOf(id.device) == facts_.CaOf(device);
        if (!on_it || id.closed || id.gone || id.state == State::kDeviceRemoval) continue;
        id.removal_due = true;
        id.due = {window.begin, window.end};
      }
    }
  }
}

// For the other side its neighbour changes. source: observed 6.1-rxe in the lab
void Oracle::MeetNeighbour(IdState* id, uint8_t device, const Window& window) {
  if (!id->name.valid()) return;
  const IdInfo& info = facts_.id(id->name);
  if (!info.tracked || info.interface == device || facts_.DeviceOf(info.destination) != device ||
      info.peer_fail_overs % 2 == fault_model_.FailOvers(device) % 2) {
    return;
  }
  if (id->neighbour_due < 255) ++id->neighbour_due;
  id->due = {window.begin, window.end};
}

// source: linux 6.1 cma.c cma_netdev_change
void Oracle::FailedOver(uint8_t device, const Window& window) {
  for (auto& [number, component] : components_) {
    for (Possibility& p : component.set.mutable_items()) {
      for (IdState& id : p.ids) {
        if (id.closed || id.gone) continue;
        MeetNeighbour(&id, device, window);
        if (id.device == kNoDevice) continue;
        const uint8_t interface = id.name.valid() ? facts_.id(id.name).interface : id.device;
        // Two interfaces take turns: after an even number the address is the same again.
        const uint32_t now = fault_model_.FailOvers(device);
        const uint32_t met = id.name.valid() ? facts_.id(id.name).fail_overs : now - 1;
        if (interface != device || met % 2 == now % 2) continue;
        if (id.addr_change_due < 255) ++id.addr_change_due;
        id.due = {window.begin, window.end};
      }
    }
  }
}

// source: linux 6.1 cma.c cma_netevent_callback
void Oracle::NeighboursChanged(const Window& window) {
  for (auto& [number, component] : components_) {
    for (Possibility& p : component.set.mutable_items()) {
      for (IdState& id : p.ids) {
        if (!id.name.valid() || id.closed || id.gone) continue;
        const IdInfo& info = facts_.id(id.name);
        const uint8_t peer = facts_.DeviceOf(info.destination);
        const bool wrong = fault_model_.NeighbourWrong(info.interface, peer);
        const bool was_wrong = fault_model_.NeighbourWasWrong(info.interface, peer);
        if (!info.tracked || info.interface == peer || wrong == was_wrong ||
            info.knew_wrong_neighbour == wrong) {
          continue;
        }
        if (id.neighbour_due < 255) ++id.neighbour_due;
        id.due = {window.begin, window.end};
      }
    }
  }
}

// The kernel destroys everything that the process had.
void Oracle::Exited(uint8_t side, const Window& window) {
  for (auto& [number, component] : components_) {
    PossibilitySet next;
    for (Possibility p : component.set.items()) {
      for (const IdRef name : component.ids) {
        const uint8_t at = p.Find(name);
        if (at == kNoId || facts_.id(name).side != side || p.ids[at].gone) continue;
        machine_.Destroy(&p, at, {window.begin, window.end});
      }
      DestroyLeftOn(&p, {window.begin, window.end},
                    [&](ChannelRef channel) { return facts_.channel(channel).side == side; });
      next.Add(std::move(p));
    }
    component.set = std::move(next);
  }
  Forget(side);
}

void Oracle::Forget(uint8_t side) {
  for (uint16_t i = 0; i < facts_.id_count(); ++i)
    if (facts_.id(IdRef{i}).side == side) facts_.id(IdRef{i}).exists = false;
  std::erase_if(facts_.ports, [&](const PortOwner& o) { return facts_.id(o.id).side == side; });
  std::erase_if(blocked_, [&](const Blocked& b) { return b.lane.side == side; });
}

// Drops everything of the kernel, without notifications. Its sent messages stay in flight.
void Oracle::Crashed(uint8_t kernel) {
  for (auto& [number, component] : components_) {
    PossibilitySet next;
    for (Possibility p : component.set.items()) {
      for (IdState& id : p.ids) {
        const uint8_t of = id.name.valid() ? facts_.id(id.name).kernel : facts_.KernelOf(id.device);
        if (of != kernel) continue;
        id.gone = id.closed = true;
        id.outstanding = id.abandoned = false;
        id.ib = IbState::kNone;
        id.iw = IwState::kNone;
        id.queue.clear();
        id.joining.clear();
      }
      p.Tidy();
      next.Add(std::move(p));
    }
    component.set = std::move(next);
  }
  const Topology& topology = facts_.topology();
  for (uint8_t side = 0; side < topology.sides.size(); ++side)
    if (topology.KernelOf(side) == kernel) Forget(side);
}

}  // namespace cm::model
