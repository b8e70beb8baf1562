// Results of a campaign, as JSON and as text.
#ifndef CONFORMANCE_RUNNER_RESULTS_H_
#define CONFORMANCE_RUNNER_RESULTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
// What came of a family of properties.
struct FamilyRow {
  std::string_view family;  // "rows", "leaks", then those of the registry
  int claims = 0;
  int judged = 0;
  int arose = 0;        // claims whose premise arose in some sequence
  int unsupported = 0;  // not possible in this environment
  uint64_t failed = 0;  // violating sequences, summed over properties
};
std::vector<FamilyRow> FamiliesOf(const Tally& tally, const TableOptions& options);
// Verdicts by family of properties, coverage, findings.
std::string ToTable(const Tally& tally, const CampaignName& name, const Profile& profile,
                    const TableOptions& options);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_RESULTS_H_
