#include "sim/core/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cm::sim {
namespace {

Event Of(int64_t at, EventKind kind, uint32_t on) {
  return Event::Of(Instant::FromNanoseconds(at), kind, on);
}

uint64_t FingerprintOf(const std::vector<Event>& events) {
  Journal journal;
  for (const Event& event : events) journal.Note(event);
  return journal.fingerprint();
}

TEST(Journal, TellsRunsApartThatDifferInOneEvent) {
  const std::vector<Event> run = {Of(5, EventKind::kMadTimer, 1), Of(5, EventKind::kMadTimer, 2),
                                  Of(9, EventKind::kPacketArrives, 1)};
  std::vector<std::vector<Event>> others(6, run);
  others[0].pop_back();
  std::swap(others[1][0], others[1][1]);
  others[2][0] = Of(4, EventKind::kMadTimer, 1);
  others[3][2] = Of(9, EventKind::kTimewaitOver, 1);
  others[4][2] = Of(9, EventKind::kPacketArrives, 3);
  others[5].push_back(Of(9, EventKind::kPacketArrives, 1));
  std::set<uint64_t> fingerprints = {FingerprintOf(run)};
  for (const std::vector<Event>& other : others) fingerprints.insert(FingerprintOf(other));
  EXPECT_EQ(fingerprints.size(), 7u);
  EXPECT_EQ(FingerprintOf(run), FingerprintOf(run));
}

// Every bit of a first event affects the result after later ones.
TEST(Journal, RemembersEveryBitOfTheFirstEvent) {
  std::set<uint64_t> fingerprints;
  for (int bit = 0; bit < 62; ++bit)
    fingerprints.insert(FingerprintOf({Of(int64_t{1} << bit, EventKind::kPacketArrives, 0),
                                       Of(int64_t{1} << 62, EventKind::kPacketArrives, 0)}));
  for (int bit = 0; bit < 32; ++bit)
    fingerprints.insert(FingerprintOf({Of(0, EventKind::kPacketArrives, 1u << bit),
                                       Of(int64_t{1} << 62, EventKind::kPacketArrives, 0)}));
  EXPECT_EQ(fingerprints.size(), 94u);
}

TEST(Journal, KeepsTheLastOnes) {
  Journal journal(4);
  std::vector<uint64_t> fingerprints;
  for (uint32_t i = 0; i < 10; ++i) {
    journal.Note(Of(i, EventKind::kMadTimer, i));
    fingerprints.push_back(journal.fingerprint());
  }
  EXPECT_EQ(journal.noted(), 10u);
  for (uint32_t i = 6; i < 10; ++i) {
    EXPECT_EQ(journal.ring()[i % 4].event, Of(i, EventKind::kMadTimer, i));
    EXPECT_EQ(journal.ring()[i % 4].fingerprint, fingerprints[i]);
  }
}

TEST(AJsonLine, SaysWhatTheRecordDoes) {
  std::string text = "before\n";
  AppendJsonLine({Of(10'000, EventKind::kPacketArrives, 3), 0x0011223344556677}, &text);
  EXPECT_EQ(text,
            "before\n"
            "{\"at\":10000,\"kind\":\"packet-arrives\",\"on\":3,"
            "\"fingerprint\":\"0011223344556677\"}\n");
}

TEST(AJsonLine, HasRoomForTheLongestRecord) {
  for (int kind = 0; kind < kEventKindCount; ++kind) {
    std::string text;
    const Event event =
        Event::Of(Instant::Never(), static_cast<EventKind>(kind), uint32_t{0xffffffff});
    AppendJsonLine({event, ~uint64_t{0}}, &text);
    EXPECT_THAT(text, testing::HasSubstr("\"at\":9223372036854775807,"));
    EXPECT_THAT(text, testing::HasSubstr("\"on\":4294967295,"));
    EXPECT_THAT(text, testing::EndsWith("\"ffffffffffffffff\"}\n"));
    EXPECT_THAT(text, testing::HasSubstr(ToString(static_cast<EventKind>(kind))));
  }
}

}  // namespace
}  // namespace cm::sim
