// The ends of processes: notices and causes them, removes the processes from the world, and
// records what they leave.
#ifndef TOOLS_APP_PROCESS_ENDS_H_
#define TOOLS_APP_PROCESS_ENDS_H_

#include <sys/types.h>

#include <cstdint>

#include "sim/world/world.h"
#include "tools/app/complaints.h"
#include "tools/app/folder.h"
#include "tools/app/kernels.h"
#include "tools/app/orphans.h"
#include "tools/app/output.h"
#include "tools/app/process.h"
#include "tools/app/process_table.h"
#include "tools/app/sleep_detector.h"
#include "tools/app/trace.h"

namespace cm::app {

class ProcessEnds {
 public:
  // All must outlive this object.
  ProcessEnds(Kernels* kernels, ProcessTable* processes, const Orphans* orphans,
              const Folder* folder, SleepDetector* detector, const Output* output, Trace* trace,
              Complaints* complaints)
      : kernels_(kernels),
        processes_(processes),
        orphans_(orphans),
        folder_(folder),
        detector_(detector),
        output_(output),
        trace_(trace),
        complaints_(complaints) {}

  // Removes ended processes from the world. Returns whether there were any.
  bool NoteEnds();
  // The same for those whose connections have closed: their parents may already know of their end.
  void NoteEndsOfSilent();
  // Reports idle child processes that a program left running.
  void NoteLeftBehind();
  // Kills the programs on the host of a side.
  void HostCrashes(uint8_t side);
  void KillAll();

 private:
  static bool HasEnded(Process* process);
  void Remove(Process* process);
  void NoteWhatIsLeft(const Process& process, const sim::Usage& before);
  // The first process of the program that started it; null when unknown.
  const Process* FirstOf(pid_t orphan) const;

  Kernels* kernels_;
  ProcessTable* processes_;
  const Orphans* orphans_;
  const Folder* folder_;
  SleepDetector* detector_;
  const Output* output_;
  Trace* trace_;
  Complaints* complaints_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_PROCESS_ENDS_H_
