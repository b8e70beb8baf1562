#include "model/oracle/machine/steps.h"

#include <algorithm>

namespace cm::model {

// Done promptly: at any time, and certainly by the next settling or within the prompt bound.
Steps::Due Steps::Prompt(Span since, const Window& window, int64_t late) const {
  const int64_t bound = facts_.profile().timing.prompt.nanoseconds();
  Due due{.not_before = since.earliest, .not_after = since.latest + bound + late};
  if (late == 0 && since.latest <= window.settled.earliest)
    due.not_after = std::min(due.not_after, window.settled.latest - 1);
  return due;
}

Steps::Due Steps::Timer(Span since, Duration nominal) const {
  return {.not_before = since.earliest + nominal.nanoseconds(),
          .not_after = since.latest + facts_.profile().timing.Latest(nominal).nanoseconds()};
}

}  // namespace cm::model
