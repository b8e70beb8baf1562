// The simulated library behind the C API's pointers.
#ifndef CONFORMANCE_ADAPTERS_DL_SAMPLE_SAMPLE_H_
#define CONFORMANCE_ADAPTERS_DL_SAMPLE_SAMPLE_H_

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/defects/woven/sim/lib/calls.h"
#include "conformance/defects/woven/sim/lib/library.h"
#include "conformance/defects/woven/sim/world/world.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace cm::sample {

// The objects behind the application's pointers. The C structure comes first, so that a pointer
// to it is one to the whole.
struct Channel {
  rdma_event_channel c{};
  uint32_t number = 0;
};
struct Event;
struct Id {
  rdma_cm_id c{};
  ibv_qp qp{};
  uint8_t side = 0;
  uint32_t number = 0;
  PortSpace space = PortSpace::kTcp;
  std::unique_ptr<Event> event;  // what c.event points to
  woven::FetchedEvent kept;      // and what it was made of
};
struct Event {
  rdma_cm_event c{};
  uint32_t number = 0;
  PrivateData private_data;
};

// A call that has not returned, and its outputs.
struct Unfinished {
  Channel* closes = nullptr;
  rdma_cm_event** fetches = nullptr;
  rdma_cm_id** requests = nullptr;
  rdma_cm_id** makes = nullptr;  // an endpoint, of this port space
  PortSpace space = PortSpace::kTcp;
  Id* completes = nullptr;
};

class Sample {
 public:
  // `defect` is what defects::SwitchedOn takes.
  Sample(const Topology* topology, const Profile* profile, uint64_t seed, size_t defect);

  void Enter(Lane lane) { lane_ = lane; }
  size_t defect() const { return defect_; }
  woven::World& world() { return world_; }
  woven::Library& library() { return world_.Prepared(lane_.side); }

  rdma_event_channel* CreateChannel();
  void DestroyChannel(Channel* channel);
  int CreateId(Channel* channel, rdma_cm_id** id, PortSpace space);
  int DestroyId(Id* id);
  int GetEvent(Channel* channel, rdma_cm_event** event);
  int Ack(Event* event);
  // Makes a call on the id, which may wait for an event if the id is synchronous.
  template <typename Call>
  int Do(Id* id, const Call& call) {
    return Begin(world_.Do(lane_.side, call, {.id = id->number}), {.completes = id});
  }
  // Makes a call that does not wait.
  template <typename Call>
  woven::Progress Do(const Call& call, const woven::Named& at = {}) {
    return world_.Do(lane_.side, call, at);
  }
  // Returns the immediate reply of a call on an id.
  int Answer(Id* id, const Reply& reply);
  int GetRequest(Id* listener, rdma_cm_id** id);
  int MigrateId(Id* id, Channel* channel);
  int CreateEp(const call::CreateEp& ep, rdma_cm_id** id);
  int DestroyEp(Id* id);
  // A list of the devices, which are bits by index; the last is null.
  ibv_context** NewList(uint32_t devices, int* count);
  const Topology& topology() const { return *topology_; }
  Shown Show(const Id& id);

  // The number of the application's pointer, and the pointer of a number.
  uint16_t Keep(void* context);

  // Also for null and for families that are not supported.
  Address AddressOf(const sockaddr* address) const;

  bool Blocked() const;
  bool Continue(int* value);
  bool Readable(Channel* channel);
  void Inject(const Fault& fault);
  std::string Leaks() const;

 private:
  int Begin(const woven::Progress& progress, const Unfinished& unfinished);
  int Finish(const woven::Progress& progress, const Unfinished& unfinished);
  Id* NewId(uint32_t number, rdma_event_channel* channel, PortSpace space);
  Id* IdAt(uint32_t number);
  // Updates the public fields.
  void Refresh(Id* id);
  // The event with that number, as a C structure.
  std::unique_ptr<Event> Make(uint32_t number);
  void FillParam(const CmEvent& fetched, Event* event) const;
  void FillMembership(const CmEvent& fetched, rdma_ud_param* ud) const;

  size_t defect_;
  const Topology* topology_;
  woven::World world_;
  woven::Usage before_;
  Lane lane_;
  std::vector<ibv_device> devices_;
  std::vector<ibv_context> contexts_;
  // By side and number. A destroyed id stays until its slot is reused, as real memory may.
  std::map<std::pair<uint8_t, uint32_t>, std::unique_ptr<Id>> ids_;
  std::map<Lane, Unfinished> unfinished_;
  std::vector<void*> contexts_of_groups_ = {nullptr};
};

// The sample of this process; started by cmcheck_start, or as the first topology by itself. Every
// function of the library begins with it: its defect is then on in the thread.
Sample& TheSample();
bool StartSample(const std::string& topology, const std::string& profile, uint64_t seed);

}  // namespace cm::sample

#endif  // CONFORMANCE_ADAPTERS_DL_SAMPLE_SAMPLE_H_
