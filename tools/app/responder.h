// Carries requests of threads out on the machine, and answers them.
//
// 1. A request is answered immediately where the machine does so. A waiting thread is answered when
//    its turn comes: see turns.h.
// 2. A thread that begins, or that a system call has woken, asks for its turn; one whose request is
//    answered gives way where the order says so.
// 3. A thread that yields, or polls memory, counts as waiting: its answer comes when another thread
//    has run, or when something has happened.
#ifndef TOOLS_APP_RESPONDER_H_
#define TOOLS_APP_RESPONDER_H_

#include <cstdint>
#include <string>

#include "sim/uapi/request.h"
#include "tools/app/complaints.h"
#include "tools/app/kernels.h"
#include "tools/app/order.h"
#include "tools/app/pipes.h"
#include "tools/app/process.h"
#include "tools/app/process_ends.h"
#include "tools/app/process_table.h"
#include "tools/app/sleep_detector.h"
#include "tools/app/time_limits.h"
#include "tools/app/trace.h"

namespace cm::app {

class Responder {
 public:
  // All must outlive this object.
  Responder(Kernels* kernels, ProcessTable* processes, SleepDetector* detector, TimeLimits* limits,
            Pipes* pipes, ProcessEnds* ends, Order* order, Trace* trace, Complaints* complaints)
      : kernels_(kernels),
        processes_(processes),
        detector_(detector),
        limits_(limits),
        pipes_(pipes),
        ends_(ends),
        order_(order),
        trace_(trace),
        complaints_(complaints) {}

  // All programs have been started: from now on threads may be late. A server is to listen before
  // its clients begin.
  void AllAreStarted() { may_be_late_ = true; }

  // The thread's request has come: it is answered, or the thread waits.
  void Asks(Process* process, Thread* thread);
  // What a program tells of the library's events: not for the machine, and not answered.
  void Takes(Process* process, const Thread& thread, const sim::uapi::Request& request);
  // A signal has arrived for the thread.
  void Interrupts(Process* process, Thread* thread);

  // The thread waits, and has what it waits for.
  bool MayGoOn(const Thread& thread) const;
  // Answers such a thread. Returns whether it was one.
  bool GoOn(Process* process, Thread* thread);
  // Answers a thread that polls memory, if something has happened since. Returns whether it has.
  bool LookAgain(Process* process, Thread* thread);

 private:
  // What goes to another host over TCP or UDP.
  void Carries(Process* process, Thread* thread);
  // Its answer comes when it is its turn, and as late as kLate says.
  void Hold(Thread* thread, sim::uapi::Answer answer, uint64_t late);
  void Reply(Process* process, Thread* thread, const sim::uapi::Answer& answer);
  bool Foresees(Process* process, Thread* thread, const sim::uapi::Answer& answer);
  // The state of the library in the process after the thread's last request.
  void NoteEvents(Thread* thread, const sim::uapi::Answer& answer) const;
  void NoteBelongings(Process* process, const sim::uapi::Request& request,
                      const sim::uapi::Answer& answer);

  Kernels* kernels_;
  ProcessTable* processes_;
  SleepDetector* detector_;
  TimeLimits* limits_;
  Pipes* pipes_;
  ProcessEnds* ends_;
  Order* order_;
  Trace* trace_;
  Complaints* complaints_;
  bool may_be_late_ = false;
  std::string words_;  // of the last line of the conversation, mostly
};

}  // namespace cm::app

#endif  // TOOLS_APP_RESPONDER_H_
