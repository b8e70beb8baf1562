// What runs of the suite in the lab say about the rows: of which of them the real kernel left no
// other explanation.
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

// Of the results.json that `cmcheck lab run` writes; or why it cannot be. `walk` is the one that
// the run was of, and stands in its name; empty for the default mix.
std::variant<LabRun, std::string> ReadResults(std::string_view json, std::string_view walk = {});

// A run as the workspace carries it, in a file of its own.
std::string FileNameOf(const LabRun& run);  // "6.1-rxe-seed-1.json"
std::string ToJson(const LabRun& run);

// Those that are carried, in the order of their files. What cannot be read says nothing.
std::vector<LabRun> ReadLabRuns(const std::filesystem::path& folder);

// The first that confirmed the row; or empty.
std::string FirstConfirmed(std::string_view id, std::span<const LabRun> runs);

// Why "lab ..." does not hold for the row; empty when it does.
std::string WhyNotConfirmed(std::string_view id, std::string_view observed,
                            std::span<const LabRun> runs);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_LAB_RUNS_H_
