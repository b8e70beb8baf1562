// The pinned digests: of the first 500 sequences of seed 1 on each topology, and under each
// profile.
//
// A digest covers everything observable. It is equal between runs, processes, compilers,
// optimisation levels and values of uninitialised memory, unless one of them has an influence. Run
// it with --config=clang, --config=dbg0 and --config=pattern as well. It changes with every change
// of the drawn sequences or of the simulator's behaviour: then write the new numbers here, and name
// the change in the commit.
#include "model/base/digest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
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
  // As it stands below.
  friend void PrintTo(const Digests& digests, std::ostream* to) {
    *to << fmt::format("Digests{{{:#018x}, {:#018x}}}", digests.seen, digests.wire);
  }
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
  EXPECT_EQ(RunOf("two-kernels", 1), (Digests{0xe74e4d6417fe621d, 0x5b2ceb5eff7fbf29}));
  EXPECT_EQ(RunOf("one-kernel-two-devices", 1), (Digests{0xe39cc768feb351a4, 0x1ff1356d516daeb1}));
  EXPECT_EQ(RunOf("one-device-two-ports", 1), (Digests{0x3c3d0942ba118580, 0x0a64f64bf2eebde9}));
  EXPECT_EQ(RunOf("bond", 1), (Digests{0x5610c5e9f0446b22, 0x02a0c071106d617b}));
}

TEST(ADigest, IsOfItsProfile) {
  EXPECT_EQ(RunOf("two-kernels", 1, "6.12-rxe"), (Digests{0x02c5b0cf3fdc574e, 0x69de6653f8768a4c}));
  EXPECT_EQ(RunOf("two-kernels", 1, "7.2-rxe"), (Digests{0x7db1d8e24798b8b6, 0xd9bb7f7669da6506}));
  EXPECT_EQ(RunOf("two-kernels", 1, "6.1-siw"), (Digests{0x065b0d7e9ecc6fc0, 0x59cb161c0757c52c}));
  EXPECT_EQ(RunOf("two-kernels", 1, "6.1-ib"), (Digests{0x7fe79796e773b349, 0x7cf303031077d191}));
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
