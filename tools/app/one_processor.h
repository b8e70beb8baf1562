// One processor for programs and their machine, which run in turn. A message to another processor
// wakes that one each time, which costs more than all that is done for it.
#ifndef TOOLS_APP_ONE_PROCESSOR_H_
#define TOOLS_APP_ONE_PROCESSOR_H_

#include <sched.h>
#include <sys/types.h>

#include <functional>
#include <span>
#include <string>
#include <utility>

#include "model/base/duration.h"

namespace cm::app {

class OneProcessor {
 public:
  // The calling thread stays on the processor that it runs on, and so does all that it starts.
  // Where the system does not permit that, nothing changes.
  OneProcessor();
  ~OneProcessor();  // gives the calling thread back what it had
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

  bool is_bound() const { return bound_; }
  // A variable for the environment of programs, which are to see the processors that there were at
  // first: CMSIM_PROCESSORS, and words of 64 processors in base 16, the lowest first.
  std::string Variable() const;

  // Yields up to three times, until `has_come` is true. Returns whether it became true. Does not
  // when not bound, or while takes_turns() is false.
  bool LetOthersRun(const std::function<bool()>& has_come);
  // Whether a thread that waits may give way rather than sleep: then it need not be woken. Not for
  // a while when other work has had the processor for a quarter of the time: that takes its whole
  // slice each time.
  bool takes_turns() const { return takes_turns_; }
  // Since the last call, other work has had the processor.
  bool HasBecomeCrowded() { return std::exchange(crowded_, false); }
  // From now on the calling thread and all these use another processor, if there is one.
  void Move(std::span<const pid_t> processes);
  // The same for processes that another one has started: one that was not moved yet, or the thread
  // that starts programs, which is of an earlier run.
  void TakeAlong(std::span<const pid_t> processes) const;

 private:
  void Note(Instant before, Instant after);

  cpu_set_t before_{};
  int own_ = -1;
  bool bound_ = false;
  bool takes_turns_ = false;
  bool crowded_ = false;
  Instant since_;    // turns have been counted
  Duration lost_{};  // in long ones
  Instant resumes_;
  Duration pause_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_ONE_PROCESSOR_H_
