#include "tools/app/instructions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "model/base/errno.h"
#include "model/base/files.h"
#include "sim/fake_libibverbs/instruction_counter.h"

namespace cm::app {
namespace {

constexpr uint64_t kRounds = 1'000;

std::string NameOf(int error) {
  return fmt::format("{} ({})", ToString(static_cast<Errno>(error)), std::strerror(error));
}

// What is to be seen and permitted, beside what this system permits.
std::string WhatWouldHelp() {
  std::string text =
      "it takes a machine whose processor's counters are visible to it, as those of many virtual "
      "machines and containers are not, and kernel.perf_event_paranoid of at most 2";
  if (auto now = ReadFile("/proc/sys/kernel/perf_event_paranoid")) {
    while (!now->empty() && now->back() == '\n') now->pop_back();
    text += fmt::format(", which is {} here", *now);
  }
  return text;
}

// Empty, or what is wrong with it.
std::string Try(const CounterSource& source, int counter) {
  const std::optional<uint64_t> before = source.read(counter);
  for (volatile uint64_t i = 0; i < kRounds;) i = i + 1;
  const std::optional<uint64_t> after = source.read(counter);
  if (!before || !after)
    return fmt::format("cannot be read: {}",
                       errno == 0 ? "the processor has none for it" : NameOf(errno));
  if (*after - *before < kRounds)
    return fmt::format("has counted {} in a loop of {}", *after - *before, kRounds);
  return {};
}

}  // namespace

std::string WhyNotCounted() {
  return WhyNotCounted({.open = &sim::fake_libibverbs::OpenInstructionCounter,
                        .read = &sim::fake_libibverbs::ReadInstructionCounter});
}

std::string WhyNotCounted(const CounterSource& source) {
  constexpr std::string_view kWhat =
      "instructions cannot be counted: perf_event_open of PERF_COUNT_HW_INSTRUCTIONS";
  const int counter = source.open();
  if (counter < 0) return fmt::format("{} says {}; {}", kWhat, NameOf(-counter), WhatWouldHelp());
  const std::string problem = Try(source, counter);
  close(counter);
  if (problem.empty()) return {};
  return fmt::format("{} gives a counter that {}; {}", kWhat, problem, WhatWouldHelp());
}

}  // namespace cm::app
