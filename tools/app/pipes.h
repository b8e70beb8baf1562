// The pipes that programs poll: each is readable while the answer to its request is 1.
#ifndef TOOLS_APP_PIPES_H_
#define TOOLS_APP_PIPES_H_

#include <cstdint>
#include <vector>

#include "sim/uapi/framing.h"
#include "tools/app/kernels.h"
#include "tools/app/process.h"
#include "tools/app/sleep_detector.h"

namespace cm::app {

class Pipes {
 public:
  // Both must outlive this object.
  Pipes(Kernels* kernels, SleepDetector* detector) : kernels_(kernels), detector_(detector) {}

  // The thread has sent the pipe's descriptor along, where there is a new one.
  void Keep(Process* process, Thread* thread, const sim::uapi::Watch& watch);
  static void Forget(Process* process, uint64_t name);

  // The pipes of the process that are not in their right state.
  std::vector<Watched*> Changing(Process* process);
  // Brings one, or all, into its right state. Returns whether it was in another one.
  bool BringUp(Process* process, Watched* watched);
  void BringAllUp(Process* process);

 private:
  bool Changes(const Process& process, const Watched& watched);

  Kernels* kernels_;
  SleepDetector* detector_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_PIPES_H_
