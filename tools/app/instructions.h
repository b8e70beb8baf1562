// Whether the instructions of programs can be counted here.
#ifndef TOOLS_APP_INSTRUCTIONS_H_
#define TOOLS_APP_INSTRUCTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

namespace cm::app {

// Functions as those of instruction_counter.h.
struct CounterSource {
  int (*open)();
  std::optional<uint64_t> (*read)(int counter);
};

// Empty, or what was tried, what the system said, and what would help: one line. It is tried for
// the calling thread; without a source, with the processor's counters.
std::string WhyNotCounted();
std::string WhyNotCounted(const CounterSource& source);

}  // namespace cm::app

#endif  // TOOLS_APP_INSTRUCTIONS_H_
