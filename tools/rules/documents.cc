#include "tools/rules/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "model/base/files.h"
#include "model/catalogue/catalogue.h"
#include "model/cm_id/rules.h"
#include "model/vocabulary/call.h"
#include "tools/rules/alternatives.h"
#include "tools/rules/ambiguities.h"
#include "tools/rules/diagram.h"
#include "tools/rules/language.h"
#include "tools/rules/owed_page.h"
#include "tools/rules/protocol.h"
#include "tools/rules/scope.h"
#include "tools/rules/table.h"
#include "tools/rules/told.h"

namespace cm::ruledoc {
namespace {

constexpr std::string_view kIntroduction = R"(# The rules

Generated from the tables of `model/` by `bazel run //tools/rules:rules_doc`; a test compares the
two. Do not edit.

What a conforming implementation of RDMA CM may do, row by row. The tables are stacked: a call on an
`rdma_cm_id` is answered by *cm_id*; *ib_cm* has what it sends and what arrives; what that
reports becomes an event by *channel*; over iWARP *iw_cm* stands in the place of *ib_cm*; *qp* says
what happens to the queue pair meanwhile. They are kept apart, and never multiplied out.

**A row** says: an id that is in one of the states `from`, when the stimulus `on` happens and the
guard `when` holds, does this. A refusal is a row like any other, not an absence: for every call on
an id, in every state and under every guard of it, some row says what happens, which the compiler
proves. Rows that share state, stimulus and guard are **alternatives**: doing any one of them
conforms, and [Ambiguities](#ambiguities) lists them.

| column | says |
|---|---|
)";

struct Column {
  std::string_view name;
  std::string_view says;
};
constexpr auto kColumns = std::to_array<Column>({
    {"id",
     "the row's name. It is permanent: traces, findings and coverage cite it, and it is never "
     "given to another row"},
    {"from", "the states that the row speaks of; left out where a table has none"},
    {"on", "the stimulus: a call, a message, a timer, a report, an event"},
    {"when",
     "the guards, any of which selects the row; see [Guards](#guards). `fine`: none of the call's "
     "guards holds"},
    {"outcome",
     "what the caller gets: a value with its errno, or that the call blocks or crashes; elsewhere, "
     "what comes of it"},
    {"then", "the new state; empty where it stays the same"},
    {"effects", "what else is done, sent or reported"},
    {"source",
     "where it is written down: a manual page, the code of the library or the kernel by file and "
     "function, or an observation. `(R2)` and the like are rows of the protocol's tables"},
    {"observed",
     "the first line of a recording of a real kernel that shows the row: no explanation of the "
     "recording up to there, by these tables, does without it. `lab …`: a run in the lab showed "
     "it. Empty: nothing did yet"},
});
using Cells = std::array<std::string, std::size(kColumns)>;

// A | in a cell would end it.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string LinkToRecording(std::string_view observed) {
  const size_t colon = observed.rfind(':');
  if (observed.starts_with("lab ") || colon == observed.npos) return Escaped(observed);
  return fmt::format("[{}](../conformance/recordings/{}.jsonl#L{})", observed,
                     observed.substr(0, colon), observed.substr(colon + 1));
}

Cells CellsOf(const Row& row) {
  return {fmt::format("`{}`", row.id), Escaped(row.from),    Escaped(row.on),
          Escaped(row.when),           Escaped(row.outcome), Escaped(row.then),
          Escaped(row.effects),        Escaped(row.source),  LinkToRecording(row.observed)};
}

// A table of the columns that are not empty in all rows. `observed` is always there.
std::string ToMarkdown(std::span<const Row> rows) {
  std::vector<Cells> lines;
  std::array<bool, std::size(kColumns)> used{};
  used.back() = true;
  for (const Row& row : rows) {
    lines.push_back(CellsOf(row));
    for (size_t i = 0; i < used.size(); ++i) used[i] |= !lines.back()[i].empty();
  }
  std::string text = "|";
  std::string rule = "|";
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    text += fmt::format(" {} |", kColumns[i].name);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const Cells& cells : lines) {
    text += "|";
    for (size_t i = 0; i < used.size(); ++i)
      if (used[i]) text += fmt::format(" {} |", cells[i]);
    text += "\n";
  }
  return text + "\n";
}

std::string Counts(const std::vector<Table>& tables) {
  std::string text = "## Counts\n\n| table | rows | observed | unobserved |\n|---|--:|--:|--:|\n";
  size_t rows = 0;
  size_t observed = 0;
  for (const Table& table : tables) {
    const auto seen = static_cast<size_t>(
        std::ranges::count_if(table.rows, [](const Row& row) { return !row.observed.empty(); }));
    text += fmt::format("| {} | {} | {} | {} |\n", table.title, table.rows.size(), seen,
                        table.rows.size() - seen);
    rows += table.rows.size();
    observed += seen;
  }
  return text + fmt::format("| all | {} | {} | {} |\n\n", rows, observed, rows - observed);
}

// The calls that the cm_id's table has in a state, in its order.
std::vector<CallKind> CallsOnIds() {
  std::vector<CallKind> calls;
  for (const model::CallRule& rule : model::rules::kCalls)
    if (std::ranges::find(calls, rule.on) == calls.end()) calls.push_back(rule.on);
  return calls;
}

std::string Matrix() {
  std::string text =
      "## Which answer in which state\n\n"
      "What a call on an id can return, by the state of the id and over all guards. In bold: the "
      "answer when none of the call's guards holds. An errno stands for -1 with that errno. "
      "The rows have the guard of each answer.\n\n| |";
  std::string rule = "|---|";
  for (int s = 0; s < model::kStateCount; ++s) {
    text += fmt::format(" {} |", ToString(static_cast<model::State>(s)));
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const CallKind call : CallsOnIds()) {
    // There is no id, or none yet.
    if (model::WithoutId(call)) continue;
    text += fmt::format("| `{}` |", FunctionName(call));
    for (int s = 0; s < model::kStateCount; ++s)
      text += fmt::format(" {} |", Answers(static_cast<model::State>(s), call));
    text += "\n";
  }
  return text + "\n";
}

std::string Diagrams(const std::vector<Diagram>& diagrams) {
  std::string text =
      "## State diagrams\n\n"
      "Rows that change a state; what leaves it as it is, refusals above all, is left out. An "
      "arrow "
      "is labelled with its stimuli, each with its rows. As Graphviz: ";
  for (const Diagram& d : diagrams) {
    text += fmt::format("{}[{}.dot](diagrams/{}.dot)", &d == diagrams.data() ? "" : ", ", d.name,
                        d.name);
  }
  text += ".\n\n";
  for (const Diagram& d : diagrams)
    text += fmt::format("### Diagram of {}\n\n{}\n\n```mermaid\n{}```\n\n", d.title, d.says,
                        ToMermaid(d));
  return text;
}

std::string Guards() {
  std::string text =
      "## Guards\n\n"
      "What stands in the way of a call on an id, or which of its ways it takes. For each call "
      "some "
      "of them are looked at, in the order given with its rows; the first that holds selects the "
      "rows, `fine` when none does.\n\n| guard | holds when |\n|---|---|\n";
  for (int g = 0; g < model::kGuardCount; ++g) {
    const auto guard = static_cast<model::Guard>(g);
    text += fmt::format("| {} | {} |\n", ToString(guard), SentenceOf(guard));
  }
  return text + "\n";
}

// The calls on an id, each with its rows and the guards in their order.
std::string CallTables(const Table& table) {
  std::string text;
  for (const CallKind call : CallsOnIds()) {
    text += fmt::format("### {}\n\n", FunctionName(call));
    const std::span<const model::Guard> guards = model::GuardsOf(call);
    for (size_t i = 0; i < guards.size(); ++i)
      text += (i == 0 ? "Looked at in this order: " : ", ") + std::string(ToString(guards[i]));
    text += guards.empty() ? "Nothing stands in its way.\n\n" : ".\n\n";
    std::vector<Row> rows;
    for (const Row& row : table.rows)
      if (row.on == FunctionName(call)) rows.push_back(row);
    text += ToMarkdown(rows);
  }
  return text;
}

std::string Unobserved(const std::vector<Table>& tables) {
  std::string text =
      "## Rows that no recording shows yet\n\n"
      "Taken from their sources alone: an implementation that differs here may be right, and the "
      "row wrong. Rows that crash are among them where no recording tried.\n";
  for (const Table& table : tables) {
    std::string list;
    for (const Row& row : table.rows) {
      if (!row.observed.empty()) continue;
      list += fmt::format("- `{}`: {} — {}\n", row.id, model::InfoOf(row.number).says, row.source);
    }
    if (!list.empty()) text += fmt::format("\n**{}**\n\n{}", table.title, list);
  }
  return text + "\n";
}

std::string Ambiguities() {
  std::string text =
      "## Ambiguities\n\n"
      "Where the answer is a set: rows that share state, stimulus and guard, because what tells "
      "them apart is nothing that the table knows of, or because the sources leave it open.\n\n"
      "| on | in | when | rows | sources |\n|---|---|---|---|---|\n";
  for (const Alternatives& a : AllAlternatives()) {
    std::string rows;
    std::string sources;
    for (const model::RuleNumber number : a.rows) {
      const model::RuleInfo& info = model::InfoOf(number);
      const std::string_view between = rows.empty() ? "" : "<br/>";
      rows += fmt::format("{}`{}`: {}", between, info.id, Escaped(info.says));
      sources += fmt::format("{}{}", between, Escaped(info.evidence.source));
    }
    text +=
        fmt::format("| {} | {} | {} | {} | {} |\n", a.stimulus, a.states, a.guard, rows, sources);
  }
  return text;
}

std::string RulesMarkdown(const std::vector<Diagram>& diagrams) {
  const std::vector<Table> tables = AllTables();
  std::string text(kIntroduction);
  for (const Column& column : kColumns)
    text += fmt::format("| {} | {} |\n", column.name, column.says);
  text += "\n" + Counts(tables) + Matrix() + Diagrams(diagrams) + Guards();
  for (const Table& table : tables) {
    text += fmt::format("## {}\n\n{}\n\n", table.title, table.says);
    text += &table == tables.data() ? CallTables(table) : ToMarkdown(table.rows);
  }
  return text + Unobserved(tables) + Ambiguities();
}

}  // namespace

std::vector<Document> AllDocuments(const std::filesystem::path& root) {
  const std::vector<Diagram> diagrams = AllDiagrams();
  std::vector<Document> documents;
  documents.push_back({"rules.md", RulesMarkdown(diagrams)});
  const std::vector<Told> scenarios = ToldIn(root / "conformance/scenarios");
  documents.push_back({"functions.md", FunctionsMarkdown(scenarios)});
  documents.push_back({"ambiguities.md", AmbiguitiesMarkdown(scenarios)});
  documents.push_back({"owed.md", OwedMarkdown()});
  const std::vector<LabScenarios> kernels = KernelScenarios(root);
  documents.push_back({"protocol.md", ProtocolMarkdown(scenarios, kernels)});
  documents.push_back({"scenarios.md", ScenariosMarkdown(scenarios, kernels)});
  documents.push_back(
      {"language.md", LanguageMarkdown(ReadFile(root / "docs/language.md").value_or(""))});
  for (const Diagram& diagram : diagrams)
    documents.push_back({fmt::format("diagrams/{}.dot", diagram.name), ToDot(diagram)});
  return documents;
}

}  // namespace cm::ruledoc
