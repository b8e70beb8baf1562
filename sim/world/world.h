// The complete state of a run, in one copyable value.
//
// A world is copied, compared and hashed; pending events are data in it. It changes only by a call
// of a program, by the environment, or by an event of the agenda.
#ifndef SIM_WORLD_WORLD_H_
#define SIM_WORLD_WORLD_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/choice.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/names.h"
#include "model/vocabulary/neighbours.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/core/agenda.h"
#include "sim/core/journal.h"
#include "sim/fabric/fabric.h"
#include "sim/ib_cm/ib_cm.h"
#include "sim/iw_cm/iw_cm.h"
#include "sim/lib/calls.h"
#include "sim/lib/library.h"
#include "sim/rdma_cm/rdma_cm.h"
#include "sim/verbs/memory.h"
#include "sim/verbs/verbs.h"

namespace cm::sim {

// A thread whose call has not returned.
struct WaitingLane {
  Lane lane;
  Ongoing ongoing;
  std::optional<Progress> done;  // it has returned, and the result was not collected yet
  friend bool operator==(const WaitingLane&, const WaitingLane&) = default;
};

// An interface that goes down and up in turns.
struct Flapping {
  uint8_t device = 0;
  Duration every;
  uint32_t turns_left = 0;  // the interface is down before an odd one
  Instant next = Instant::Never();
  friend bool operator==(const Flapping&, const Flapping&) = default;
};

// Objects in use; equal before and after a conversation that cleaned up.
struct Usage {
  uint32_t kernel_ids = 0;
  uint32_t ib_ids = 0;
  uint32_t queue_pairs = 0;
  uint32_t receive_queues = 0;  // shared receive queues
  uint32_t regions = 0;
  uint32_t library_ids = 0;
  uint32_t unacknowledged = 0;
  uint32_t handed_out = 0;
  friend bool operator==(const Usage&, const Usage&) = default;
};

// The communication id of an id, and the queue pair number that it has sent to its peer.
struct CmNumbers {
  uint32_t cid = 0;
  uint32_t qp_num = 0;
};

class World {
 public:
  // `topology` and `profile` must outlive the world and its copies.
  World(const Topology* topology, const Profile* profile, StreamState coins = {});

  Instant Now() const { return agenda_.Now(); }
  std::optional<Instant> NextAt() const { return agenda_.NextAt(); }
  // Executes the next event; `order` decides which of those of one instant it is, and without it
  // the first that was scheduled. Messages of one link keep their order.
  void Step(Choice* order = nullptr);
  // Executes all events that are due until then, and advances the clock.
  void RunUntil(Instant when, Choice* order = nullptr);

  const Topology& topology() const { return *topology_; }
  const Profile& profile() const { return *profile_; }
  // The kernels of all hosts, for a command; valid while the world stays where it is.
  KernelContext Kernel() { return {&cma_, &agenda_, &fabric_, &ib_, &iw_, profile_, transport_}; }
  const IwCm& iw() const { return iw_; }
  // Memory of programs outside of the world; copies of the world share it.
  void LendMemory(Memory* memory) { memory_.lent = memory; }
  // Faults on `any` message, without a count, hit messages between queue pairs as well.
  // Conversations are without that: what completes in them is judged by the messages of the CM
  // alone.
  void LetFaultsHitData() { fabric_.rules_hit_data = true; }
  void LimitBandwidth(const Bandwidth& bandwidth) { fabric_.bandwidth = bandwidth; }
  // The library of a side's process.
  Library& Prepared(uint8_t side) { return libraries_[side]; }
  Library::Context Context();
  const Library& library(uint8_t side) const { return libraries_[side]; }
  // Makes a call in a side's process.
  template <typename Call>
  Progress Do(uint8_t side, const Call& call, const Named& at) {
    return sim::Do(Context(), Prepared(side), call, at);
  }

  // Keeps a blocked call with its lane; Continue returns its result when it has one.
  void Block(Lane lane, const Ongoing& ongoing);
  bool Waits(Lane lane) const;
  // The lane's call waits for an action of another thread: for the event of a synchronous id, or
  // for acknowledgements before an id has moved.
  bool Completes(Lane lane) const;
  // The progress of a waiting lane; when it is done, the lane waits no longer.
  Progress Continue(Lane lane);
  const std::vector<WaitingLane>& waiting() const { return waiting_; }

  // Draws one of the threads that are ready to make a call.
  size_t PickThread(size_t ready);

  // The tester of a side sends a message to the device of another one.
  void Send(uint8_t from_side, uint8_t to_side, const Mad& mad);
  // The numbers by which a peer knows an id of a side's library; zeros before its first message.
  CmNumbers NumbersOf(uint8_t side, uint32_t id) const;

  void Inject(const Fault& fault);
  void Heal();
  // What carries out faults of a kind; null when nothing does.
  using FaultAction = void (*)(World& world, const Fault& fault);
  static FaultAction ActionOf(FaultKind kind);

  Usage InUse() const;
  void WatchWire() { fabric_.watches = true; }
  // What queue pairs send as well.
  void WatchData() { fabric_.watches_data = true; }
  // Calls `visitor` with each message since the last call; it must not send any.
  template <typename Visitor>
  void VisitWire(Visitor visitor) {
    for (const WireNote& note : fabric_.wire_notes) visitor(note);
    fabric_.wire_notes.clear();
  }
  void ForgetWire() {
    fabric_.watches = false;
    fabric_.wire_notes.clear();
  }

  // Canonical: times relative to now, no slot or insertion numbers, no choice state. It has the
  // order in which ids were attached to one device, and in which they took one port. It leaves out
  // the number of the next queue pair, the next port that a kernel draws, what LetFaultsHitData and
  // LimitBandwidth have set, and what only the kernel's user ABI can make: completion queues and
  // windows of programs, limits of shared receive queues, and of a work request its group, its
  // immediate value, its window and its id.
  uint64_t Fingerprint() const;
  // Of an id of a side's library with all that is tied to it, in every layer, at its peer and under
  // way: the relations between parts that Fingerprint counts one by one.
  uint64_t FingerprintOf(uint8_t side, uint32_t id) const;

  // Digest of all events, in their order: the same after every run of a seed.
  uint64_t RunFingerprint() const { return journal_.fingerprint(); }

  // Equal worlds have the same events before them.
  friend bool operator==(const World&, const World&) = default;

 private:
  // Not part of the state.
  struct Lent {
    Memory* lent = nullptr;
    friend bool operator==(Lent, Lent) { return true; }
  };

  Event TakeNext(Choice* order);
  bool IsBehind(const Event& later, const Event& earlier) const;
  void Happens(const Event& event);
  void GoOn();
  void SetLink(uint8_t device, bool up);
  void SetNeighbours(uint8_t device, const NeighbourTable& neighbours);
  void DuplicateAddress(uint8_t device);
  void Flap(const Fault& fault);
  void OnFlap(uint32_t flapping);
  uint8_t DeviceOf(uint8_t side) const { return topology_->sides[side].device; }
  void Exit(uint8_t side);
  void Crash(uint8_t kernel);
  void Restart(uint8_t kernel);

  const Topology* topology_;
  const Profile* profile_;
  const CmTransport* transport_;
  StreamState stream_;  // random stream of the world: the order of threads
  Agenda agenda_;
  Journal journal_;
  Fabric fabric_;
  IbCm ib_;
  IwCm iw_;
  RdmaCm cma_;
  Verbs verbs_;
  Lent memory_;
  std::vector<Library> libraries_;  // by side
  std::vector<WaitingLane> waiting_;
  std::vector<Flapping> flapping_;
};

}  // namespace cm::sim

#endif  // SIM_WORLD_WORLD_H_
