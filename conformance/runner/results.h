// Results of a campaign, as JSON and as text.
#ifndef CONFORMANCE_RUNNER_RESULTS_H_
#define CONFORMANCE_RUNNER_RESULTS_H_

#include <cstdint>
#include <string>

#include "conformance/runner/tally.h"
#include "model/vocabulary/profile.h"

namespace cm {

// The implementation and the campaign, as printed in the results.
struct CampaignName {
  std::string implementation;  // "sim", "sim+forgets-timewait", "dl:/usr/lib/librdmacm.so.1"
  std::string library;         // "librdmacm 44.0"; "simulated"
  std::string kernel;          // "Linux 6.1.0-42-amd64"; "simulated"
  std::string topology;        // its name, or "mixed"
  uint64_t seed = 1;
  uint64_t first = 0;
  std::string only;  // "3,5,8" if they are no range
  bool interrupted = false;
};

// One object; the fields are a contract, see docs/results.md.
std::string ToJson(const Tally& tally, const CampaignName& name, const Profile& profile);

struct TableOptions {
  bool colours = false;
  Capabilities capabilities;  // of the environment; all others are unsupported
  std::string property = {};  // the only property judged; empty: all
};
// Verdicts by family of properties, coverage, findings.
std::string ToTable(const Tally& tally, const CampaignName& name, const Profile& profile,
                    const TableOptions& options);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_RESULTS_H_
