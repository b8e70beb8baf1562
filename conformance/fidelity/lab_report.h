// The report folder of `cmcheck lab run`, as far as it is compared: results.json and the
// conversations with a real kernel's outcomes.
#ifndef CONFORMANCE_FIDELITY_LAB_REPORT_H_
#define CONFORMANCE_FIDELITY_LAB_REPORT_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "model/conversation/history.h"

namespace cm {

struct LabReport {
  std::string implementation;
  std::string profile;
  std::string topology;
  std::string library;
  std::string kernel;
  std::string digest;
  uint64_t seed = 0;
  uint64_t first = 0;
  uint64_t sequences = 0;
  uint64_t failed = 0;
  uint64_t inconclusive = 0;
  std::vector<std::filesystem::path> conversations;  // in the order of their numbers
};

// The report, or one line: which file is missing or damaged, and how.
std::variant<LabReport, std::string> ReadLabReport(const std::filesystem::path& folder);

// A drawn conversation with its history; or one line.
std::variant<History, std::string> ReadLabConversation(const std::filesystem::path& file);

}  // namespace cm

#endif  // CONFORMANCE_FIDELITY_LAB_REPORT_H_
