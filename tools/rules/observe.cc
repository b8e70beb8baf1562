// Prints the recording of a real kernel that first shows each row, or writes it into the rows.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "model/base/files.h"
#include "model/catalogue/catalogue.h"
#include "tools/rules/fill.h"
#include "tools/rules/generated_files.h"
#include "tools/rules/lab_runs.h"
#include "tools/rules/recording_evidence.h"

namespace {

namespace fs = std::filesystem;
using cm::model::AllRules;
using cm::model::RuleNumber;
using cm::ruledoc::GeneratedFiles;
using cm::ruledoc::LabRun;
using cm::ruledoc::RecordingEvidence;

constexpr std::string_view kLabRuns = "conformance/recordings/lab";

constexpr auto kTables = std::to_array<std::string_view>(
    {"model/cm_id/rows.cc", "model/ib_cm/rows.cc", "model/iw_cm/rows.cc", "model/channel/rows.cc",
     "model/channel/misuse.cc", "model/qp/rows.cc", "model/work_completion/rows.cc"});

std::string FirstShown(std::string_view id, std::span<const RecordingEvidence> testimonies) {
  for (RuleNumber row = 0; row < AllRules().size(); ++row)
    if (AllRules()[row].id == id) return cm::ruledoc::FirstShown(row, testimonies);
  return "";
}

void Print(std::span<const RecordingEvidence> testimonies) {
  int shown = 0;
  for (RuleNumber row = 0; row < AllRules().size(); ++row) {
    const std::string where = cm::ruledoc::FirstShown(row, testimonies);
    fmt::print("{:<20}  {}\n", AllRules()[row].id, where.empty() ? "-" : where);
    if (!where.empty()) ++shown;
  }
  fmt::print("{} rows, {} shown by {} recordings\n", AllRules().size(), shown, testimonies.size());
}

// Stores the run in the workspace.
int Carry(const fs::path& workspace, const fs::path& results, std::string_view walk) {
  const auto read = cm::ruledoc::ReadResults(cm::ReadFile(results).value_or(""), walk);
  if (const auto* problem = std::get_if<std::string>(&read)) {
    fmt::print(stderr, "{}: {}\n", results.string(), *problem);
    return 2;
  }
  const auto& run = std::get<LabRun>(read);
  const fs::path path = workspace / kLabRuns / cm::ruledoc::FileNameOf(run);
  return GeneratedFiles().Write(path, cm::ruledoc::ToJson(run)) ? 0 : 2;
}

int Fill(const fs::path& workspace, std::span<const RecordingEvidence> testimonies) {
  const std::vector<LabRun> runs = cm::ruledoc::ReadLabRuns(workspace / kLabRuns);
  GeneratedFiles files;
  for (const std::string_view table : kTables) {
    const fs::path path = workspace / table;
    const std::string filled =
        cm::ruledoc::Filled(cm::ReadFile(path).value_or(""), [&](std::string_view id) {
          const std::string shown = FirstShown(id, testimonies);
          return shown.empty() ? cm::ruledoc::FirstConfirmed(id, runs) : shown;
        });
    if (!files.Write(path, filled)) return 2;
  }
  fmt::print("{}\n", files.Summary());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Says which line of a recording first shows each row of the tables.", "observe");
  const char* run_in = std::getenv("BUILD_WORKSPACE_DIRECTORY");  // set by bazel run
  const fs::path workspace = run_in == nullptr ? "." : run_in;
  std::vector<std::string> folders = {"conformance/recordings/6.1-rxe",
                                      "conformance/recordings/6.1-siw"};
  bool fill = false;
  app.add_option("--recordings", folders, "folders of recordings, called as their profiles are")
      ->capture_default_str();
  std::string lab;
  app.add_option("--lab", lab, "results.json of a run in the lab, to be carried as evidence");
  std::string walk;
  app.add_option("--walk", walk, "the walk that the run was of; default: the mix of all");
  app.add_flag("--fill", fill, "write it into the rows of model/*/rows.cc");
  CLI11_PARSE(app, argc, argv);
  if (!lab.empty())
    if (const int problem = Carry(workspace, lab, walk); problem != 0) return problem;
  std::vector<RecordingEvidence> testimonies;
  for (const std::string& folder : folders) {
    const std::vector<RecordingEvidence> heard = cm::ruledoc::HearFolder(workspace / folder);
    if (heard.empty()) {
      fmt::print(stderr, "no recordings in {}\n", folder);
      return 2;
    }
    testimonies.insert(testimonies.end(), heard.begin(), heard.end());
  }
  bool all_speak = true;
  for (const RecordingEvidence& testimony : testimonies) {
    if (testimony.problem.empty()) continue;
    all_speak = false;
    fmt::print(stderr, "{} says nothing: {}\n", testimony.name, testimony.problem);
  }
  if (!all_speak) return 1;
  if (fill) return Fill(workspace, testimonies);
  Print(testimonies);
  return 0;
}
