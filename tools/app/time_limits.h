// How far threads may go ahead of the world's time, and when the first of them is to go on.
//
// Threads spend virtual time, and wait when others have not come as far: see shared_time.h. How far
// a thread may go is a share of the time since the last line of the conversation, and never beyond
// what happens next.
#ifndef TOOLS_APP_TIME_LIMITS_H_
#define TOOLS_APP_TIME_LIMITS_H_

#include <optional>

#include "model/base/duration.h"
#include "tools/app/kernels.h"
#include "tools/app/process_table.h"

namespace cm::app {

class TimeLimits {
 public:
  // Both must outlive this object.
  TimeLimits(const Kernels* kernels, const ProcessTable* processes)
      : kernels_(kernels), processes_(processes) {}

  // A line of the conversation is said now.
  void HasSpoken() { spoken_ = kernels_->Now(); }
  // Something happens then that the world does not know of.
  void Expect(std::optional<Instant> next) { expected_ = next; }

  // Tells programs how far they may go now.
  void Renew();
  // No further than that.
  void Limit(Instant until);

  // When the first sleep ends, or what is sent over a socket arrives.
  std::optional<Instant> NextWaking() const;
  // The first instant that a thread has reached, or that one which yields comes to.
  std::optional<Instant> NextSpent() const;

 private:
  // How far a thread may go ahead.
  Instant Ahead() const;

  const Kernels* kernels_;
  const ProcessTable* processes_;
  Instant spoken_;
  std::optional<Instant> expected_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_TIME_LIMITS_H_
