#include "tools/rules/ambiguities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "tools/rules/alternatives.h"
#include "tools/rules/disagreements.h"

namespace cm::ruledoc {
namespace {

// "`disconnect-7`, `report-12` (not observed)".
std::string RowsCell(const std::vector<model::RuleNumber>& rows) {
  std::vector<std::string> names;
  for (const model::RuleNumber number : rows) {
    const model::RuleInfo& info = model::InfoOf(number);
    names.push_back(
        fmt::format("`{}`{}", info.id, info.evidence.observed.empty() ? " (not observed)" : ""));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// The rows that a hand-written entry names.
std::vector<model::RuleNumber> RowsOf(std::string_view ids) {
  std::vector<model::RuleNumber> rows;
  while (!ids.empty()) {
    const size_t end = std::min(ids.find(' '), ids.size());
    const std::string_view id = ids.substr(0, end);
    for (model::RuleNumber number = 0; number < model::RuleCount(); ++number)
      if (model::InfoOf(number).id == id) rows.push_back(number);
    ids.remove_prefix(std::min(end + 1, ids.size()));
  }
  return rows;
}

// The number of golden conversations that need one of the rows, and the conversation that needs
// most of them; the shortest if there are several.
std::string TestsCell(const std::vector<model::RuleNumber>& rows, std::span<const Told> scenarios) {
  size_t count = 0;
  const Told* best = nullptr;
  std::ptrdiff_t most = 0;
  for (const Told& scenario : scenarios) {
    const auto needed =
        std::ranges::count_if(rows, [&](model::RuleNumber row) { return scenario.permitted[row]; });
    if (needed == 0) continue;
    ++count;
    const bool shorter = needed == most && scenario.told.size() < best->told.size();
    if (needed < most || (needed == most && !shorter)) continue;
    most = needed;
    best = &scenario;
  }
  if (best == nullptr) return "";
  return fmt::format("{0}, e.g. [{1}]({2}{1})", count, best->path, kScenarios);
}

// The last two cells of a hand-written entry: rows, or the reason why there are none, and tests.
std::string CellsText(std::string_view ids, std::string_view outside,
                      std::span<const Told> scenarios) {
  if (ids.empty()) return fmt::format("none: {} | ", outside);
  const std::vector<model::RuleNumber> rows = RowsOf(ids);
  return fmt::format("{} | {}", RowsCell(rows), TestsCell(rows, scenarios));
}

}  // namespace

std::string AmbiguitiesMarkdown(std::span<const Told> scenarios) {
  std::string text = "# Ambiguities\n\n" + std::string(kGenerated);
  text +=
      "One entry for each place where manual and code disagree, or where the answer is a set. "
      "`tests`: the golden conversations that an entry's rows permit, and one of those that need "
      "the most of them; each entry with rows is tried by the campaigns as well.\n\n"
      "## The manual and the code\n\n"
      "The rows follow the code: that is what programs meet.\n\n"
      "| id | the manual says | the code does | rows | tests |\n|---|---|---|---|---|\n";
  for (const Disagreement& d : Disagreements())
    text += fmt::format("| {} | {} | {} | {} |\n", d.id, d.manual, d.code,
                        CellsText(d.rows, d.outside, scenarios));
  text +=
      "\n## Races\n\n"
      "Two things happen at once, and their order is not specified. The oracle follows each order, "
      "so that the permitted results are a set; these are the rows at its ends.\n\n"
      "| id | situation | admissible | rows | tests |\n|---|---|---|---|---|\n";
  for (const Race& r : Races())
    text += fmt::format("| {} | {} | {} | {} |\n", r.id, r.situation, r.admissible,
                        CellsText(r.rows, r.outside, scenarios));
  text +=
      "\n## Rows that share state, call and guard\n\n"
      "What tells them apart is nothing that the table knows of, or the sources leave it open.\n\n"
      "| on | in | when | rows | tests |\n|---|---|---|---|---|\n";
  for (const Alternatives& a : AllAlternatives())
    text += fmt::format("| {} | {} | {} | {} | {} |\n", a.stimulus, a.states, a.guard,
                        RowsCell(a.rows), TestsCell(a.rows, scenarios));
  return text;
}

}  // namespace cm::ruledoc
