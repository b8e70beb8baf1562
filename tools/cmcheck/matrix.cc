#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/runner/campaign.h"
#include "conformance/runner/results.h"
#include "conformance/runner/tally.h"
#include "model/base/files.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/progress.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/run.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

using Json = nlohmann::ordered_json;

struct MatrixOptions {
  std::string file;
  std::string report = "cmcheck-report";
  int jobs = 0;
};

// What is asked for.
struct Matrix {
  std::vector<std::string> implementations;
  std::vector<std::string> profiles = {"6.1-rxe"};
  std::set<std::string> families;  // empty: all
  RunOptions run;
};

// One implementation under one profile.
struct Cell {
  std::string implementation;
  std::string profile;
  std::string command;   // that shows the same
  std::string unusable;  // why there is no result
  Tally tally;
  std::vector<FamilyRow> families;
  std::string json;  // of its results
  int exit_code = kExitUnusable;
};

// Reads the texts of a key into `texts`. The error, or an empty text.
template <typename Texts>
std::string TakeTexts(const Json& json, const char* key, Texts* texts) {
  const auto found = json.find(key);
  if (found == json.end()) return {};
  if (!found->is_array() || found->empty() ||
      !std::ranges::all_of(*found, [](const Json& one) { return one.is_string(); }))
    return fmt::format("\"{}\" is a list of texts", key);
  *texts = found->template get<Texts>();
  return {};
}

template <typename Number>
std::string TakeNumber(const Json& json, const char* key, uint64_t lowest, uint64_t highest,
                       Number* number) {
  const auto found = json.find(key);
  if (found == json.end()) return {};
  const uint64_t value = found->is_number_unsigned() ? found->template get<uint64_t>() : 0;
  if (!found->is_number_unsigned() || value < lowest || value > highest)
    return fmt::format("\"{}\" is a number from {} to {}", key, lowest, highest);
  *number = static_cast<Number>(value);
  return {};
}

std::string WhyNoFamily(const std::set<std::string>& families) {
  std::set<std::string> known;
  for (const FamilyRow& row : FamiliesOf(Tally(), {})) known.emplace(row.family);
  for (const std::string& family : families)
    if (!known.contains(family))
      return fmt::format("there is no family '{}'; there are {}", family, fmt::join(known, ", "));
  return {};
}

std::string TakeAll(const Json& json, Matrix* matrix) {
  if (!json.is_object()) return "an object is wanted";
  const std::set<std::string> keys = {"implementations", "profiles", "families", "topology", "seed",
                                      "sequences",       "calls"};
  for (const auto& [key, value] : json.items())
    if (!keys.contains(key))
      return fmt::format("there is no key \"{}\"; keys are {}", key, fmt::join(keys, ", "));
  for (const std::string& problem :
       {TakeTexts(json, "implementations", &matrix->implementations),
        TakeTexts(json, "profiles", &matrix->profiles),
        TakeTexts(json, "families", &matrix->families),
        TakeNumber(json, "seed", 0, UINT64_MAX, &matrix->run.seed),
        TakeNumber(json, "sequences", 1, 1'000'000'000'000, &matrix->run.sequences),
        TakeNumber(json, "calls", 1, 1000, &matrix->run.calls), WhyNoFamily(matrix->families)})
    if (!problem.empty()) return problem;
  if (matrix->implementations.empty()) return "\"implementations\" is needed";
  if (const auto topology = json.find("topology"); topology != json.end()) {
    if (!topology->is_string()) return "\"topology\" is a text";
    matrix->run.topology = topology->get<std::string>();
  }
  return {};
}

std::variant<Matrix, std::string> ReadMatrix(const std::string& path) {
  const std::string real_path = FromUsersFolder(path);
  const std::optional<std::string> text = ReadFile(real_path);
  if (!text) return fmt::format("{}: cannot be read: {}", path, WhyNotRead(real_path));
  const Json json = Json::parse(*text, nullptr, false);
  if (json.is_discarded()) return fmt::format("{}: is no JSON", path);
  Matrix matrix;
  matrix.run.sequences = 1000;
  if (std::string problem = TakeAll(json, &matrix); !problem.empty())
    return fmt::format("{}: {}", path, problem);
  return matrix;
}

// "sim+forgets-timewait" is the simulator with that defect.
Asked AskedFor(const std::string& implementation, const std::string& profile) {
  Asked asked{.impl = implementation, .profile = profile};
  if (!implementation.starts_with("sim+")) return asked;
  asked.impl = "sim";
  for (size_t at = 3; at != implementation.npos;) {
    const size_t next = implementation.find('+', at + 1);
    asked.defects.push_back(implementation.substr(at + 1, next - at - 1));
    at = next;
  }
  return asked;
}

std::string CommandOf(const RunOptions& options, const Answering& answering) {
  std::string command =
      fmt::format("cmcheck run {} --seed {} --sequences {} --calls {}", answering.options,
                  options.seed, options.sequences, options.calls);
  if (!options.topology.empty()) command += " --topology " + ShellWord(options.topology);
  return command;
}

void Judge(const Matrix& matrix, int jobs, Cell* cell) {
  RunOptions options = matrix.run;
  options.asked = AskedFor(cell->implementation, cell->profile);
  options.jobs = jobs;
  auto resolved = Resolve(options.asked);
  if (auto* problem = std::get_if<std::string>(&resolved)) {
    cell->unusable = std::move(*problem);
    return;
  }
  const Answering& answering = std::get<Answering>(resolved);
  Implementation& implementation = *answering.implementation;
  cell->command = CommandOf(options, answering);
  auto campaign = CampaignOf(options, implementation.profile(), implementation.capabilities());
  if (auto* problem = std::get_if<std::string>(&campaign)) {
    cell->unusable = std::move(*problem);
    return;
  }
  auto& asked = std::get<CampaignOptions>(campaign);
  DrawOnlyFor(implementation, &asked.draw);
  Progress progress("sequences", options.sequences);
  RunCampaign(
      implementation, asked,
      [&](const SequenceRun& judged) {
        cell->tally.Add(judged.result);
        progress.At(cell->tally.sequences(),
                    fmt::format("{} under {}", cell->implementation, cell->profile));
      },
      Interrupted());
  progress.Clear();
  cell->tally.Conclude({.capabilities = asked.draw.capabilities,
                        .every_walk = options.topology.empty(),
                        .every_property = true,
                        .every_call = !implementation.LeavesOut()},
                       implementation.profile());
  cell->unusable = implementation.Spoiled();
  cell->families = FamiliesOf(cell->tally, {.capabilities = asked.draw.capabilities});
  cell->json = ToJson(cell->tally,
                      {.implementation = answering.text,
                       .library = answering.library,
                       .kernel = answering.kernel,
                       .topology = options.topology.empty() ? "mixed" : options.topology,
                       .seed = options.seed,
                       .interrupted = Interrupted()},
                      implementation.profile());
  if (!matrix.families.empty())
    std::erase_if(cell->families, [&](const FamilyRow& row) {
      return !matrix.families.contains(std::string(row.family));
    });
  const bool failed =
      std::ranges::any_of(cell->families, [](const FamilyRow& row) { return row.failed > 0; });
  cell->exit_code = ExitCodeOf(cell->tally, options, Interrupted());
  if (cell->exit_code == kExitFound && !failed) cell->exit_code = kExitClean;  // of other families
  if (!failed && !cell->unusable.empty() && !Interrupted()) cell->exit_code = kExitInconclusive;
}

std::string TextOf(const FamilyRow& row) {
  if (row.failed > 0) return fmt::format("FAILED {}", row.failed);
  if (row.arose > 0) return fmt::format("{}/{}", row.arose, row.claims);
  return "-";
}

// A row for each family, a column for each cell.
std::string TableOf(const std::vector<Cell>& cells) {
  std::string text;
  for (size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    text += fmt::format("{:>3}  {} under {}", i + 1, cell.implementation, cell.profile);
    if (cell.families.empty() || !cell.unusable.empty()) text += ": " + cell.unusable;
    text += "\n";
  }
  const auto first = std::ranges::find_if(cells, [](const Cell& c) { return !c.families.empty(); });
  if (first == cells.end()) return text;
  const auto row = [&](std::string_view name, const auto& text_of) {
    text += fmt::format("{:<18}", name);
    for (size_t i = 0; i < cells.size(); ++i) text += fmt::format(" {:>10}", text_of(i));
    text += "\n";
  };
  text += "\n";
  row("family", [](size_t i) { return std::to_string(i + 1); });
  for (size_t f = 0; f < first->families.size(); ++f)
    row(first->families[f].family, [&](size_t i) {
      return cells[i].families.empty() ? "unusable" : TextOf(cells[i].families[f]);
    });
  for (const Verdict verdict : {Verdict::kPassed, Verdict::kFailed, Verdict::kInconclusive,
                                Verdict::kUnsupported, Verdict::kKnownDeviation})
    row(fmt::format("= {}", ToString(verdict)),
        [&](size_t i) { return std::to_string(cells[i].tally.With(verdict)); });
  for (size_t i = 0; i < cells.size(); ++i)
    if (cells[i].exit_code == kExitFound)
      text += fmt::format("{:>3}  {}\n", i + 1, cells[i].command);
  return text;
}

std::string JsonOf(const std::vector<Cell>& cells) {
  Json json = {{"schema", 1}, {"cells", Json::array()}};
  for (const Cell& cell : cells) {
    Json one = {{"implementation", cell.implementation},
                {"profile", cell.profile},
                {"exit_code", cell.exit_code}};
    if (!cell.unusable.empty()) one["unusable"] = cell.unusable;
    if (!cell.command.empty()) one["command"] = cell.command;
    for (const FamilyRow& row : cell.families)
      one["families"][std::string(row.family)] = {
          {"claims", row.claims}, {"arose", row.arose}, {"failed", row.failed}};
    if (!cell.json.empty()) one["results"] = Json::parse(cell.json);
    json["cells"].push_back(std::move(one));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// As XML has it, between quotation marks as well.
std::string Escaped(std::string_view text) {
  constexpr std::string_view kSpecial = "&<>\"";
  constexpr auto kNames = std::to_array<std::string_view>({"&amp;", "&lt;", "&gt;", "&quot;"});
  std::string escaped;
  for (const char c : text) {
    const size_t special = kSpecial.find(c);
    escaped += special == kSpecial.npos ? std::string_view(&c, 1) : kNames[special];
  }
  return escaped;
}

// As continuous integration reads it: a suite for each cell, a case for each family.
std::string JUnitOf(const std::vector<Cell>& cells) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const Cell& cell : cells) {
    const auto failures =
        std::ranges::count_if(cell.families, [](const FamilyRow& row) { return row.failed > 0; });
    const bool none = cell.families.empty();
    const std::string suite = Escaped(cell.implementation + " under " + cell.profile);
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
        suite, none ? 1 : cell.families.size(), failures, none ? 1 : 0,
        std::ranges::count_if(cell.families,
                              [](const FamilyRow& r) { return r.failed + r.arose == 0; }));
    if (none)
      text += fmt::format(
          "    <testcase classname=\"{}\" name=\"start\"><error message=\"{}\"/>"
          "</testcase>\n",
          suite, Escaped(cell.unusable));
    for (const FamilyRow& row : cell.families) {
      text += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", suite, row.family);
      if (row.failed > 0)
        text +=
            fmt::format("><failure message=\"failed in {} sequences\">{}</failure></testcase>\n",
                        row.failed, Escaped(cell.command));
      else
        text += row.arose > 0 ? "/>\n" : "><skipped message=\"did not arise\"/></testcase>\n";
    }
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

// The worst of all: a finding, then what could not be judged.
int ExitCodeOf(const std::vector<Cell>& cells) {
  for (const int code : {static_cast<int>(kExitFound), static_cast<int>(kExitUnusable),
                         static_cast<int>(kExitInconclusive)})
    if (std::ranges::find(cells, code, &Cell::exit_code) != cells.end()) return code;
  return kExitClean;
}

int RunMatrix(const MatrixOptions& options) {
  auto read = ReadMatrix(options.file);
  if (auto* problem = std::get_if<std::string>(&read)) return Unusable(*problem);
  const Matrix& matrix = std::get<Matrix>(read);
  const std::filesystem::path folder = FromUsersFolder(options.report);
  // It has files of its own: those of a run stay.
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Unusable(fmt::format("{}: {}", folder.string(), error.message()));
  std::vector<Cell> cells;
  for (const std::string& implementation : matrix.implementations) {
    for (const std::string& profile : matrix.profiles) {
      if (Interrupted()) break;
      Cell& cell = cells.emplace_back(Cell{.implementation = implementation, .profile = profile});
      Judge(matrix, options.jobs, &cell);
    }
  }
  const std::string table = TableOf(cells);
  fmt::print("{}\nreport      {}\n", table, std::filesystem::absolute(folder).string());
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"matrix.json", JsonOf(cells)}, {"matrix.xml", JUnitOf(cells)}, {"matrix.txt", table}})
    if (std::string problem = WriteFile(folder / name, text); !problem.empty())
      return Unusable(problem);
  return Interrupted() ? kExitInterrupted : ExitCodeOf(cells);
}

}  // namespace

void AddMatrix(Verb cmcheck) {
  Verb verb = cmcheck.Add("matrix", "Judge several implementations under several profiles", R"(
The file is a JSON object:
  implementations  as of --impl; "sim+DEFECT" is the simulator with a defect
  profiles         names or files; default ["6.1-rxe"]
  families         of properties, as in the table of `run`, and rows and leaks; default all
  topology, seed, sequences (1000), calls (20)   as the options of `run`
Each implementation is judged under each profile by the same conversations as far as it can carry
them out. Writes matrix.txt, matrix.json and, for continuous integration, matrix.xml (JUnit).
Exit code: 0 nothing found, 1 a finding in a chosen family, 2 an implementation cannot be used,
3 too much inconclusive, 130 interrupted.
Example:
  echo '{"implementations": ["sim", "lib"], "profiles": ["6.1-rxe", "7.2-rxe"]}' >all.json
  cmcheck matrix all.json)");
  auto options = std::make_shared<MatrixOptions>();
  verb.Argument("file", &options->file, "What is asked for, as JSON");
  verb.Text("--report", &options->report, "Folder for the results");
  verb.Number("-j,--jobs", &options->jobs, 0, 64, "Threads; 0: one for each processor");
  verb.Does([options] { return RunMatrix(*options); });
}

}  // namespace cm
