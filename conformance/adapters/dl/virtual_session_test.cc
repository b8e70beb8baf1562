// The sample in its virtual time: the distribution's library behind hooks, in another process.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "conformance/adapters/dl/dl_adapter.h"
#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/perform.h"
#include "conformance/walks/walk.h"
#include "model/base/sanitized.h"
#include "model/conversation/print.h"
#include "model/oracle/judge.h"

namespace cm {
namespace {

constexpr int kSequences = 100;  // in each world
constexpr const char* kSample = "conformance/adapters/dl/sample/libsample_rdmacm.so";
constexpr const char* kDefectVariable = "CMCHECK_SAMPLE_DEFECT";

std::unique_ptr<Implementation> TheSample(const Profile& profile = Profiles().front()) {
  auto made = MakeDlImplementation({.path = kSample, .profile = profile}, MakeBarePlace());
  if (const auto* why = std::get_if<std::string>(&made)) ADD_FAILURE() << *why;
  return std::move(std::get<0>(made));
}

Conversation Drawn(std::string_view topology, const Implementation& from, uint64_t index) {
  return Draw({.topology = FindTopology(topology),
               .profile = from.profile(),
               .capabilities = from.capabilities(),
               .seed = 1,
               .index = index,
               .calls = 20});
}

struct World {
  const char* topology;
  const char* profile;
};

Capabilities OfTheSample(const Profile& profile) {
  return profile.capabilities.Without(Capability::kData).Without(Capability::kTester);
}

class VirtualSession : public testing::Test {
 protected:
  void SetUp() override {
    if (kAddressSanitized || kThreadSanitized) GTEST_SKIP() << "the sample cannot be loaded";
  }
};

class InWorld : public VirtualSession, public testing::WithParamInterface<World> {};

TEST_P(InWorld, TheSampleDoesWhatTheSimulatorDoes) {
  const Profile& profile = *FindProfile(GetParam().profile);
  const std::unique_ptr<Implementation> sample = TheSample(profile);
  const std::unique_ptr<Implementation> sim =
      MakeSimImplementation({.profile = profile, .capabilities = OfTheSample(profile)});
  ASSERT_EQ(sample->capabilities(), sim->capabilities());
  for (uint64_t i = 0; i < kSequences; ++i) {
    const Conversation conversation = Drawn(GetParam().topology, *sim, i);
    // Its only thread makes concurrent calls one after the other.
    if (conversation.origin->walk == "threads") continue;
    const std::unique_ptr<Session> of_sample = sample->Start(conversation);
    const std::unique_ptr<Session> of_sim = sim->Start(conversation);
    const History seen = Perform(conversation, *of_sample);
    const History expected = Perform(conversation, *of_sim);
    ASSERT_EQ(ToText(seen), ToText(expected, {.wire = false})) << "conversation " << i;
    ASSERT_EQ(DigestOf(seen, i), DigestOf(expected, i)) << "conversation " << i;
    // The sample's world sees what the kernel has, the simulator what its library has, too.
    const std::string leaks = of_sample->Leaks();
    if (of_sim->Leaks().empty()) {
      EXPECT_EQ(leaks, "") << "conversation " << i;
    }
    EXPECT_EQ(of_sample->Inconclusive(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, InWorld,
                         testing::Values(World{"two-kernels", "6.1-rxe"},
                                         World{"one-kernel-two-devices", "6.1-rxe"},
                                         World{"two-kernels", "6.1-siw"},
                                         World{"one-kernel-two-devices", "6.1-siw"}),
                         [](const auto& info) {
                           std::string name = std::string(info.param.topology) + info.param.profile;
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

TEST_F(VirtualSession, ADefectOfTheSampleIsRefused) {
  ASSERT_EQ(setenv(kDefectVariable, "connect-wrong-errno", 1), 0);
  const std::unique_ptr<Implementation> sample = TheSample();
  int refused = 0;
  for (uint64_t i = 0; i < kSequences && refused == 0; ++i) {
    const Conversation conversation = Drawn("two-kernels", *sample, i);
    const History history = Perform(conversation, *sample->Start(conversation));
    if (model::JudgeHistory(history, sample->profile()).kind == model::VerdictKind::kRefused)
      ++refused;
  }
  unsetenv(kDefectVariable);
  EXPECT_EQ(refused, 1);
}

TEST_F(VirtualSession, ADefectThatIsNoneIsUnsupported) {
  ASSERT_EQ(setenv(kDefectVariable, "no-such-defect", 1), 0);
  const std::unique_ptr<Implementation> sample = TheSample();
  const Conversation conversation = Drawn("two-kernels", *sample, 0);
  const std::unique_ptr<Session> session = sample->Start(conversation);
  unsetenv(kDefectVariable);
  EXPECT_NE(session->Unsupported(), "");
}

TEST_F(VirtualSession, TheSampleIsNamedByItsFile) {
  EXPECT_EQ(TheSample()->name(),
            "libsample_rdmacm.so (" + std::string(kSample) + "), virtual time");
}

TEST_F(VirtualSession, ASampleNeedsNoDevice) {
  EXPECT_EQ(Probe({.path = kSample, .profile = Profiles().front()}), "");
}

}  // namespace
}  // namespace cm
