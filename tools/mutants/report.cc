#include "tools/mutants/report.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "model/base/json.h"

namespace cm::mutant {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kAll = "all";

Json AsJson(const Mutant& mutant) {
  return {{"number", mutant.number},
          {"file", mutant.file},
          {"line", mutant.row->line},
          {"function", mutant.row->function},
          {"kind", ToString(mutant.row->kind)},
          {"before", mutant.row->before},
          {"after", mutant.row->after}};
}

const Mutant& MutantOf(const std::vector<Mutant>& mutants, const Trial& trial) {
  return mutants[static_cast<size_t>(trial.mutant - 1)];
}

// Rows by name, columns by place; the last row is of all.
class Table {
 public:
  explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  void Count(const std::string& row, size_t column) {
    for (const std::string& name : {row, std::string(kAll)}) {
      std::vector<int>& cells = name == kAll ? all_ : rows_[name];
      cells.resize(columns_.size());
      ++cells[column];
    }
  }

  std::string Text(std::string_view title) const {
    std::string text = fmt::format("{:<14}", title);
    for (const std::string& column : columns_) text += fmt::format(" {:>11}", column);
    text += '\n';
    for (const auto& [name, cells] : rows_) text += Line(name, cells);
    return text + Line(kAll, all_);
  }

 private:
  static std::string Line(std::string_view name, const std::vector<int>& cells) {
    std::string line = fmt::format("{:<14}", name);
    for (const int cell : cells) line += fmt::format(" {:>11}", cell);
    return line + '\n';
  }

  std::vector<std::string> columns_;
  std::map<std::string, std::vector<int>> rows_;
  std::vector<int> all_;
};

}  // namespace

std::string FolderOf(const Mutant& mutant) {
  return std::string(mutant.file.substr(0, mutant.file.rfind('/')));
}

std::string LineOf(const Mutant& mutant) {
  const Row& row = *mutant.row;
  return fmt::format("{:>5} {}:{} {} {} {}{}-> {}\n", mutant.number, mutant.file, row.line,
                     row.function, ToString(row.kind), row.before, row.before.empty() ? "" : " ",
                     row.after);
}

std::string LineOf(const Mutant& mutant, const Trial& trial) {
  std::string where;
  if (!trial.profile.empty())
    where = fmt::format(" (sequence {} of {})", trial.sequence, trial.profile);
  return fmt::format("{:<11} {}{}{}{}", ToString(trial.outcome), LineOf(mutant),
                     trial.by.empty() ? "" : "            by ", trial.by,
                     trial.by.empty() ? "" : where + "\n");
}

std::string CountsOf(const std::vector<Mutant>& mutants) {
  std::vector<std::string> columns;
  for (const Kind kind : kKinds) columns.emplace_back(ToString(kind));
  columns.emplace_back(kAll);
  Table table(columns);
  for (const Mutant& mutant : mutants)
    for (size_t i = 0; i < columns.size(); ++i)
      if (columns[i] == kAll || columns[i] == ToString(mutant.row->kind))
        table.Count(FolderOf(mutant), i);
  return table.Text("folder");
}

std::string TotalsOf(const std::vector<Mutant>& mutants, const std::vector<Trial>& trials) {
  std::vector<std::string> columns;
  for (const Outcome outcome : kOutcomes) columns.emplace_back(ToString(outcome));
  columns.emplace_back(kAll);
  Table by_kind(columns);
  Table by_folder(columns);
  int noticed = 0;
  int reached = 0;
  for (const Trial& trial : trials) {
    const Mutant& mutant = MutantOf(mutants, trial);
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] != kAll && columns[i] != ToString(trial.outcome)) continue;
      by_kind.Count(std::string(ToString(mutant.row->kind)), i);
      by_folder.Count(FolderOf(mutant), i);
    }
    noticed += Noticed(trial.outcome) ? 1 : 0;
    reached += trial.outcome == Outcome::kUnreached ? 0 : 1;
  }
  return fmt::format("{}\n{}\nnoticed: {} of {}, which are {} of those that are reached\n",
                     by_kind.Text("kind"), by_folder.Text("folder"), noticed, trials.size(),
                     reached == 0 ? "none" : fmt::format("{} %", noticed * 100 / reached));
}

std::string ListAsJson(const std::vector<Mutant>& mutants) {
  Json list = Json::array();
  for (const Mutant& mutant : mutants) list.push_back(AsJson(mutant));
  return JsonText(list, 1) + "\n";
}

std::string TrialsAsJson(const std::vector<Mutant>& mutants, const std::vector<Trial>& trials,
                         const SuiteOptions& options, const Limits& limits) {
  Json list = Json::array();
  for (const Trial& trial : trials) {
    Json one = AsJson(MutantOf(mutants, trial));
    one["outcome"] = ToString(trial.outcome);
    one["by"] = trial.by;
    one["profile"] = trial.profile;
    one["sequence"] = trial.sequence;
    list.push_back(std::move(one));
  }
  const Json all = {{"mutants", mutants.size()},
                    {"profiles", options.profiles},
                    {"seed", options.seed},
                    {"sequences", options.sequences},
                    {"calls", options.calls},
                    {"cpu_seconds", limits.cpu_seconds},
                    {"memory_bytes", limits.memory_bytes},
                    {"trials", list}};
  return JsonText(all, 1) + "\n";
}

}  // namespace cm::mutant
