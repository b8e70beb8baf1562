// The interface between the C functions of one program and its simulated machine.
//
// 1. A request is answered before its thread continues. An answer may take simulated time; the
//    backend may run other threads, or the world, until then.
// 2. The fake libibverbs holds no lock during a request.
// 3. Threads may be fibers of one thread of the system.
#ifndef SIM_FAKE_LIBIBVERBS_BACKEND_H_
#define SIM_FAKE_LIBIBVERBS_BACKEND_H_

#include <cstdint>

#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {

class Backend {
 public:
  virtual ~Backend() = default;

  // Never returns with `waits`. Error: -ENODEV when there is no machine any more.
  virtual uapi::Answer Ask(const uapi::Request& request) = 0;

  // The clock as the calling thread has seen it last, in nanoseconds since the world began: for a
  // handler of a signal that comes during a request. Takes no time. Negative without one.
  virtual int64_t Shown() const { return -1; }

  // The calling thread waits for another thread of its program. Called in a loop.
  virtual void Yield() = 0;
  // The same, at the latest until an instant. Returns 0, or EINTR after a signal.
  virtual int YieldUntil(int64_t instant, uapi::Look look);
  // The calling thread has polled without result. Returns false when that takes no time here.
  virtual bool SpendLook() { return false; }
  // It has sent so many bytes to the same host, which the system has.
  virtual void SpendSending(uint64_t /*bytes*/) {}

  // What the calling thread has computed takes its time now: it waits for others, or they for it.
  virtual void SpendComputation() {}
  // From now on what the calling thread computes takes time, where the machine counts that.
  virtual void BeginComputation() {}

  // Number of the calling thread's process. Devices of different processes are distinct, even with
  // the same name.
  virtual uint32_t Process() { return 0; }

  // Keeps the pipe of `write_end` readable: it holds a byte whenever the answer to `readable` is 1,
  // and is empty otherwise. `name` identifies the watch; a second watch of the same name replaces
  // the first, with a `write_end` of -1 when the descriptor has not changed. A backend whose
  // program does not poll descriptors does nothing.
  virtual void Watch(uint64_t name, int write_end, const uapi::Request& readable);
  virtual void Unwatch(uint64_t name);
  // Whether a completion channel is watched before one of its queues is armed: it is not readable.
  virtual bool WatchesUnarmed() const { return true; }

  // The calling thread has left its request by a jump out of a signal's handler. The request ends
  // as after a signal, and its answer is dropped.
  virtual void LeaveRequest() {}

  // The calling thread has sent a signal, which may have woken another one.
  virtual void NoteSignal() {}
};

inline void Backend::Watch(uint64_t /*name*/, int /*write_end*/,
                           const uapi::Request& /*readable*/) {}
inline int Backend::YieldUntil(int64_t /*instant*/, uapi::Look /*look*/) {
  Yield();
  return 0;
}
inline void Backend::Unwatch(uint64_t /*name*/) {}

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_BACKEND_H_
