// Rows confirmed by runs of the suite in the lab: the real kernel's behaviour had no other
// explanation.
#ifndef TOOLS_RULES_LAB_RUNS_H_
#define TOOLS_RULES_LAB_RUNS_H_

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cm::ruledoc {

struct LabRun {
  std::string name;  // as rows cite it: "lab 6.1-rxe, seed 1"
  std::string library;
  std::string kernel;
  std::string digest;
  uint64_t sequences = 0;
  std::set<std::string> confirmed;  // ids of rows
};

// From the results.json of `cmcheck lab run`; or the reason why it cannot be used. `walk` is the
// walk of the run, and part of its name; empty for the default mix.
std::variant<LabRun, std::string> ReadResults(std::string_view json, std::string_view walk = {});

// A run as stored in the workspace, in a file of its own.
std::string FileNameOf(const LabRun& run);  // "6.1-rxe-seed-1.json"
std::string ToJson(const LabRun& run);

// The stored runs, in the order of their files. Unreadable ones are skipped.
std::vector<LabRun> ReadLabRuns(const std::filesystem::path& folder);

// The first run that confirmed the row; or empty.
std::string FirstConfirmed(std::string_view id, std::span<const LabRun> runs);

// The reason why "lab ..." is wrong for the row; empty when it is right.
std::string WhyNotConfirmed(std::string_view id, std::string_view observed,
                            std::span<const LabRun> runs);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_LAB_RUNS_H_
