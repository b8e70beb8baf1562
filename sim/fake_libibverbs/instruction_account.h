// Virtual time that a thread's own code takes, by the readings of a counter of its instructions.
#ifndef SIM_FAKE_LIBIBVERBS_INSTRUCTION_ACCOUNT_H_
#define SIM_FAKE_LIBIBVERBS_INSTRUCTION_ACCOUNT_H_

#include <cstdint>
#include <utility>

namespace cm::sim::fake_libibverbs {

// The program's code runs between a Resume and the next Pause, which are given the readings of the
// counter; only what is retired there counts. For a thread that first appears Resume comes first.
//
// Time grows in whole steps, so that the few instructions which an interrupt adds seldom change it.
// What is less than a step stays for the next time.
class InstructionAccount {
 public:
  static constexpr uint64_t kStep = 1'000;  // nanoseconds

  void Resume(uint64_t reading) {
    since_ = reading;
    runs_ = true;
  }

  // Readings may wrap between the two.
  void Pause(uint64_t reading) {
    if (std::exchange(runs_, false)) retired_ += reading - since_;
  }

  // The nanoseconds that have not been taken yet. `rate` is in instructions a second, from 1 to
  // 10^12, and the same at each call.
  int64_t Take(uint64_t rate) {
    constexpr uint64_t kStepsPerSecond = 1'000'000'000 / kStep;
    const uint64_t retired = std::exchange(retired_, 0);
    const uint64_t rest = rest_ + retired % rate * kStepsPerSecond;
    rest_ = rest % rate;
    return static_cast<int64_t>((retired / rate * kStepsPerSecond + rest / rate) * kStep);
  }

 private:
  uint64_t since_ = 0;    // the reading when the program's code went on
  uint64_t retired_ = 0;  // since the last Take
  uint64_t rest_ = 0;     // of a step, which has `rate` of these
  bool runs_ = false;
};

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_INSTRUCTION_ACCOUNT_H_
