// Changes from outside: devices are removed, bonds fail over, neighbours change.
#include <algorithm>
#include <vector>

#include "sim/rdma_cm/ids.h"

namespace cm::sim {
namespace {

constexpr Duration kCloseLatency = Duration::Microseconds(10);
constexpr Duration kAgentLatency = Duration::Milliseconds(1);
constexpr Duration kNoticeLatency = Duration::Microseconds(10);

bool Ends(CmState state) {
  return state == CmState::kDestroying || state == CmState::kDeviceRemoval;
}

}  // namespace

DeviceBits RegisteredDevices(const KernelContext& k, uint8_t kernel) {
  DeviceBits devices = 0;
  for (const uint8_t device : k.fabric->ByRegistration())
    if (k.fabric->KernelOf(device) == kernel) devices |= BitOfDevice(k.fabric->CaOf(device));
  return devices;
}

void RemoveDevice(const KernelContext& k, uint8_t device) {
  k.fabric->Unregister(device);
  const Topology& topology = k.fabric->topology();
  CmIds& ids = k.cma->ids;
  std::vector<CmIdIndex> attached;
  for (const CmIdIndex id : ids.All()) {
    const bool on_it = ids[id].device != kNoDevice && topology.SameDevice(ids[id].device, device);
    if (on_it && !Ends(ids[id].state)) attached.push_back(id);
  }
  std::ranges::stable_sort(attached, {}, [&](CmIdIndex id) { return ids[id].attached; });
  for (const CmIdIndex id : attached) {
    ids[id].state = CmState::kDeviceRemoval;
    ids[id].work = Instant::Never();
    Report(k, id, {.type = EventType::kDeviceRemoval});
    k.agenda->In(kCloseLatency, EventKind::kCloseWork, id.value());
  }
  for (uint8_t port = 0; port < k.fabric->device_count(); ++port)
    if (topology.SameDevice(port, device)) k.agenda->In(kAgentLatency, EventKind::kAgentGone, port);
}

void CrashKernel(const KernelContext& k, uint8_t kernel) {
  RdmaCm& cma = *k.cma;
  // The id of a membership that was left may be gone.
  const auto goes = [&](CmIdIndex id) { return cma.ids.Live(id) && cma.ids[id].kernel == kernel; };
  for (const MembershipIndex number : cma.memberships.All())
    if (goes(cma.memberships[number].id)) cma.memberships.Free(number);
  cma.destroys.Drop(goes);
  for (const CmIdIndex id : cma.ids.All()) {
    if (!goes(id)) continue;
    if (cma.ids[id].owns_port) cma.ports.Leave(&cma.ids, id);
    cma.ids.Free(id);
  }
  for (const FileIndex file : cma.files.All())
    if (cma.files[file].kernel == kernel) cma.files.Free(file);
}

// source: linux 6.1 ucma.c ucma_close_id
void OnCloseWork(const KernelContext& k, CmIdIndex id) {
  if (!k.cma->ids.Live(id) || k.cma->ids[id].state != CmState::kDeviceRemoval) return;
  k.cma->ids[id].closed = true;
  DestroyKernelId(k, id);
}

void FailOver(const KernelContext& k, uint8_t device) {
  DeviceState& state = k.fabric->device(device);
  state.bond_slave ^= 1;
  ++state.fail_overs;
  for (const CmIdIndex id : k.cma->ids.All()) {
    CmId& own = k.cma->ids[id];
    // For the other side it is a change of its neighbour.
    const bool tracks = own.neighbour_tracked && own.interface != device &&
                        k.fabric->DeviceOf(own.destination) == device;
    if (tracks && own.peer_fail_overs % 2 != state.fail_overs % 2) {
      ++own.neighbour_due;
      k.agenda->In(kNoticeLatency, EventKind::kNeighbourWork, id.value());
    }
    if (own.device == kNoDevice || own.interface != device || own.bond_slave == state.bond_slave)
      continue;
    ++own.addr_change_due;
    k.agenda->In(kNoticeLatency, EventKind::kAddrChangeWork, id.value());
  }
}

void OnAddrChangeWork(const KernelContext& k, CmIdIndex id) {
  if (!k.cma->ids.Live(id) || k.cma->ids[id].addr_change_due == 0) return;
  --k.cma->ids[id].addr_change_due;
  if (Ends(k.cma->ids[id].state)) return;
  Report(k, id, {.type = EventType::kAddrChange});
}

void NeighboursChanged(const KernelContext& k, uint8_t device, const NeighbourTable& before) {
  for (const CmIdIndex id : k.cma->ids.All()) {
    CmId& own = k.cma->ids[id];
    const bool to_itself = k.fabric->LocalDevice(own.destination, own.kernel) == device;
    if (!own.neighbour_tracked || own.interface != device || to_itself) continue;
    const uint8_t peer = k.fabric->DeviceOf(own.destination);
    const bool wrong = k.fabric->NeighbourWrong(device, peer);
    const bool was_wrong = before[peer] == Neighbour::kWrong;
    if (wrong == was_wrong || wrong == own.resolved_wrong_neighbour) continue;
    ++own.neighbour_due;
    k.agenda->In(kNoticeLatency, EventKind::kNeighbourWork, id.value());
  }
}

// The entry of a neighbour that has not answered has no hardware address, which differs from that
// of any id. source: linux 6.1 cma.c cma_netevent_callback, observed 6.1-rxe in the lab
void OnNeighbourFails(const KernelContext& k, uint8_t device, uint8_t peer) {
  NeighbourTable& table = k.fabric->device(device).neighbours;
  if (table[peer] != Neighbour::kAsked) return;
  table.Set(peer, Neighbour::kAbsent);
  if (k.fabric->Linked(device, peer)) return;
  for (const CmIdIndex id : k.cma->ids.All()) {
    CmId& own = k.cma->ids[id];
    if (!own.neighbour_tracked || own.interface != device ||
        k.fabric->DeviceOf(own.destination) != peer)
      continue;
    ++own.neighbour_due;
    k.agenda->In(kNoticeLatency, EventKind::kNeighbourWork, id.value());
  }
}

// source: linux 6.1 cma.c cma_netevent_work_handler
void OnNeighbourWork(const KernelContext& k, CmIdIndex id) {
  if (!k.cma->ids.Live(id) || k.cma->ids[id].neighbour_due == 0) return;
  --k.cma->ids[id].neighbour_due;
  if (Ends(k.cma->ids[id].state)) return;
  Report(k, id, {.type = EventType::kUnreachable, .status = -static_cast<int>(Errno::kTimedOut)});
}

}  // namespace cm::sim
