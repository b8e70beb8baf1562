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
#include <variant>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/perform.h"
#include "conformance/walks/walk.h"
#include "model/conversation/history.h"
#include "model/conversation/print.h"

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
// The scope of names keeps calls from being made that crash the real library.
void ExpectNoCrash(const History& history) {
  for (const Record& record : history.records) {
    const auto* answered = std::get_if<seen::Answered>(&record.seen);
    if (answered != nullptr && answered->reply.kind == ReplyKind::kCrashed)
      ADD_FAILURE() << ToText(history) << "\na line of NameScope::WouldCrash is missing "
                    << "(model/conversation/name_scope.cc)";
  }
}

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
    ExpectNoCrash(history);
    seen.U64(DigestOf(history, index));
    wire.U64(WireDigestOf(history, index));
  }
  return {seen.Value(), wire.Value()};
}

TEST(ADigest, IsTheSameWhereverItIsComputed) {
  EXPECT_EQ(RunOf("two-kernels", 1), (Digests{0xd826b2adee193827, 0xfbd380a3e67de1d8}));
  EXPECT_EQ(RunOf("one-kernel-two-devices", 1), (Digests{0xe78d7fe95c3ab7ad, 0x4e8801a086e775b5}));
  EXPECT_EQ(RunOf("one-device-two-ports", 1), (Digests{0x6301fd949938f0c1, 0xb2743f4d3ce76902}));
  EXPECT_EQ(RunOf("bond", 1), (Digests{0x1c358b092698003f, 0xa263dc96de7ec4c6}));
}

TEST(ADigest, IsOfItsProfile) {
  EXPECT_EQ(RunOf("two-kernels", 1, "6.12-rxe"), (Digests{0xd46e30136801bd54, 0x35ae13cd25e080d2}));
  EXPECT_EQ(RunOf("two-kernels", 1, "7.2-rxe"), (Digests{0x0c81c34814af6754, 0xc790051efe356650}));
  EXPECT_EQ(RunOf("two-kernels", 1, "6.1-siw"), (Digests{0x01ac84112ea1a15f, 0x59cb161c0757c52c}));
  EXPECT_EQ(RunOf("two-kernels", 1, "6.1-ib"), (Digests{0xb85efad295d570a9, 0x58680aee0b20ff43}));
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
