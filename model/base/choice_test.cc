#include "model/base/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace cm {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Lt;

std::vector<uint64_t> Drawn(Choice& choice, int times, uint64_t bound) {
  std::vector<uint64_t> drawn;
  for (int i = 0; i < times; ++i) drawn.push_back(choice.Below(bound, "a number"));
  return drawn;
}

std::vector<uint64_t> DrawnFrom(StreamState state, int times, uint64_t bound) {
  RandomChoice choice(&state);
  return Drawn(choice, times, bound);
}

TEST(RandomChoice, StaysBelowItsBound) {
  for (const uint64_t bound : {1u, 2u, 3u, 7u, 1000u})
    EXPECT_THAT(DrawnFrom(NamedStream(1, "s"), 500, bound), Each(Lt(bound)));
}

TEST(RandomChoice, DrawsEveryNumberAboutEquallyOften) {
  std::vector<int> count(6);
  for (const uint64_t n : DrawnFrom(NamedStream(1, "dice"), 60000, 6)) ++count[n];
  // Six standard deviations of a binomial distribution around 10000.
  EXPECT_THAT(count, Each(testing::AllOf(testing::Gt(9450), testing::Lt(10550))));
}

TEST(RandomChoice, IsAFunctionOfSeedNameAndCounter) {
  EXPECT_EQ(DrawnFrom(NamedStream(7, "s"), 50, 1000), DrawnFrom(NamedStream(7, "s"), 50, 1000));
  EXPECT_NE(DrawnFrom(NamedStream(7, "s"), 50, 1000), DrawnFrom(NamedStream(8, "s"), 50, 1000));
  EXPECT_NE(DrawnFrom(NamedStream(7, "s"), 50, 1000), DrawnFrom(NamedStream(7, "t"), 50, 1000));
}

TEST(RandomChoice, DoesNotCareWhatADecisionIsCalled) {
  StreamState one = NamedStream(7, "s");
  StreamState other = one;
  RandomChoice a(&one);
  RandomChoice b(&other);
  for (int i = 0; i < 20; ++i) {
    const uint64_t first = a.Below(100, "one name");
    EXPECT_EQ(first, b.Below(100, "another"));
  }
}

TEST(RandomChoice, GoesOnWhereACopyOfItsStateWasTaken) {
  StreamState state = NamedStream(7, "s");
  RandomChoice choice(&state);
  Drawn(choice, 10, 100);
  const StreamState copy = state;
  EXPECT_EQ(Drawn(choice, 10, 100), DrawnFrom(copy, 10, 100));
  EXPECT_NE(state, copy);
}

TEST(NamedStreams, DoNotDisturbOneAnother) {
  StreamState delays = NamedStream(7, "delays");
  StreamState losses = NamedStream(7, "losses");
  RandomChoice delay(&delays);
  RandomChoice loss(&losses);
  std::vector<uint64_t> mixed;
  for (int i = 0; i < 20; ++i) {
    mixed.push_back(delay.Below(1000, "delay"));
    for (int j = 0; j < i; ++j) loss.Below(3, "loss");
  }
  EXPECT_EQ(mixed, DrawnFrom(NamedStream(7, "delays"), 20, 1000));
}

TEST(RecordingChoice, WritesDownWhatReplayRepeats) {
  StreamState state = NamedStream(3, "s");
  RandomChoice random(&state);
  RecordingChoice recording(&random);
  std::vector<uint64_t> first;
  for (const uint64_t bound : {10u, 2u, 1u, 77u}) first.push_back(recording.Below(bound, "x"));
  ASSERT_EQ(recording.record().size(), 4u);
  EXPECT_EQ(recording.record()[3].bound, 77u);
  EXPECT_EQ(recording.record()[3].what, "x");
  ReplayChoice replay(recording.record());
  std::vector<uint64_t> second;
  for (const uint64_t bound : {10u, 2u, 1u, 77u}) second.push_back(replay.Below(bound, "y"));
  EXPECT_EQ(first, second);
}

TEST(ReplayChoice, SaysZeroPastItsEndAndWhereANumberDoesNotFit) {
  ReplayChoice replay({{.taken = 5, .bound = 9}, {.taken = 5, .bound = 9}});
  const uint64_t fits = replay.Below(6, "");
  const uint64_t does_not_fit = replay.Below(5, "");
  const uint64_t past_the_end = replay.Below(9, "");
  EXPECT_THAT((std::vector<uint64_t>{fits, does_not_fit, past_the_end}), ElementsAre(5, 0, 0));
}

TEST(ExhaustiveChoice, TakesEveryCombinationOnce) {
  ExhaustiveChoice choice;
  std::multiset<std::string> seen;
  do {
    // The second bound depends on what was drawn first: 2 + 3 + 4 ways.
    const uint64_t a = choice.Below(3, "a");
    const uint64_t b = choice.Below(a + 2, "b");
    seen.insert(std::to_string(a) + std::to_string(b));
  } while (choice.Next());
  EXPECT_THAT(seen, ElementsAre("00", "01", "10", "11", "12", "20", "21", "22", "23"));
}

TEST(ExhaustiveChoice, IsOverAtOnceWhereNothingIsDecided) {
  ExhaustiveChoice choice;
  EXPECT_FALSE(choice.Next());
  ExhaustiveChoice forced;
  forced.Below(1, "only one");
  EXPECT_FALSE(forced.Next());
}

TEST(OneIn, IsTrueForZeroAlone) {
  ReplayChoice replay({{.taken = 0, .bound = 4}, {.taken = 3, .bound = 4}});
  const bool first = replay.OneIn(4, "");
  const bool second = replay.OneIn(4, "");
  EXPECT_TRUE(first);
  EXPECT_FALSE(second);
}

}  // namespace
}  // namespace cm
