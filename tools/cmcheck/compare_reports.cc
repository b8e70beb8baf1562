#include "tools/cmcheck/compare_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/fidelity/tracks.h"
#include "model/base/files.h"
#include "model/base/json.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"
#include "tools/cmcheck/command.h"

namespace cm {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// A report, or any folder of conversations with their outcomes.
struct RunSeen {
  std::string name;                       // as it was given
  std::map<std::string, fs::path> files;  // conversations, by name
  std::optional<Json> results;
};

std::variant<RunSeen, std::string> SeeRun(const std::string& name) {
  const fs::path folder = FromUsersFolder(name);
  const fs::path kept = folder / "conversations";
  RunSeen run{.name = name};
  for (const fs::path& file : FilesIn(fs::is_directory(kept) ? kept : folder, ".conv"))
    run.files[file.filename().string()] = file;
  if (run.files.empty())
    return fmt::format("{}: no conversations; `cmcheck run --keep` keeps them", name);
  if (const std::optional<std::string> text = ReadFile(folder / "results.json")) {
    Json results = ParseJson(*text);
    if (!results.is_object()) return fmt::format("{}: results.json is no object", name);
    run.results = std::move(results);
  }
  return run;
}

// How many conversations have changed, and in what.
struct Changes {
  uint64_t same = 0;
  uint64_t in_time = 0;  // alone
  uint64_t in_answers = 0;
  uint64_t anyway = 0;  // the same in another run of the first one
  uint64_t of_other_lines = 0;
  std::vector<std::string> of_one;  // names of those that one alone has
};

std::string Said(const std::optional<Step>& step) {
  return step ? step->says : std::string("nothing more");
}

class Comparison {
 public:
  Comparison(RunSeen first, RunSeen second, std::vector<RunSeen> again, uint64_t shown)
      : first_(std::move(first)),
        second_(std::move(second)),
        again_(std::move(again)),
        shown_(shown) {}

  int Go() {
    CompareSettings();
    for (const auto& [name, file] : first_.files) {
      const auto other = second_.files.find(name);
      if (other == second_.files.end()) {
        changes_.of_one.push_back(name + " in " + first_.name);
        continue;
      }
      if (std::string problem = CompareFiles(name, file, other->second); !problem.empty())
        return Unusable(problem);
      if (Interrupted()) return kExitInterrupted;
    }
    for (const auto& [name, file] : second_.files)
      if (!first_.files.contains(name)) changes_.of_one.push_back(name + " in " + second_.name);
    const bool same_results = CompareResults();
    fmt::print(
        "{:>9}  the same\n{:>9}  the same but for times\n{:>9}  with other answers or events\n",
        changes_.same, changes_.in_time, changes_.in_answers);
    if (!again_.empty())
      fmt::print("{:>9}  that differ between two runs of {} as well\n", changes_.anyway,
                 first_.name);
    if (changes_.of_other_lines > 0)
      fmt::print("{:>9}  not compared: their lines differ\n", changes_.of_other_lines);
    for (const std::string& name : changes_.of_one) fmt::print("           only {}\n", name);
    if (changes_.in_answers > 0 || !same_results) return kExitFound;
    return changes_.same + changes_.in_time == 0 ? kExitInconclusive : kExitClean;
  }

 private:
  // Runs of other seeds have nothing in common.
  void CompareSettings() const {
    if (!first_.results || !second_.results) return;
    for (const char* key : {"seed", "profile", "topology", "implementation", "kernel", "library"}) {
      const Json one = first_.results->value(key, Json());
      const Json other = second_.results->value(key, Json());
      if (one != other) fmt::print("{}: {} before, {} now\n", key, JsonText(one), JsonText(other));
    }
  }

  // The error, or an empty text.
  std::string CompareFiles(const std::string& name, const fs::path& first, const fs::path& second) {
    auto before = Read(first);
    if (auto* problem = std::get_if<std::string>(&before)) return *problem;
    auto now = Read(second);
    if (auto* problem = std::get_if<std::string>(&now)) return *problem;
    const History& one = std::get<History>(before);
    const History& other = std::get<History>(now);
    if (LinesOf(one.conversation) != LinesOf(other.conversation)) {
      ++changes_.of_other_lines;
      return {};
    }
    if (const std::optional<Parting> parting = FirstParting(one, other)) {
      const auto anyway = DiffersAnyway(name, one, *parting);
      if (const auto* problem = std::get_if<std::string>(&anyway)) return *problem;
      if (std::get<bool>(anyway)) {
        ++changes_.anyway;
      } else {
        ++changes_.in_answers;
        Show(name, one, *parting);
      }
    } else if (Timed(one) != Timed(other)) {
      ++changes_.in_time;
    } else {
      ++changes_.same;
    }
    return {};
  }

  std::variant<bool, std::string> DiffersAnyway(const std::string& name, const History& before,
                                                const Parting& parting) const {
    for (const RunSeen& run : again_) {
      const auto file = run.files.find(name);
      if (file == run.files.end()) continue;
      const auto read = Read(file->second);
      if (const auto* problem = std::get_if<std::string>(&read)) return *problem;
      const History& again = std::get<History>(read);
      if (LinesOf(before.conversation) != LinesOf(again.conversation)) continue;
      const std::optional<Parting> other = FirstParting(before, again);
      if (other && other->line <= parting.line) return true;
    }
    return false;
  }

  static std::variant<History, std::string> Read(const fs::path& file) {
    const std::optional<std::string> text = ReadFile(file);
    if (!text) return fmt::format("{}: cannot be read: {}", file.string(), WhyNotRead(file));
    auto parsed = ParseHistory(*text);
    if (const auto* problem = std::get_if<TextProblem>(&parsed))
      return fmt::format("{}:{}: {}", file.string(), problem->line, problem->what);
    return std::get<History>(std::move(parsed));
  }

  static std::string LinesOf(const Conversation& conversation) {
    std::string text;
    for (const Line& line : conversation.lines) text += ToString(line, conversation) + "\n";
    return text;
  }
  static std::string Timed(History history) {
    history.implementation.clear();
    return ToText(history, {.times = true, .wire = false});
  }

  void Show(const std::string& name, const History& history, const Parting& parting) {
    if (changes_.in_answers > shown_) return;
    fmt::print("{}: line {}, {}\n    before  {}\n    now     {}\n", name, parting.line + 1,
               ToString(history.conversation.lines[parting.line], history.conversation),
               Said(parting.kernel), Said(parting.simulator));
  }

  // Verdicts and rows of both runs. False when verdicts differ.
  bool CompareResults() const {
    if (!first_.results || !second_.results) return true;
    bool same = true;
    for (const char* key : {"passed", "failed", "inconclusive", "unsupported"}) {
      const Json one = first_.results->value(key, Json());
      const Json other = second_.results->value(key, Json());
      if (one == other) continue;
      same = false;
      fmt::print("{}: {} before, {} now\n", key, JsonText(one), JsonText(other));
    }
    for (const auto& [run, other, when] :
         {std::tuple{&first_, &second_, "before"}, std::tuple{&second_, &first_, "now"}}) {
      const std::set<std::string> rows = ListOf(*run, "confirmed");
      const std::set<std::string> theirs = ListOf(*other, "confirmed");
      std::vector<std::string> alone;
      std::ranges::set_difference(rows, theirs, std::back_inserter(alone));
      if (!alone.empty()) fmt::print("rows confirmed {} alone: {}\n", when, fmt::join(alone, ", "));
    }
    return same;
  }

  static std::set<std::string> ListOf(const RunSeen& run, const char* key) {
    const Json list = run.results->value(key, Json::array());
    std::set<std::string> texts;
    for (const Json& one : list)
      if (one.is_string()) texts.insert(one.get<std::string>());
    return texts;
  }

  RunSeen first_;
  RunSeen second_;
  std::vector<RunSeen> again_;
  uint64_t shown_;
  Changes changes_;
};

}  // namespace

bool IsReport(const std::string& path) {
  // An implementation of --impl, also where a folder of the user has its name: ./lib is the folder.
  constexpr auto kImplementations = std::to_array<std::string_view>({"sim", "lib", "dl", "nodes"});
  return std::ranges::find(kImplementations, path) == kImplementations.end() &&
         fs::is_directory(FromUsersFolder(path));
}

int CompareReports(const std::string& first, const std::string& second,
                   const std::vector<std::string>& again, uint64_t shown) {
  std::vector<RunSeen> runs;
  std::vector<std::string> names = {first, second};
  names.insert(names.end(), again.begin(), again.end());
  for (const std::string& name : names) {
    auto run = SeeRun(name);
    if (auto* problem = std::get_if<std::string>(&run)) return Unusable(*problem);
    runs.push_back(std::get<RunSeen>(std::move(run)));
  }
  return Comparison(
             std::move(runs[0]), std::move(runs[1]),
             {std::make_move_iterator(runs.begin() + 2), std::make_move_iterator(runs.end())},
             shown)
      .Go();
}

}  // namespace cm
