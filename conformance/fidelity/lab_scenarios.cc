#include "conformance/fidelity/lab_scenarios.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/base/json.h"
#include "model/vocabulary/protocol.h"

namespace cm {
namespace {

nlohmann::json ToJson(const TimedEvent& event) {
  return {event.side, ShortName(event.event.type), event.event.status, event.at.microseconds(),
          event.outside.microseconds()};
}

std::optional<TimedEvent> EventOf(const nlohmann::json& json) {
  if (!json.is_array() || json.size() != 5 || !json[0].is_string() || !json[1].is_string() ||
      !json[2].is_number_integer() || !json[3].is_number_integer() || !json[4].is_number_integer())
    return std::nullopt;
  const auto type = ParseEventType(json[1].get<std::string>());
  if (!type) return std::nullopt;
  return TimedEvent{json[0].get<std::string>(),
                    {*type, json[2].get<int32_t>()},
                    Duration::Microseconds(json[3].get<int64_t>()),
                    Duration::Microseconds(json[4].get<int64_t>())};
}

std::optional<LabScenario> ScenarioOf(const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("path") || !json["path"].is_string() ||
      !json.contains("runs") || !json["runs"].is_array())
    return std::nullopt;
  LabScenario scenario{.path = json["path"].get<std::string>(), .runs = {}};
  for (const nlohmann::json& run : json["runs"]) {
    std::vector<TimedEvent>& events = scenario.runs.emplace_back();
    for (const nlohmann::json& one : run) {
      const auto event = EventOf(one);
      if (!event) return std::nullopt;
      events.push_back(*event);
    }
  }
  return scenario;
}

// One line of a table, cell by cell.
using Cells = std::vector<std::string>;

std::string Seen(const std::optional<TimedEvent>& event, const std::optional<TimedEvent>& beside) {
  if (!event) return "nothing";
  std::string at = SecondsText(event->at);
  if (event->outside > kGuestSlack) at += fmt::format(" (tools {})", SecondsText(event->outside));
  const bool named = beside && beside->event == event->event && beside->side == event->side;
  return named ? at : fmt::format("{} {}", ToString(event->event), at);
}

Cells HeadOf(const ScenarioComparison& comparison) {
  Cells head = {"side", "event", "simulator"};
  for (size_t run = 1; run <= comparison.runs.size(); ++run)
    head.push_back(comparison.runs.size() == 1 ? "kernel" : fmt::format("kernel, run {}", run));
  head.push_back("may be late by");
  head.push_back("is");
  return head;
}

Cells LineOf(const ScenarioComparison& comparison, size_t index) {
  std::optional<TimedEvent> simulator;
  std::string side;
  Cells kernel;
  Duration lateness;
  Agreement agreement = Agreement::kSame;
  for (const std::vector<EventPair>& run : comparison.runs) {
    if (index >= run.size()) {
      kernel.push_back("nothing");
      continue;
    }
    const EventPair& pair = run[index];
    simulator = pair.simulator;
    lateness = pair.lateness;
    side = pair.simulator ? pair.simulator->side : pair.kernel->side;
    kernel.push_back(Seen(pair.kernel, pair.simulator));
    if (pair.agreement != Agreement::kSame) agreement = pair.agreement;
  }
  Cells cells = {side, simulator ? ToString(simulator->event) : "nothing",
                 simulator ? SecondsText(simulator->at) : ""};
  cells.insert(cells.end(), kernel.begin(), kernel.end());
  cells.push_back(SecondsText(lateness));
  cells.emplace_back(ToString(agreement));
  return cells;
}

std::vector<Cells> LinesOf(const ScenarioComparison& comparison) {
  size_t count = 0;
  for (const std::vector<EventPair>& run : comparison.runs) count = std::max(count, run.size());
  std::vector<Cells> lines;
  for (size_t i = 0; i < count; ++i) lines.push_back(LineOf(comparison, i));
  return lines;
}

}  // namespace

const LabScenario* LabScenarios::Find(std::string_view path) const {
  const auto found = std::ranges::find(scenarios, path, &LabScenario::path);
  return found == scenarios.end() ? nullptr : &*found;
}

std::variant<LabScenarios, std::string> ReadLabScenarios(const std::string& text) {
  const nlohmann::json json = ParseJson(text);
  if (!json.is_object()) return "not a whole JSON object";
  LabScenarios all;
  for (const auto& [key, value] :
       {std::pair{"library", &all.library}, {"kernel", &all.kernel}, {"profile", &all.profile}}) {
    if (!json.contains(key) || !json[key].is_string()) return fmt::format("no \"{}\"", key);
    *value = json[key].get<std::string>();
  }
  if (!json.contains("scenarios")) return "no \"scenarios\"";
  for (const nlohmann::json& one : json["scenarios"]) {
    auto scenario = ScenarioOf(one);
    if (!scenario) return fmt::format("scenario {} cannot be read", all.scenarios.size() + 1);
    all.scenarios.push_back(std::move(*scenario));
  }
  return all;
}

std::string ToJson(const LabScenarios& scenarios) {
  std::string text = fmt::format(
      "{{\"schema\": 1,\n \"library\": {},\n \"kernel\": {},\n \"profile\": {},\n "
      "\"scenarios\": [\n",
      QuotedJson(scenarios.library), QuotedJson(scenarios.kernel), QuotedJson(scenarios.profile));
  for (const LabScenario& scenario : scenarios.scenarios) {
    text += fmt::format("  {{\"path\": {}, \"runs\": [\n", QuotedJson(scenario.path));
    for (const std::vector<TimedEvent>& run : scenario.runs) {
      nlohmann::json events = nlohmann::json::array();
      for (const TimedEvent& event : run) events.push_back(ToJson(event));
      text += "    " + JsonText(events) + (&run == &scenario.runs.back() ? "\n" : ",\n");
    }
    text += &scenario == &scenarios.scenarios.back() ? "  ]}\n" : "  ]},\n";
  }
  return text + " ]\n}\n";
}

bool ScenarioComparison::same() const { return !runs.empty() && std::ranges::all_of(runs, Same); }

ScenarioComparison Compare(const LabScenario& kernel, const History& simulator,
                           const Profile& profile) {
  ScenarioComparison comparison{.path = kernel.path, .runs = {}};
  const std::vector<TimedEvent> events = TimedEvents(simulator);
  const std::vector<Duration> lateness = Lateness(simulator, profile);
  for (const std::vector<TimedEvent>& run : kernel.runs)
    comparison.runs.push_back(SideBySide(events, lateness, run, kGuestSlack));
  return comparison;
}

std::string ToText(const ScenarioComparison& comparison) {
  std::vector<Cells> lines = LinesOf(comparison);
  lines.insert(lines.begin(), HeadOf(comparison));
  std::vector<size_t> widths(lines.front().size());
  for (const Cells& cells : lines)
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  std::string text =
      fmt::format("{}: {}\n", comparison.path, comparison.same() ? "same" : "DIFFERENT");
  for (const Cells& cells : lines) {
    std::string line = " ";
    for (size_t i = 0; i < cells.size(); ++i) line += fmt::format(" {:<{}} ", cells[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string ToMarkdown(const ScenarioComparison& comparison) {
  const Cells head = HeadOf(comparison);
  std::string text = fmt::format("| {} |\n|", fmt::join(head, " | "));
  for (size_t i = 0; i < head.size(); ++i) text += i < 2 || i + 1 == head.size() ? "---|" : "--:|";
  text += "\n";
  for (const Cells& cells : LinesOf(comparison))
    text += fmt::format("| {} |\n", fmt::join(cells, " | "));
  return text;
}

}  // namespace cm
