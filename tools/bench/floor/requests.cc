// As many requests and answers as a program under `cmcheck app` has, through pipes to another
// process.
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

#include "model/base/check.h"
#include "tools/bench/figure.h"
#include "tools/bench/floor/floor.h"

namespace cm::bench {
namespace {

using Bytes = std::array<char, 64>;

// Of both programs together; observed with strace.
constexpr int64_t kOfAMessage = 8;
constexpr int64_t kOfAConnection = 45;
constexpr int64_t kWithQueues = 53;

// To wake another processor would be most of the cost. Where that is not permitted, it is.
class OnOneProcessor {
 public:
  OnOneProcessor() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OnOneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }
  OnOneProcessor(const OnOneProcessor&) = delete;
  OnOneProcessor& operator=(const OnOneProcessor&) = delete;

 private:
  cpu_set_t before_{};
};

bool Pass(int from, int to) {
  Bytes bytes{};
  return read(from, bytes.data(), bytes.size()) == ssize_t{bytes.size()} &&
         write(to, bytes.data(), bytes.size()) == ssize_t{bytes.size()};
}

void Ask(int64_t requests) {
  const OnOneProcessor bound;
  std::array<int, 2> asks{};
  std::array<int, 2> answers{};
  CM_CHECK(pipe(asks.data()) == 0 && pipe(answers.data()) == 0);
  const pid_t child = fork();
  CM_CHECK(child >= 0);
  if (child == 0) {
    while (requests-- > 0 && Pass(asks[0], answers[1])) continue;
    _exit(0);
  }
  const Bytes first{};
  CM_CHECK(write(asks[1], first.data(), first.size()) == ssize_t{first.size()});
  while (--requests > 0) CM_CHECK(Pass(answers[0], asks[1]));
  waitpid(child, nullptr, 0);
  for (const int end : {asks[0], asks[1], answers[0], answers[1]}) close(end);
}

void MeasureEach(benchmark::State& state, int64_t count, int64_t requests) {
  for (auto _ : state) {
    const double before = CpuSecondsOfAll();
    Ask(count * requests);
    state.counters["ns_each"] = 1e9 * (CpuSecondsOfAll() - before) / static_cast<double>(count);
  }
}

}  // namespace

void FloorRequests() {
  Figure("polled/1000/pipe", 1,
         [](benchmark::State& state) { MeasureEach(state, Scaled(2000), kOfAMessage); });
  Figure("held/1000/pipe", 1,
         [](benchmark::State& state) { MeasureEach(state, Scaled(1000), kOfAConnection); });
  Figure("channels/400/pipe", 1,
         [](benchmark::State& state) { MeasureEach(state, Scaled(400), kWithQueues); });
}

}  // namespace cm::bench
