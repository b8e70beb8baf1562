#include "tools/mutants/trial.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <utility>

#include "model/base/check.h"

namespace cm::mutant {
namespace {

// A program with seven mutants, each of which comes to something else.
Sight LookAt(int mutant) {
  const Sight normal = {.reached = true, .claims = {}, .profile = "p", .digest = 1};
  volatile uint64_t turns = 0;
  switch (mutant) {
    case 1:
      return {.reached = true,
              .failed = true,
              .claims = "ROWS-1 rdma_connect, EST-1",
              .profile = "6.1-siw",
              .sequence = 12,
              .digest = 2};
    case 2:
      CM_CHECK(mutant != 2) << "it is 2";
      break;
    case 3:
      for (;;) turns = turns + 1;
      break;
    case 4:
      return {.reached = true, .claims = {}, .profile = "p", .digest = 2};
    case 5:
      return normal;
    case 6:
      return {.reached = false, .claims = {}, .profile = "p", .digest = 1};
    case 7:
      std::_Exit(3);
  }
  return normal;
}

std::vector<Trial> TrialsOf(const std::vector<int>& mutants, int jobs) {
  std::vector<Trial> trials;
  EXPECT_EQ(TryAll(mutants, LookAt, {.cpu_seconds = 1}, jobs,
                   [&](const Trial& trial) { trials.push_back(trial); }),
            "");
  return trials;
}

TEST(ATrial, IsWhatItsProcessComesTo) {
  const std::vector<Trial> trials = TrialsOf({1, 2, 3, 4, 5, 6, 7}, 1);
  ASSERT_EQ(trials.size(), 7u);
  EXPECT_EQ(trials[0].outcome, Outcome::kFound);
  EXPECT_EQ(trials[0].by, "ROWS-1 rdma_connect, EST-1");
  EXPECT_EQ(trials[0].profile, "6.1-siw");
  EXPECT_EQ(trials[0].sequence, 12u);
  EXPECT_EQ(trials[1].outcome, Outcome::kCrashed);
  EXPECT_NE(trials[1].by.find("SIGABRT: "), std::string::npos) << trials[1].by;
  EXPECT_NE(trials[1].by.find("it is 2"), std::string::npos) << trials[1].by;
  EXPECT_EQ(trials[2].outcome, Outcome::kHung);
  EXPECT_EQ(trials[3].outcome, Outcome::kSurvived);
  EXPECT_EQ(trials[4].outcome, Outcome::kUnseen);
  EXPECT_EQ(trials[5].outcome, Outcome::kUnreached);
  EXPECT_EQ(trials[6].outcome, Outcome::kCrashed);
  EXPECT_EQ(trials[6].by, "exit code 3");
}

TEST(Trials, ComeInTheOrderOfTheMutantsHoweverManyAreTriedAtATime) {
  const std::vector<Trial> trials = TrialsOf({3, 5, 1, 6}, 3);
  ASSERT_EQ(trials.size(), 4u);
  EXPECT_EQ(trials[0].mutant, 3);
  EXPECT_EQ(trials[0].outcome, Outcome::kHung);
  EXPECT_EQ(trials[1].mutant, 5);
  EXPECT_EQ(trials[2].mutant, 1);
  EXPECT_EQ(trials[3].mutant, 6);
}

TEST(Trials, AreNotMadeOfAProgramThatIsWrongWithoutAnyMutant) {
  const auto look = [](int) {
    return Sight{.reached = false, .failed = true, .claims = "EST-1", .profile = "p"};
  };
  bool tried = false;
  EXPECT_EQ(TryAll({1}, look, {}, 1, [&](const Trial&) { tried = true; }),
            "without any mutant: found EST-1");
  EXPECT_FALSE(tried);
}

}  // namespace
}  // namespace cm::mutant
