// What each kind of fault does to the world: one row a kind.
#include <algorithm>
#include <array>

#include "sim/world/world.h"

namespace cm::sim {

World::FaultAction World::ActionOf(FaultKind kind) {
  struct Row {
    FaultKind kind = FaultKind::kDrop;
    FaultAction act = nullptr;
  };
  constexpr FaultAction kInstalled = [](World& w, const Fault& f) {
    w.fabric_.Install(f, w.Now());
  };
  static constexpr auto kActions = std::to_array<Row>({
      {FaultKind::kDrop, kInstalled},
      {FaultKind::kDelay, kInstalled},
      {FaultKind::kDuplicate, kInstalled},
      {FaultKind::kReorder, kInstalled},
      {FaultKind::kCorrupt, kInstalled},
      {FaultKind::kLinkDown,
       [](World& w, const Fault& f) { w.SetLink(w.DeviceOf(f.side), false); }},
      {FaultKind::kLinkUp,
       [](World& w, const Fault& f) {
         w.SetLink(w.DeviceOf(f.side), true);
         for (uint8_t device = 0; device < w.fabric_.device_count(); ++device)
           w.fabric_.device(device).neighbours.Learn();
       }},
      {FaultKind::kRemoveDevice,
       [](World& w, const Fault& f) {
         const uint8_t device = w.DeviceOf(f.side);
         if (w.fabric_.device(device).registered) RemoveDevice(w.Kernel(), device);
       }},
      {FaultKind::kAddDevice,
       [](World& w, const Fault& f) {
         const uint8_t device = w.DeviceOf(f.side);
         if (!w.fabric_.device(device).halted) w.fabric_.Register(device);
       }},
      {FaultKind::kFailOver,
       [](World& w, const Fault& f) { FailOver(w.Kernel(), w.DeviceOf(f.side)); }},
      {FaultKind::kNeighbourChange,
       [](World& w, const Fault& f) {
         w.SetNeighbours(w.DeviceOf(f.side), NeighbourTable(Neighbour::kWrong));
       }},
      {FaultKind::kNeighbourExpires,
       [](World& w, const Fault& f) { w.fabric_.device(w.DeviceOf(f.side)).neighbours.Expire(); }},
      {FaultKind::kExit, [](World& w, const Fault& f) { w.Exit(f.side); }},
      {FaultKind::kSilenceSm,
       [](World& w, const Fault& f) { w.fabric_.device(w.DeviceOf(f.side)).sm_silent = true; }},
      {FaultKind::kDuplicateAddress,
       [](World& w, const Fault& f) { w.DuplicateAddress(w.DeviceOf(f.side)); }},
      {FaultKind::kFlap, [](World& w, const Fault& f) { w.Flap(f); }},
      {FaultKind::kCrash, [](World& w, const Fault& f) { w.Crash(w.topology_->KernelOf(f.side)); }},
      {FaultKind::kRestart,
       [](World& w, const Fault& f) { w.Restart(w.topology_->KernelOf(f.side)); }},
  });
  const auto* const row = std::ranges::find(kActions, kind, &Row::kind);
  return row == kActions.end() ? nullptr : row->act;
}

void World::Exit(uint8_t side) {
  std::erase_if(waiting_, [side](const WaitingLane& w) { return w.lane.side == side; });
  sim::Exit(Context(), libraries_[side]);
}

}  // namespace cm::sim
