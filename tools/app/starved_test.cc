// A program that gets next to no processor time is waited for: its run is the same as on an idle
// machine. It takes half a minute or more to tell it from one that goes on and on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <string>
#include <thread>

#include "tools/app/run_programs.h"

namespace cm::app {
namespace {

using testing::ElementsAre;

// It keeps the processor on which it was begun from all that want it less.
class Busy {
 public:
  Busy() : thread_([this] { Run(); }) {
    while (processor_ < 0) std::this_thread::yield();
  }
  ~Busy() {
    ends_ = true;
    thread_.join();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  int processor() const { return processor_; }

 private:
  void Run() {
    const int here = sched_getcpu();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(here, &one);
    sched_setaffinity(0, sizeof one, &one);
    processor_ = here;
    while (!ends_) continue;
  }

  std::atomic<int> processor_{-1};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

TEST_F(Programs, ThatGetNoProcessorForLongAreWaitedFor) {
  const Busy busy;
  const Ran ran = RunAll({Beside(kActiveSide, "waits idle " + std::to_string(busy.processor()))});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.output, ElementsAre("active| computed"));
}

}  // namespace
}  // namespace cm::app
