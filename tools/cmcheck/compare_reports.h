// `cmcheck compare REPORT REPORT`: what has changed between two runs of the same conversations.
#ifndef TOOLS_CMCHECK_COMPARE_REPORTS_H_
#define TOOLS_CMCHECK_COMPARE_REPORTS_H_

#include <cstdint>
#include <string>

namespace cm {

// True for a folder; `run --keep` has written it, or it holds conversations with their outcomes.
bool IsReport(const std::string& path);

// Prints what differs, the first `shown` conversations in full. The exit code.
int CompareReports(const std::string& first, const std::string& second, uint64_t shown);

}  // namespace cm

#endif  // TOOLS_CMCHECK_COMPARE_REPORTS_H_
