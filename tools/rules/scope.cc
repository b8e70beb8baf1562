#include "tools/rules/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "conformance/properties/registry.h"
#include "model/catalogue/catalogue.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/protocol.h"
#include "tools/rules/exported.h"
#include "tools/rules/table.h"
#include "tools/rules/unreached.h"

namespace cm::ruledoc {
namespace {

// One line of a table: coverage of a function or event by model, suite and conversations.
struct Reach {
  size_t rows = 0;
  size_t simulated = 0;  // reached by the default campaign on the simulator
  size_t observed = 0;
  std::vector<std::string_view> properties;
  size_t scenarios = 0;
  std::string shortest;  // of the conversations
};

void CountRow(const Row& row, Reach* reach) {
  ++reach->rows;
  if (WhyNotSimulated(row.number).empty()) ++reach->simulated;
  if (!row.observed.empty()) ++reach->observed;
}

void CountProperty(const Property& property, std::string_view word, Reach* reach) {
  if (HasWord(property.says, word) || HasWord(property.source, word))
    reach->properties.push_back(property.id);
}

void CountScenarios(std::span<const Told> scenarios, std::string_view word, Reach* reach) {
  size_t least = 0;
  for (const Told& scenario : scenarios) {
    if (!HasWord(scenario.told, word)) continue;
    ++reach->scenarios;
    if (!reach->shortest.empty() && scenario.told.size() >= least) continue;
    least = scenario.told.size();
    reach->shortest = scenario.path;
  }
}

Reach OfFunction(std::string_view name, std::span<const Told> scenarios) {
  Reach reach;
  for (const Table& table : AllTables()) {
    for (const Row& row : table.rows) {
      if (row.on != name) continue;
      CountRow(row, &reach);
    }
  }
  for (const Property& property : Properties()) CountProperty(property, name, &reach);
  CountScenarios(scenarios, name, &reach);
  return reach;
}

// Rows that report this event, or convert another event into it or it into another.
Reach OfEvent(EventType type, std::span<const Told> scenarios) {
  Reach reach;
  const std::string to_listener = fmt::format("reports {} to the listener", ShortName(type));
  for (const Table& table : AllTables()) {
    for (const Row& row : table.rows) {
      if (!HasWord(model::InfoOf(row.number).says, ToString(type)) && row.effects != to_listener)
        continue;
      CountRow(row, &reach);
    }
  }
  for (const Property& property : Properties()) CountProperty(property, ShortName(type), &reach);
  CountScenarios(scenarios, ToString(type), &reach);
  return reach;
}

std::string Line(std::string_view name, const Reach& reach, std::string_view remark) {
  std::string scenarios = reach.scenarios == 0 ? "" : std::to_string(reach.scenarios);
  if (!reach.shortest.empty())
    scenarios += fmt::format(", e.g. [{0}]({1}{0})", reach.shortest, kScenarios);
  return fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", name, reach.rows, reach.simulated,
                     reach.observed, fmt::join(reach.properties, " "), scenarios, remark);
}

constexpr std::string_view kHead =
    "| name | rows | simulated | observed | properties | conversations | |\n"
    "|---|--:|--:|--:|---|---|---|\n";

std::string Functions(std::span<const Told> scenarios) {
  std::string text(kHead);
  for (const Exported& function : ExportedFunctions()) {
    const Reach reach = OfFunction(function.name, scenarios);
    std::string remark(function.remark);
    if (!function.outside.empty())
      remark = fmt::format("not in conversations: {}", function.outside);
    else if (reach.rows == 0)
      remark = "in conversations; its answers are judged by no row";
    text += Line(function.name, reach, remark);
  }
  return text;
}

std::string InlineOnes(std::span<const Told> scenarios) {
  std::string text(kHead);
  for (const std::string_view name : InlineFunctions())
    text += Line(name, OfFunction(name, scenarios), "");
  return text;
}

std::string Events(std::span<const Told> scenarios) {
  std::string text(kHead);
  for (int t = 0; t < kEventTypeCount; ++t) {
    const auto type = static_cast<EventType>(t);
    const Reach reach = OfEvent(type, scenarios);
    text += Line(ToString(type), reach, reach.rows == 0 ? "no row makes it" : "");
  }
  return text;
}

// The rows that the simulator does not reach, by reason.
std::string NotSimulated() {
  std::string text =
      "\n## Rows that the default campaign does not reach on the simulator\n\n"
      "| rows | why |\n|---|---|\n";
  std::vector<std::string_view> reasons;
  for (model::RuleNumber row = 0; row < model::RuleCount(); ++row) {
    const std::string_view why = WhyNotSimulated(row);
    if (!why.empty() && std::ranges::find(reasons, why) == reasons.end()) reasons.push_back(why);
  }
  for (const std::string_view why : reasons) {
    std::vector<std::string> rows;
    for (model::RuleNumber row = 0; row < model::RuleCount(); ++row)
      if (WhyNotSimulated(row) == why) rows.push_back(fmt::format("`{}`", model::InfoOf(row).id));
    text += fmt::format("| {} | {} |\n", fmt::join(rows, ", "), why);
  }
  return text;
}

}  // namespace

bool HasWord(std::string_view text, std::string_view word) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !part(text[at - 1])) && (end == text.size() || !part(text[end]))) return true;
  }
  return false;
}

std::string FunctionsMarkdown(std::span<const Told> scenarios) {
  std::string text = "# Functions and events\n\n" + std::string(kGenerated);
  text +=
      "How much the project has to say about each function of `librdmacm.map` and each event of "
      "the header: rows of the [tables](rules.md), how many of them the default campaign reaches "
      "on the simulator, how many a real kernel has shown, the properties that speak of it, and "
      "the "
      "golden conversations in which it occurs.\n\n"
      "## Functions\n\n" +
      Functions(scenarios) +
      "\n`rdma_get_local_addr` and `rdma_get_peer_addr` are inline functions of the header: "
      "`show` lines have what they return. Outside the model are the rsockets, a client of these "
      "functions: ";
  for (const std::string_view name : RsocketFunctions())
    text += fmt::format("{}`{}`", name == RsocketFunctions().front() ? "" : ", ", name);
  return text +
         ".\n\n## Inline functions of `<rdma/rdma_verbs.h>`\n\nThey post work to the queues of an "
         "id, and wait for its completions; with which status it completes the table `Work` "
         "says.\n\n" +
         InlineOnes(scenarios) + "\n## Events\n\n" + Events(scenarios) + NotSimulated();
}

}  // namespace cm::ruledoc
