#include "tools/mutants/suite.h"

#include <fmt/format.h>

#include <atomic>
#include <set>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/runner/campaign.h"
#include "conformance/runner/tally.h"
#include "model/base/digest.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/mutants/switch.h"

namespace cm::mutant {
namespace {

std::string ClaimsOf(const Tally& tally) {
  std::set<std::string> claims;
  for (const CountedFinding& counted : tally.findings()) {
    const Finding& finding = counted.finding;
    const bool of_rows = finding.id == kRowsId;
    claims.insert(of_rows ? fmt::format("{} {}", finding.id, finding.about) : finding.id);
  }
  return fmt::format("{}", fmt::join(claims, ", "));
}

// The campaign of one profile, up to the first sequence that fails. False when one did.
bool RunProfile(const std::string& name, const SuiteOptions& options, Sight* sight) {
  const Profile& profile = *FindProfile(name);
  const auto simulator =
      MakeSimImplementation({.profile = profile, .capabilities = profile.capabilities});
  CampaignOptions campaign{.sequences = options.sequences, .done = {}, .given = {}};
  campaign.draw.profile = profile;
  campaign.draw.capabilities = simulator->capabilities();
  campaign.draw.seed = options.seed;
  campaign.draw.calls = options.calls;
  for (const Topology& topology : Topologies())
    campaign.draw.topologies.push_back({.topology = &topology, .weight = 1});
  Tally tally;
  std::atomic<bool> stop{false};
  RunCampaign(
      *simulator, campaign,
      [&](const SequenceRun& judged) {
        tally.Add(judged.result);
        sight->sequence = judged.result.index;
        if (judged.result.verdict == Verdict::kFailed) stop = true;
      },
      stop);
  if (!stop) tally.Conclude({.capabilities = campaign.draw.capabilities}, profile);
  Digest digest;
  for (const uint64_t part : {sight->digest, tally.digest(), tally.wire_digest()}) digest.U64(part);
  sight->digest = digest.Value();
  sight->profile = name;
  sight->failed = tally.failed();
  sight->claims = ClaimsOf(tally);
  return !sight->failed;
}

}  // namespace

Sight LookWithSuite(int mutant, const SuiteOptions& options) {
  SwitchOn(mutant);
  Sight sight;
  for (const std::string& profile : options.profiles)
    if (!RunProfile(profile, options, &sight)) break;
  sight.reached = Reached();
  return sight;
}

}  // namespace cm::mutant
