// What a stand-in stands on: the way from the C functions of one program to its simulated machine.
//
// 1. A request of a thread is answered before the thread goes on: that an answer takes its time is
//    the ground's business, which may run other threads meanwhile, or the world.
// 2. No lock of the stand-in is held while the ground is asked.
// 3. Threads may be fibers of one thread of the system.
#ifndef SIM_STANDIN_GROUND_H_
#define SIM_STANDIN_GROUND_H_

#include <cstdint>

#include "sim/uapi/request.h"

namespace cm::sim::standin {

class Ground {
 public:
  virtual ~Ground() = default;

  // Never with `waits`. Minus ENODEV when there is no machine any more.
  virtual uapi::Answer Ask(const uapi::Request& request) = 0;

  // The calling thread waits for another one of its program. Called in a loop.
  virtual void Yield() = 0;

  // Whose thread is calling. Devices of different processes are different ones, even where they
  // have one name.
  virtual uint32_t Process() { return 0; }

  // The pipe that `write_end` is of shall hold a byte whenever asking `readable` answers 1, and be
  // empty otherwise. `name` is the watch's own; a second watch of a name takes the place of the
  // first, with a `write_end` of -1 when that has not changed. Where nobody polls descriptors there
  // is nothing to do.
  virtual void Watch(uint64_t name, int write_end, const uapi::Request& readable);
  virtual void Unwatch(uint64_t name);
};

inline void Ground::Watch(uint64_t /*name*/, int /*write_end*/, const uapi::Request& /*readable*/) {
}
inline void Ground::Unwatch(uint64_t /*name*/) {}

}  // namespace cm::sim::standin

#endif  // SIM_STANDIN_GROUND_H_
