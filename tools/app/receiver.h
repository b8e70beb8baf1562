// Receives what threads send, over memory that they share or their sockets, and what they print.
#ifndef TOOLS_APP_RECEIVER_H_
#define TOOLS_APP_RECEIVER_H_

#include <sys/types.h>

#include <cstdint>

#include "model/base/duration.h"
#include "sim/uapi/framing.h"
#include "sim/uapi/shared_lines.h"
#include "tools/app/endless_runs.h"
#include "tools/app/kernels.h"
#include "tools/app/one_processor.h"
#include "tools/app/output.h"
#include "tools/app/pipes.h"
#include "tools/app/process.h"
#include "tools/app/process_table.h"
#include "tools/app/responder.h"
#include "tools/app/sleep_detector.h"

namespace cm::app {

class Receiver {
 public:
  // All must outlive this object.
  Receiver(Kernels* kernels, ProcessTable* processes, sim::uapi::SharedLines* lines,
           OneProcessor* processor, EndlessRuns* endless, SleepDetector* detector,
           const Output* output, Pipes* pipes, Responder* responder)
      : kernels_(kernels),
        processes_(processes),
        lines_(lines),
        processor_(processor),
        endless_(endless),
        detector_(detector),
        output_(output),
        pipes_(pipes),
        responder_(responder) {}

  // Serves all pending requests, and waits up to this long when there are none. Returns whether
  // there were any.
  bool Serve(Duration patience);

 private:
  // True when all others wait for an answer, and nothing else can have ended or begun.
  bool OneAloneRuns();
  void NoteWritten();
  // Serves the threads that had written then.
  bool ServeMemory();
  bool ServeDescriptors();
  void ServeThread(Thread* thread);
  void HearAll(Thread* thread);
  void Heard(Thread* thread, sim::uapi::Message message);
  void Greets(Thread* thread, const sim::uapi::Hello& hello);
  // The program's process of that number, created when there is none.
  Process* ProcessOf(Process* asked, pid_t pid);
  void Lose(Process* process, Thread* thread);

  Kernels* kernels_;
  ProcessTable* processes_;
  sim::uapi::SharedLines* lines_;
  OneProcessor* processor_;
  EndlessRuns* endless_;
  SleepDetector* detector_;
  const Output* output_;
  Pipes* pipes_;
  Responder* responder_;
  uint32_t served_alone_ = 0;
};

}  // namespace cm::app

#endif  // TOOLS_APP_RECEIVER_H_
