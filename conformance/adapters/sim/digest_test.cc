// One place where digests are written down: what the first 500 sequences of seed 1 come to on each
// topology, and under each profile.
//
// A digest is over everything observable, so that it is equal between runs, processes, compilers,
// optimisation levels and values of uninitialised memory, or one of them decides something. Run it
// with --config=clang, --config=dbg0 and --config=pattern as well. It changes with every change of
// what is drawn or of what the simulator does: then write the new numbers here, and say in the
// commit what has changed.
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
  EXPECT_EQ(RunOf("two-kernels", 1), (Digests{0xa55c3344c11369ca, 0x83c8bc4a6fbe15f6}));
  EXPECT_EQ(RunOf("one-kernel-two-devices", 1), (Digests{0xb5bd2ab73c5ce2c2, 0x2d6f957bcc17763c}));
  EXPECT_EQ(RunOf("bond", 1), (Digests{0xda172497ccbe2d46, 0x8578ba11ea0f213e}));
}

TEST(ADigest, IsOfItsProfile) {
  EXPECT_EQ(RunOf("two-kernels", 1, "6.12-rxe"), (Digests{0x062db1fac450b2ad, 0x0a54c8397833a653}));
  EXPECT_EQ(RunOf("two-kernels", 1, "7.2-rxe"), (Digests{0x9018fee7aa753dcc, 0x3513fd854db3bb29}));
  EXPECT_EQ(RunOf("two-kernels", 1, "6.1-siw"), (Digests{0xd57d5b9a233d69ef, 0x758d5ef5ae6f3d75}));
  EXPECT_EQ(RunOf("two-kernels", 1, "6.1-ib"), (Digests{0xa8663c2d20ddded2, 0x0dbe262d2b24c959}));
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
