// The environment's lines: what they permit from now on.
#include <algorithm>

#include "model/oracle/oracle.h"

namespace cm::model {

// What is under way may still meet the environment as it was: every set is closed first.
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
    surroundings_.Settle(window.end);
    return {};
  }
  if (std::holds_alternative<line::Passes>(line)) return {};
  CloseAll({window.begin, window.end, settled_});
  const int64_t now = window.begin;
  const auto devices = static_cast<uint8_t>(knowledge_.topology().devices.size());
  if (const auto* injects = std::get_if<line::Injects>(&line)) {
    const Fault& fault = injects->fault;
    const uint8_t device = knowledge_.topology().sides[fault.side].device;
    const bool was_wrong = surroundings_.NeighbourWrong(device);
    surroundings_.Inject(fault, now);
    knowledge_.fail_overs[device] = static_cast<uint8_t>(surroundings_.FailOvers(device));
    if (fault.kind == FaultKind::kRemoveDevice) DeviceRemoved(device, window);
    if (fault.kind == FaultKind::kFailOver) FailedOver(device, window);
    if (fault.kind == FaultKind::kNeighbourChange && !was_wrong) NeighbourChanged(device, window);
    if (fault.kind == FaultKind::kExit) Exited(fault.side, window);
    return {};
  }
  std::vector<bool> wrong;
  for (uint8_t device = 0; device < devices; ++device)
    wrong.push_back(surroundings_.NeighbourWrong(device));
  surroundings_.Heal(window.end);
  for (uint8_t device = 0; device < devices; ++device)
    if (wrong[device]) NeighbourChanged(device, window);
  return {};
}

void Oracle::DeviceRemoved(uint8_t device, const Window& window) {
  for (auto& [number, component] : components_) {
    for (Possibility& p : component.set.items()) {
      for (IdState& id : p.ids) {
        if (id.device != device || id.closed || id.gone || id.state == State::kDeviceRemoval)
          continue;
        id.removal_due = true;
        id.due = {window.begin, window.end};
      }
    }
  }
}

// For the other side it is a change of its neighbour. source: observed 6.1-rxe in the lab
void Oracle::MeetNeighbour(IdState* id, uint8_t device, const Window& window) {
  if (!id->name.valid()) return;
  const IdInfo& info = knowledge_.id(id->name);
  if (!info.tracked || info.interface == device ||
      knowledge_.DeviceOf(info.destination) != device ||
      info.peer_fail_overs % 2 == surroundings_.FailOvers(device) % 2) {
    return;
  }
  if (id->neighbour_due < 255) ++id->neighbour_due;
  id->due = {window.begin, window.end};
}

// source: linux 6.1 cma.c cma_netdev_change
void Oracle::FailedOver(uint8_t device, const Window& window) {
  for (auto& [number, component] : components_) {
    for (Possibility& p : component.set.items()) {
      for (IdState& id : p.ids) {
        if (id.closed || id.gone) continue;
        MeetNeighbour(&id, device, window);
        if (id.device == kNoDevice) continue;
        const uint8_t interface = id.name.valid() ? knowledge_.id(id.name).interface : id.device;
        // Two interfaces take turns: after an even number the address is the same again.
        const uint32_t now = surroundings_.FailOvers(device);
        const uint32_t met = id.name.valid() ? knowledge_.id(id.name).fail_overs : now - 1;
        if (interface != device || met % 2 == now % 2) continue;
        if (id.addr_change_due < 255) ++id.addr_change_due;
        id.due = {window.begin, window.end};
      }
    }
  }
}

// source: linux 6.1 cma.c cma_netevent_callback
void Oracle::NeighbourChanged(uint8_t device, const Window& window) {
  const bool wrong = surroundings_.NeighbourWrong(device);
  for (auto& [number, component] : components_) {
    for (Possibility& p : component.set.items()) {
      for (IdState& id : p.ids) {
        if (!id.name.valid() || id.closed || id.gone) continue;
        const IdInfo& info = knowledge_.id(id.name);
        const bool to_itself = knowledge_.LocalDevice(info.destination, info.kernel) == device;
        if (!info.tracked || info.interface != device || to_itself ||
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
        if (at == kNoId || knowledge_.id(name).side != side || p.ids[at].gone) continue;
        machine_.Destroy(&p, at, {window.begin, window.end});
      }
      DestroyLeftOn(&p, {window.begin, window.end},
                    [&](ChannelRef channel) { return knowledge_.channel(channel).side == side; });
      next.Add(std::move(p));
    }
    component.set = std::move(next);
  }
  for (uint16_t i = 0; i < knowledge_.id_count(); ++i)
    if (knowledge_.id(IdRef{i}).side == side) knowledge_.id(IdRef{i}).exists = false;
  std::erase_if(knowledge_.ports,
                [&](const PortOwner& o) { return knowledge_.id(o.id).side == side; });
  std::erase_if(blocked_, [&](const Blocked& b) { return b.lane.side == side; });
}

}  // namespace cm::model
