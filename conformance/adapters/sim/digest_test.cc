// The pinned digests: of the first 500 sequences of seed 1 on each topology, and under each
// profile.
//
// A digest covers everything observable. It is equal between runs, processes, compilers,
// optimisation levels and values of uninitialised memory, unless one of them has an influence. Run
// it with --config=clang, --config=dbg0 and --config=pattern as well. It changes with every change
// of the drawn sequences or of the simulator's behaviour: then write the new numbers here, and name
// the change in the commit.
#include "model/base/digest.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/perform.h"
#include "conformance/walks/walk.h"
#include "model/conversation/history.h"

namespace cm {
namespace {

constexpr uint64_t kSequences = 500;

struct Digests {
  uint64_t seen = 0;
  uint64_t wire = 0;
  friend bool operator==(const Digests&, const Digests&) = default;
};

// The run's digest is the hash of the sequences' digests in the order of their numbers.
Digests RunOf(std::string_view topology, uint64_t seed, std::string_view dialect = "6.1-rxe") {
  const Profile& profile = *FindProfile(dialect);
  const auto simulator =
      MakeSimImplementation({.profile = profile, .capabilities = profile.capabilities});
  DrawOptions options{.topology = FindTopology(topology),
                      .profile = profile,
                      .capabilities = profile.capabilities,
                      .seed = seed};
  Digest seen;
  Digest wire;
  for (uint64_t index = 0; index < kSequences; ++index) {
    options.index = index;
    const Conversation conversation = Draw(options);
    const std::unique_ptr<Session> session = simulator->Start(conversation);
    const History history = Perform(conversation, *session);
    seen.U64(DigestOf(history, index));
    wire.U64(WireDigestOf(history, index));
  }
  return {seen.Value(), wire.Value()};
}

TEST(ADigest, IsTheSameWhereverItIsComputed) {
  EXPECT_EQ(RunOf("two-kernels", 1), (Digests{0xc3fcfc842fd020d4, 0xea4da193d5b4abff}));
  EXPECT_EQ(RunOf("one-kernel-two-devices", 1), (Digests{0x2d52ec56e752ef14, 0x1e2866a4a752ee06}));
  EXPECT_EQ(RunOf("one-device-two-ports", 1), (Digests{0xf48e76e899043680, 0x03634017038914f8}));
  EXPECT_EQ(RunOf("bond", 1), (Digests{0x88ff9e474a8e14f9, 0x768002ccaa3da9b8}));
}

TEST(ADigest, IsOfItsProfile) {
  EXPECT_EQ(RunOf("two-kernels", 1, "6.12-rxe"), (Digests{0x3af9dd0cf1cfef14, 0xb4e2bc42ce86167d}));
  EXPECT_EQ(RunOf("two-kernels", 1, "7.2-rxe"), (Digests{0xc16942e772b2eb45, 0x25a473e9c1f78f42}));
  EXPECT_EQ(RunOf("two-kernels", 1, "6.1-siw"), (Digests{0x662a7fc2abb0b178, 0x59cb161c0757c52c}));
  EXPECT_EQ(RunOf("two-kernels", 1, "6.1-ib"), (Digests{0xa5cea7f512b6439f, 0x25f9b996265cfb9a}));
}

TEST(ADigest, IsTheSameWhenTheRunIsRepeated) {
  EXPECT_EQ(RunOf("two-kernels", 2), RunOf("two-kernels", 2));
}

TEST(ADigest, DependsOnTheSeed) {
  const Digests one = RunOf("two-kernels", 1);
  const Digests two = RunOf("two-kernels", 2);
  EXPECT_NE(one.seen, two.seen);
  EXPECT_NE(one.wire, two.wire);
}

}  // namespace
}  // namespace cm
