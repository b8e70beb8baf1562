// Conversations as `cmcheck run` makes them: drawn, carried out on the simulator, and judged by
// rows, properties and frames. A unit is a call.
#include <cstdint>
#include <memory>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/runner/campaign.h"
#include "conformance/runner/memory.h"
#include "model/base/check.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/bench/figure.h"
#include "tools/bench/ours.h"

namespace cm::bench {
namespace {

constexpr int64_t kCheckedCalls = 200'000;

class Checking {
 public:
  Checking() {
    KeepMemory();
    const Profile& profile = *FindProfile("6.1-rxe");
    sim_ = MakeSimImplementation({.profile = profile, .capabilities = profile.capabilities});
    options_.draw.profile = profile;
    options_.draw.capabilities = profile.capabilities;
    options_.draw.topology = FindTopology("two-kernels");
    DrawOnlyFor(*sim_, &options_.draw);
  }

  [[gnu::noinline]] void MeasuredChecking(int64_t calls) {
    for (uint64_t checked = 0; checked < static_cast<uint64_t>(calls);) {
      const SequenceRun run = RunOne(*sim_, ConversationOf(options_, next_++), {});
      CM_CHECK(run.result.verdict == Verdict::kPassed);
      checked += run.result.calls;
    }
  }

 private:
  std::unique_ptr<Implementation> sim_;
  CampaignOptions options_;
  uint64_t next_ = 0;
};

}  // namespace

void OurChecking() {
  Figure("checked/1/suite", kCheckedCalls, [](benchmark::State& state) {
    Checking checking;
    MeasureOnce(state, [&](int64_t calls) { checking.MeasuredChecking(calls); });
  });
}

}  // namespace cm::bench
