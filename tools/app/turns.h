// Whose turn it is: of the threads that could go on one is answered, or a pipe is updated. The
// order decides where there is a choice.
#ifndef TOOLS_APP_TURNS_H_
#define TOOLS_APP_TURNS_H_

#include <vector>

#include "tools/app/kernels.h"
#include "tools/app/order.h"
#include "tools/app/pipes.h"
#include "tools/app/process.h"
#include "tools/app/process_table.h"
#include "tools/app/responder.h"
#include "tools/app/sleep_detector.h"
#include "tools/app/time_limits.h"

namespace cm::app {

class Turns {
 public:
  // All must outlive this object.
  Turns(Kernels* kernels, ProcessTable* processes, SleepDetector* detector, TimeLimits* limits,
        Pipes* pipes, Responder* responder, Order* order)
      : kernels_(kernels),
        processes_(processes),
        detector_(detector),
        limits_(limits),
        pipes_(pipes),
        responder_(responder),
        order_(order) {}

  // Answers one thread, or updates one pipe. Returns whether there was any.
  bool LetOneGoOn();
  // Something has happened in the world, or time has passed. Publishes the time, and lets spinning
  // threads poll again.
  void HasHappened();

 private:
  // A thread that could go on, or a pipe that changes.
  struct Candidate {
    Process* process;
    Thread* thread;
    Watched* watched;
  };
  std::vector<Candidate> Candidates();
  void Rank(std::vector<Candidate>* candidates);
  bool LetGoOn(const Candidate& candidate);
  // Bytes have arrived at a socket: a system call may have ended without a request.
  void SocketsHaveWoken();

  Kernels* kernels_;
  ProcessTable* processes_;
  SleepDetector* detector_;
  TimeLimits* limits_;
  Pipes* pipes_;
  Responder* responder_;
  Order* order_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_TURNS_H_
