// One figure of a benchmark: a name that is the same in every program, and what is measured.
//
// 1. A name is JOB/SIZE/VARIANT. What another program calls JOB/SIZE is compared with it.
// 2. An iteration is one unit of the job: one event, one cycle, one record.
// 3. What is measured happens in a function whose name begins with Measured and which is never
//    inlined, so that callgrind can count its instructions and no others.
// 4. Everything before is preparation and is repeated for every figure: the number of iterations is
//    fixed, so that Google Benchmark does not look for one.
#ifndef TOOLS_BENCH_FIGURE_H_
#define TOOLS_BENCH_FIGURE_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>

namespace cm::bench {

// So many iterations, fewer when BENCH_DIVISOR says so: callgrind is slow.
int64_t Scaled(int64_t iterations);

using Body = std::function<void(benchmark::State&)>;
void Figure(const std::string& name, int64_t iterations, Body body);

// Runs the figures that the arguments ask for.
int RunFigures(int argc, char** argv);

// Bytes of memory that the process has at present.
double ResidentBytes();

// CPU time that the process has used.
double CpuSeconds();

// Calls measured(n) once, for all iterations of the figure.
template <typename Measured>
void MeasureOnce(benchmark::State& state, Measured measured) {
  while (state.KeepRunningBatch(state.max_iterations)) measured(state.max_iterations);
  state.SetItemsProcessed(state.iterations());
}

// Random numbers that cost next to nothing, the same in every program.
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
