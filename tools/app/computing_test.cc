// Virtual time passes with the instructions of programs, where they are counted. They are counted
// here by an object that the programs themselves say them to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/base/duration.h"
#include "tools/app/run_programs.h"

namespace cm::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kRate = 3'000'000'000;
// For the 30 million instructions of the program.
constexpr int64_t kComputed = 10'000'000;
constexpr int64_t kReading = 100;  // of a clock

// The first lines that differ; empty where all are the same.
std::string FirstDifference(const std::vector<std::string>& one,
                            const std::vector<std::string>& other) {
  const auto differ = std::ranges::mismatch(one, other);
  if (differ.in1 == one.end() && differ.in2 == other.end()) return {};
  const std::string first = differ.in1 == one.end() ? "(the end)" : *differ.in1;
  const std::string second = differ.in2 == other.end() ? "(the end)" : *differ.in2;
  return first + " | " + second;
}

class Computing : public Programs {
 protected:
  static Ran RunThem(std::vector<ProgramToRun> programs, uint64_t rate = kRate) {
    std::vector<char> here(4096);
    if (getcwd(here.data(), here.size()) == nullptr) ADD_FAILURE() << "no folder";
    Ran ran = RunPrograms(
        std::move(programs),
        {.instructions = rate,
         .object = std::string(here.data()) + "/sim/fake_libibverbs/libcmsim_synthetic.so"});
    EXPECT_EQ(ran.problem, "");
    EXPECT_TRUE(ran.report.clean());
    EXPECT_THAT(ran.report.waiting, IsEmpty());
    EXPECT_FALSE(ran.report.in_real_time);
    return ran;
  }

  static Ran RunIt(const std::string& how, uint64_t rate = kRate) {
    return RunThem({Beside(kActiveSide, "computing " + how)}, rate);
  }

  // The nanoseconds that a program has printed after these words; -1 when it has not.
  static int64_t After(const Ran& ran, const std::string& words) {
    for (const std::string& line : ran.output)
      if (const size_t at = line.find("| " + words + " "); at != std::string::npos)
        return std::stoll(line.substr(at + words.size() + 3));
    ADD_FAILURE() << "no '" << words << "' in " << testing::PrintToString(ran.output);
    return -1;
  }
};

TEST_F(Computing, TakesTheTimeOfItsInstructions) {
  EXPECT_THAT(RunIt("clock").output, ElementsAre("active| took 10000100ns"));
  EXPECT_THAT(RunIt("clock", 1'000'000'000).output, ElementsAre("active| took 30000100ns"));
}

TEST_F(Computing, TakesNoneWithoutTheOption) {
  EXPECT_THAT(RunIt("clock", 0).output, ElementsAre("active| took 100ns"));
}

TEST_F(Computing, IsTheSameInEveryRun) {
  const Ran first = RunIt("lock");
  const Ran again = RunIt("lock");
  EXPECT_EQ(again.output, first.output);
  EXPECT_EQ(again.report.digest, first.report.digest);
}

TEST_F(Computing, OfEachThreadCountsForItself) {
  const Ran ran = RunIt("thread");
  EXPECT_EQ(After(ran, "took"), kComputed + kReading);
  EXPECT_EQ(After(ran, "the first one"), kReading);
}

TEST_F(Computing, OfAChildIsHeardOfThatMuchLater) {
  const Ran ran = RunIt("child");
  EXPECT_EQ(After(ran, "took"), kComputed + kReading);
  const int64_t heard = After(ran, "heard after");
  EXPECT_GE(heard, 2 * kComputed);
  EXPECT_LE(heard, 2 * kComputed + 10'000);
}

TEST_F(Computing, KeepsALockForThatLong) {
  const int64_t locked = After(RunIt("lock"), "locked for");
  EXPECT_GE(locked, kComputed);
  EXPECT_LE(locked, kComputed + 20'000);
  EXPECT_LE(After(RunIt("lock", 0), "locked for"), 20'000);
}

TEST_F(Computing, DelaysWhatThePeerSees) {
  for (const uint64_t rate : {kRate, uint64_t{0}}) {
    const Ran ran = RunThem({Beside(kPassiveSide, "computing listen"),
                             Beside(kActiveSide, "computing connect PASSIVE")},
                            rate);
    const int64_t late = After(ran, "asked at") - After(ran, "computes at");
    EXPECT_GE(late, rate == 0 ? 0 : kComputed);
    EXPECT_LE(late, (rate == 0 ? 0 : kComputed) + 100'000);
  }
}

TEST_F(Computing, ComesBeforeASleep) {
  const int64_t woke = After(RunIt("asleep"), "woke after");
  EXPECT_GE(woke, kComputed + 20'000'000);
  EXPECT_LE(woke, kComputed + 20'000'000 + 1'000);
}

TEST_F(Computing, BetweenAllFunctionsDisturbsNone) {
  for (const int instructions : {1'000, 7'000, 30'000, 45'001, 300'000}) {
    const std::string env = "env SYNTHETIC_INSTRUCTIONS=" + std::to_string(instructions) + " ";
    for (const auto& [passive, active] :
         {std::pair<std::string, std::string>{"udaddy", "udaddy -s PASSIVE"},
          {"rping -s -C 3", "rping -c -C 3 -a PASSIVE"}}) {
      const std::vector<ProgramToRun> programs = {Stock(kPassiveSide, env + passive),
                                                  Stock(kActiveSide, env + active)};
      const Ran ran = RunThem(programs);
      const Ran again = RunThem(programs);
      EXPECT_EQ(FirstDifference(again.trace, ran.trace), "") << env << active;
      EXPECT_EQ(again.report.digest, ran.report.digest) << env << active;
    }
  }
}

TEST_F(Computing, CountsWhateverDescriptorsAProgramCloses) {
  EXPECT_THAT(RunIt("closed").output, ElementsAre("active| took 10000100ns"));
}

TEST_F(Computing, CountsBeforeAnExecAndAfterIt) {
  const Ran ran = RunIt("replaced");
  EXPECT_THAT(ran.output, ElementsAre("active| took 10000100ns"));
  EXPECT_GE(ran.report.ended - Instant(), Duration::Nanoseconds(2 * kComputed));
}

}  // namespace
}  // namespace cm::app
