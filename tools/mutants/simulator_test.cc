// The mutants of the simulator: how many there are, and that the suite tells some of them apart.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tools/mutants/report.h"
#include "tools/mutants/suite.h"
#include "tools/mutants/switch.h"
#include "tools/mutants/trial.h"

namespace cm::mutant {
namespace {

TEST(TheSimulator, HasAThousandMutantsOfEveryKindInEveryFolder) {
  const std::vector<Mutant> mutants = Mutants();
  EXPECT_GE(mutants.size(), 1000u);
  std::map<std::string, int> folders;
  std::set<Kind> kinds;
  for (size_t i = 0; i < mutants.size(); ++i) {
    EXPECT_EQ(mutants[i].number, static_cast<int>(i) + 1);
    ++folders[FolderOf(mutants[i])];
    kinds.insert(mutants[i].row->kind);
  }
  EXPECT_EQ(kinds.size(), std::size(kKinds));
  for (const char* const folder : {"sim/core", "sim/fabric", "sim/ib_cm", "sim/iw_cm", "sim/lib",
                                   "sim/rdma_cm", "sim/verbs", "sim/codec", "sim/world"})
    EXPECT_GT(folders[folder], 10) << folder;
  EXPECT_EQ(folders.size(), 9u);
}

TEST(TheSuite, SeesNothingWrongWithoutAMutantAndTheSameEachTime) {
  const SuiteOptions options = {.profiles = {"6.1-rxe"}, .sequences = 50};
  const Sight one = LookWithSuite(0, options);
  const Sight two = LookWithSuite(0, options);
  EXPECT_FALSE(one.failed) << one.claims;
  EXPECT_EQ(one.digest, two.digest);
  EXPECT_FALSE(one.reached);
}

// The first mutant like that; 0 when there is none.
int NumberOf(Kind kind, std::string_view function) {
  for (const Mutant& mutant : Mutants())
    if (mutant.row->kind == kind && mutant.row->function == function) return mutant.number;
  return 0;
}

TEST(TheSuite, FindsAMutantAndSaysWhere) {
  const int number = NumberOf(Kind::kReturn, "GetCmEvent");
  const int other = NumberOf(Kind::kReturn, "IwCm::Connect");
  ASSERT_NE(other, 0);
  const SuiteOptions options = {.profiles = {"6.1-rxe"}, .sequences = 50};
  const auto look = [&](int mutant) { return LookWithSuite(mutant, options); };
  std::vector<Trial> trials;
  ASSERT_EQ(TryAll({number, other}, look, {}, 1, [&](const Trial& t) { trials.push_back(t); }), "");
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_TRUE(number == 0 || Noticed(trials[0].outcome)) << ToString(trials[0].outcome);
  // iWARP is another profile's.
  EXPECT_EQ(trials[1].outcome, Outcome::kUnreached);
}

}  // namespace
}  // namespace cm::mutant
