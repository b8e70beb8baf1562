// One figure of a benchmark: a name that is the same in every program, and a measured function.
//
// 1. A name is JOB/SIZE/VARIANT. It is compared with the same JOB/SIZE of other programs.
// 2. An iteration is one unit of the job: one event, one cycle, one record.
// 3. The measured code is in a function whose name begins with Measured and which is never inlined,
//    so that callgrind can count its instructions and no others.
// 4. All code before it is preparation and is repeated for every figure: the number of iterations
//    is fixed, so that Google Benchmark does not look for one.
#ifndef TOOLS_BENCH_FIGURE_H_
#define TOOLS_BENCH_FIGURE_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>

namespace cm::bench {

// This many iterations, divided by BENCH_DIVISOR: callgrind is slow.
int64_t Scaled(int64_t iterations);

using Body = std::function<void(benchmark::State&)>;
void Figure(const std::string& name, int64_t iterations, Body body);

// Runs the figures that the arguments select.
int RunFigures(int argc, char** argv);

// Resident memory of the process, in bytes.
double ResidentBytes();

// CPU time used by the process.
double CpuSeconds();

// The same, and that of the processes which it has started and which have ended.
double CpuSecondsOfAll();

// Calls measured(n) once, for all iterations of the figure.
template <typename Measured>
void MeasureOnce(benchmark::State& state, Measured measured) {
  while (state.KeepRunningBatch(state.max_iterations)) measured(state.max_iterations);
  state.SetItemsProcessed(state.iterations());
}

// Fast random numbers, the same in every program.
class Random {
 public:
  uint64_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

 private:
  uint64_t state_ = 0x9e3779b97f4a7c15;
};

}  // namespace cm::bench

#endif  // TOOLS_BENCH_FIGURE_H_
