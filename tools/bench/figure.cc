#include "tools/bench/figure.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <utility>

namespace cm::bench {

int64_t Scaled(int64_t iterations) {
  const char* const divisor = std::getenv("BENCH_DIVISOR");
  const int64_t by = divisor == nullptr ? 1 : std::strtoll(divisor, nullptr, 10);
  return std::max<int64_t>(iterations / std::max<int64_t>(by, 1), 1);
}

void Figure(const std::string& name, int64_t iterations, Body body) {
  benchmark::RegisterBenchmark(name.c_str(), std::move(body))->Iterations(Scaled(iterations));
}

int RunFigures(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// source: man proc(5), /proc/pid/statm
double ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  double size = 0;
  double resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// source: man clock_gettime(3)
double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// source: man getrusage(2)
double CpuSecondsOfAll() {
  double all = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime})
      all += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return all;
}

}  // namespace cm::bench
