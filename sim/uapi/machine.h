// The kernel end of the rdma_cm device file and of verbs, over a simulated world.
#ifndef SIM_UAPI_MACHINE_H_
#define SIM_UAPI_MACHINE_H_

#include <cstdint>
#include <functional>
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

// One object serves all processes of a world. Only requests here and World::Step change the world.
// Processes of a host that crashes must be removed before any other request.
class Machine {
 public:
  // Both must outlive the machine.
  Machine(World* world, Memory* memory);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine();

  // Adds a process on the host of a side of the topology. Returns its number, counted from 0.
  uint32_t AddProcess(uint8_t side);
  // Closes all that the process has, as at its exit; requests of its threads are forgotten.
  void RemoveProcess(uint32_t process);

  // Must not be called while the asker waits.
  Answer Ask(Asker asker, const Request& request);
  // Whether the answer to a poll, of a file or of events or time, is 1.
  bool IsReadable(Asker asker, const Request& readable);
  // What would be answered to requests one after the other, if nothing else happened; up to the
  // first one of which that is not certain. `next` returns each, or nothing at their end. Changes
  // nothing.
  using NextRequest = std::function<std::optional<Request>(const std::vector<Foreseen>& before)>;
  std::vector<Foreseen> Foresee(Asker asker, const NextRequest& next);
  // The state of the request that the asker waits for.
  Answer Continue(Asker asker);
  // False when Continue would answer that the asker waits; true when it may not.
  bool MayContinue(Asker asker) const;
  // A signal arrives for the waiting asker. Returns EINTR, and the wait ends; or `waits`, where the
  // kernel waits uninterruptibly.
  Answer Interrupt(Asker asker);
  // While this stands, no request kPollEvents is answered in another way than before.
  uint64_t completion_changes() const { return world_->Context().verbs->cqs().event_changes(); }
  // Describes what the asker waits for: "rdma_cm file 3: an event".
  std::string WaitsFor(Asker asker) const;

 private:
  struct Waiting {
    Request request;
    Outcome outcome;
    std::optional<Answer> done;  // completed, and not collected yet
    Answer closed = {};          // of a wait for a file to be closed
  };
  struct OpenFile {
    uint32_t process = 0;  // that opened it
    bool named = true;     // it has a descriptor; without, the threads that wait in it keep it open
  };

  Outcome Carry(Asker asker, const Request& request);
  Outcome CarryFile(Asker asker, const Request& request);
  Outcome CarryDevice(Asker asker, const Request& request);
  Errno Refuses(uint32_t process, uint32_t file) const;
  std::optional<Answer> Finished(Asker asker, const Waiting& waiting);
  bool IsWaitedIn(uint32_t file) const;
  bool Release(uint32_t file);
  Answer Return(Asker asker, const Answer& answer);
  Outcome CarryWrite(Asker asker, const Request& request);
  void NoteClosed();
  KernelContext Kernel() const { return world_->Kernel(); }
  bool IsOpen(uint32_t file) const { return Kernel().cma->files.IsOpen(FileIndex(file)); }
  uint8_t KernelOf(uint32_t process) const;

  World* world_;
  DeviceFile device_file_;
  DeviceEvents device_events_;
  VerbsEnd verbs_end_;
  std::vector<uint8_t> sides_;          // by process
  std::map<uint32_t, OpenFile> files_;  // open ones
  std::map<Asker, Waiting> waiting_;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_MACHINE_H_
