// Changes from outside: devices are removed, bonds fail over, neighbours change.
#include <algorithm>

#include "sim/rdma_cm/rdma_cm.h"

namespace cm::sim {
namespace {

constexpr Duration kCloseLatency = Duration::Microseconds(10);
constexpr Duration kAgentLatency = Duration::Milliseconds(1);
constexpr Duration kWorkLatency = Duration::Microseconds(10);

}  // namespace

// source: linux 6.1 cma.c cma_process_remove, ucma.c ucma_close_id
uint32_t RdmaCm::Devices(uint8_t kernel) const {
  uint32_t devices = 0;
  for (const uint8_t device : c_.fabric->ByRegistration())
    if (c_.fabric->KernelOf(device) == kernel) devices |= 1U << c_.fabric->CaOf(device);
  return devices;
}

void RdmaCm::RemoveDevice(uint8_t device) {
  c_.fabric->Unregister(device);
  std::vector<uint32_t> attached;
  for (uint32_t id = 0; id < ids_.end(); ++id) {
    if (!ids_.Live(id) || ids_[id].device == kNoDevice) continue;
    const bool on_it = c_.fabric->topology().SameDevice(ids_[id].device, device);
    if (on_it && ids_[id].state != CmState::kDestroying) attached.push_back(id);
  }
  std::ranges::stable_sort(attached, {}, [this](uint32_t id) { return ids_[id].attached; });
  for (const uint32_t id : attached) {
    ids_[id].state = CmState::kDeviceRemoval;
    ids_[id].work = Instant::Never();
    Queue(id, {.type = EventType::kDeviceRemoval});
    c_.agenda->In(kCloseLatency, EventKind::kCloseWork, id);
  }
  for (uint8_t port = 0; port < c_.fabric->device_count(); ++port)
    if (c_.fabric->topology().SameDevice(port, device))
      c_.agenda->In(kAgentLatency, EventKind::kAgentGone, port);
}

void RdmaCm::Crash(uint8_t kernel) {
  const auto goes = [&](uint32_t id) { return ids_.Live(id) && ids_[id].kernel == kernel; };
  for (uint32_t m = 0; m < memberships_.end(); ++m)
    if (memberships_.Live(m) && goes(memberships_[m].id)) memberships_.Free(m);
  std::erase_if(pending_destroys_, [&](const PendingDestroy& p) { return goes(p.id); });
  for (uint32_t id = 0; id < ids_.end(); ++id) {
    if (!goes(id)) continue;
    if (ids_[id].owns_port) LeavePort(id);
    ids_.Free(id);
  }
  for (uint32_t file = 0; file < files_.end(); ++file)
    if (files_.Live(file) && files_[file].kernel == kernel) files_.Free(file);
}

void RdmaCm::OnCloseWork(uint32_t id) {
  if (!ids_.Live(id) || ids_[id].state != CmState::kDeviceRemoval) return;
  ids_[id].closed = true;
  DestroyKernelId(id);
}

// source: linux 6.1 cma.c cma_netdev_change
void RdmaCm::FailOver(uint8_t device) {
  DeviceState& state = c_.fabric->device(device);
  state.bond_slave ^= 1;
  ++state.fail_overs;
  for (uint32_t id = 0; id < ids_.end(); ++id) {
    if (!ids_.Live(id)) continue;
    CmId& own = ids_[id];
    // For the other side it is a change of its neighbour.
    const bool tracks = own.neighbour_tracked && own.interface != device &&
                        c_.fabric->DeviceOf(own.destination) == device;
    if (tracks && own.peer_fail_overs % 2 != state.fail_overs % 2) {
      ++own.neighbour_due;
      c_.agenda->In(kWorkLatency, EventKind::kNeighbourWork, id);
    }
    if (own.device == kNoDevice || own.interface != device || own.bond_slave == state.bond_slave)
      continue;
    ++own.addr_change_due;
    c_.agenda->In(kWorkLatency, EventKind::kAddrChangeWork, id);
  }
}

void RdmaCm::OnAddrChangeWork(uint32_t id) {
  if (!ids_.Live(id) || ids_[id].addr_change_due == 0) return;
  --ids_[id].addr_change_due;
  const CmState state = ids_[id].state;
  if (state == CmState::kDestroying || state == CmState::kDeviceRemoval) return;
  Queue(id, {.type = EventType::kAddrChange});
}

// source: linux 6.1 cma.c cma_netevent_callback, cma_netevent_work_handler
void RdmaCm::NeighbourChanged(uint8_t device, uint32_t before) {
  for (uint32_t id = 0; id < ids_.end(); ++id) {
    if (!ids_.Live(id)) continue;
    CmId& own = ids_[id];
    const bool to_itself = c_.fabric->LocalDevice(own.destination, own.kernel) == device;
    if (!own.neighbour_tracked || own.interface != device || to_itself) continue;
    const uint8_t peer = c_.fabric->DeviceOf(own.destination);
    const bool wrong = c_.fabric->NeighbourWrong(device, peer);
    if (wrong == Fabric::IsWrong(before, peer) || wrong == own.resolved_wrong_neighbour) continue;
    ++own.neighbour_due;
    c_.agenda->In(kWorkLatency, EventKind::kNeighbourWork, id);
  }
}

void RdmaCm::OnNeighbourWork(uint32_t id) {
  if (!ids_.Live(id) || ids_[id].neighbour_due == 0) return;
  --ids_[id].neighbour_due;
  const CmState state = ids_[id].state;
  if (state == CmState::kDestroying || state == CmState::kDeviceRemoval) return;
  Queue(id, {.type = EventType::kUnreachable, .status = -static_cast<int>(Errno::kTimedOut)});
}

}  // namespace cm::sim
