// Both ends of the service, on two hosts, under a thousand seeds, most of them with faults.
#include "examples/echo/echo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>

#include "model/base/choice.h"
#include "model/base/duration.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/topology.h"
#include "sim/harness/harness.h"

namespace echo {
namespace {

using cm::Duration;
using cm::FaultKind;
using cm::MadKind;

constexpr uint64_t kSeeds = 1000;
constexpr const char* kServer = "10.0.1.1";  // the passive side of the topology two-kernels

Duration AtMost(cm::Choice& choice, int64_t milliseconds) {
  const uint64_t drawn = choice.Below(static_cast<uint64_t>(milliseconds) * 1000, "when");
  return Duration::Microseconds(static_cast<int64_t>(drawn));
}

// A message of the handshake or of the disconnect is lost, once or repeatedly, or delayed.
cm::Fault PacketFault(cm::Choice& choice) {
  constexpr auto kMessages =
      std::to_array({MadKind::kReq, MadKind::kRep, MadKind::kRtu, MadKind::kDreq, MadKind::kDrep});
  cm::Fault fault;
  fault.messages = cm::MadKinds(kMessages[choice.Below(kMessages.size(), "which message")]);
  fault.side = cm::kAnySide;
  if (choice.OneIn(3, "late")) {
    fault.kind = FaultKind::kDelay;
    fault.by = AtMost(choice, 20'000);
    return fault;
  }
  fault.last = static_cast<uint32_t>(choice.Below(3, "how often"));  // 0: always
  return fault;
}

void DrawFaults(cm::Choice& choice, cm::sim::Harness* harness) {
  const uint64_t count = choice.Below(3, "how many faults");
  for (uint64_t i = 0; i < count; ++i) {
    const auto side = static_cast<uint8_t>(choice.Below(2, "whose"));
    switch (choice.Below(4, "what")) {
      case 0:
        harness->At(AtMost(choice, 3), {.kind = FaultKind::kLinkDown, .side = side});
        if (choice.OneIn(2, "up again"))
          harness->At(AtMost(choice, 20'000), {.kind = FaultKind::kLinkUp, .side = side});
        break;
      case 1:
        harness->At(AtMost(choice, 3), {.kind = FaultKind::kRemoveDevice, .side = side});
        break;
      default:
        harness->At(Duration(), PacketFault(choice));
    }
  }
}

struct Seen {
  cm::sim::Outcome outcome;
  Ending ending = Ending::kFailed;
  std::string answer;
};

Seen RunOnce(uint64_t seed, Mistake mistake) {
  cm::sim::Harness harness({.seed = seed});
  cm::StreamState coins = cm::NamedStream(seed, "faults");
  cm::RandomChoice choice(&coins);
  DrawFaults(choice, &harness);
  const Options options = {.mistake = mistake};
  Seen seen;
  harness.AddProgram("passive", "server", [&] { Serve(options); });
  harness.AddProgram("active", "client",
                     [&] { seen.ending = Ask(options, kServer, "hello", &seen.answer); });
  seen.outcome = harness.Run();
  return seen;
}

TEST(Echo, EndsWellWhateverHappensToTheNetwork) {
  std::map<Ending, int> endings;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Seen seen = RunOnce(seed, Mistake::kNone);
    ASSERT_TRUE(seen.outcome.Clean()) << "seed " << seed << "\n" << seen.outcome.Text();
    if (seen.ending == Ending::kDone) {
      ASSERT_EQ(seen.answer, "hello") << "seed " << seed << "\n" << seen.outcome.Text();
    }
    ++endings[seen.ending];
  }
  for (const auto& [ending, count] : endings)
    std::cout << count << " times: " << ToString(ending) << "\n";
  EXPECT_GT(endings[Ending::kDone], 0);
  EXPECT_GT(endings[Ending::kUnreachable], 0);
  EXPECT_EQ(endings[Ending::kFailed], 0);
}

// Prints the first conversation that does not end well, and its seed.
TEST(Echo, AForgottenAcknowledgementIsFound) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Seen seen = RunOnce(seed, Mistake::kForgetsToAcknowledgeFailures);
    if (seen.outcome.Clean()) continue;
    std::cout << "seed " << seed << "\n" << seen.outcome.Text();
    EXPECT_THAT(seen.outcome.waiting, testing::Contains(testing::HasSubstr("rdma_ack_cm_event")));
    return;
  }
  FAIL() << "not found under any of " << kSeeds << " seeds";
}

}  // namespace
}  // namespace echo
