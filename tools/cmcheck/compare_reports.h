// `cmcheck compare REPORT REPORT`: what has changed between two runs of the same conversations.
#ifndef TOOLS_CMCHECK_COMPARE_REPORTS_H_
#define TOOLS_CMCHECK_COMPARE_REPORTS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace cm {

// True for a folder; `run --keep` has written it, or it holds conversations with their outcomes.
bool IsReport(const std::string& path);

// Prints what differs, the first `shown` conversations in full. `again` are other runs of what the
// first one is of: where one of them differs from it as early, the difference is none of the
// second's. The exit code.
int CompareReports(const std::string& first, const std::string& second,
                   const std::vector<std::string>& again, uint64_t shown);

}  // namespace cm

#endif  // TOOLS_CMCHECK_COMPARE_REPORTS_H_
