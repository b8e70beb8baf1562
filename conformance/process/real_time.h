// This machine's steady clock, for adapters of what runs in real time.
#ifndef CONFORMANCE_PROCESS_REAL_TIME_H_
#define CONFORMANCE_PROCESS_REAL_TIME_H_

#include "model/base/duration.h"

namespace cm {

Instant RealNow();
void ReallySleep(Duration span);

// A point of this machine's clock.
class Deadline {
 public:
  explicit Deadline(Duration within);
  // In milliseconds for poll: rounded up, 0 when it has passed.
  int milliseconds_left() const;

 private:
  Instant at_;
};

}  // namespace cm

#endif  // CONFORMANCE_PROCESS_REAL_TIME_H_
