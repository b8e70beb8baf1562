// The kernel end of the rdma_cm device file and of verbs, over a simulated world.
#ifndef SIM_UAPI_MACHINE_H_
#define SIM_UAPI_MACHINE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/uapi/asker.h"
#include "sim/uapi/device_events.h"
#include "sim/uapi/device_file.h"
#include "sim/uapi/request.h"
#include "sim/uapi/verbs_end.h"
#include "sim/verbs/memory.h"
#include "sim/world/world.h"

namespace cm::sim::uapi {

// The memory of processes, which work requests read and write.
using Memory = cm::sim::Memory;

// One object serves all processes of a world. Nothing happens in the world but by what is asked
// here and by World::Step. Processes of a host that crashes are removed before anything else is
// asked.
class Machine {
 public:
  // Both outlive the machine.
  Machine(World* world, Memory* memory);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine();

  // A process on the host of a side of the topology. -> its number, counted from 0.
  uint32_t AddProcess(uint8_t side);
  // All that it has is closed, as at its exit; what its threads wait for is forgotten.
  void RemoveProcess(uint32_t process);

  // Not while the asker waits.
  Answer Ask(Asker asker, const Request& request);
  // What has become of the request that the asker waits for.
  Answer Continue(Asker asker);
  // A signal comes to the asker, who waits. -> EINTR, and he waits no longer; or that he goes on
  // waiting, where the kernel lets no signal in.
  Answer Interrupt(Asker asker);
  // In words what the asker waits for: "rdma_cm file 3: an event".
  std::string WaitsFor(Asker asker) const;

 private:
  struct Waiting {
    Request request;
    Outcome outcome;
    std::optional<Answer> done;  // it is over, and nobody has asked yet
  };

  Outcome Carry(Asker asker, const Request& request);
  Outcome CarryFile(Asker asker, const Request& request);
  Outcome CarryDevice(Asker asker, const Request& request);
  Errno Refuses(uint32_t process, uint32_t file) const;
  std::optional<Answer> Finished(Asker asker, const Waiting& waiting);
  void NoteClosed();
  RdmaCm& Kernel() const { return world_->Kernel(); }
  uint8_t KernelOf(uint32_t process) const;

  World* world_;
  DeviceFile device_file_;
  DeviceEvents device_events_;
  VerbsEnd verbs_end_;
  std::vector<uint8_t> sides_;          // of processes
  std::map<uint32_t, uint32_t> files_;  // open files, and the processes that opened them
  std::map<Asker, Waiting> waiting_;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_MACHINE_H_
