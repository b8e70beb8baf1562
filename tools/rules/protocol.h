// docs/protocol.md: every row of the protocol's tables with the rows of the model that implement it
// and the conversations that exercise it; and every scenario with its conversation.
#ifndef TOOLS_RULES_PROTOCOL_H_
#define TOOLS_RULES_PROTOCOL_H_

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/fidelity/lab_scenarios.h"
#include "model/catalogue/catalogue.h"
#include "tools/rules/told.h"

namespace cm::ruledoc {

// One of N1 to M10: what happens, in a few words; and the reason why no conversation reaches it, if
// none does.
struct ProtocolRow {
  std::string_view name;
  std::string_view says;
  std::string_view unreachable;
};
std::span<const ProtocolRow> ProtocolRows();

// The protocol's rows that a source cites, as in "linux 6.1 cm.c cm_rep_handler (R2, R29)".
std::vector<std::string> RowsNamedIn(std::string_view source);

struct RowReach {
  const ProtocolRow* row = nullptr;
  std::vector<model::RuleNumber> rules;
  std::vector<const Told*> conversations;  // whose comment cites it and that need one of the rules
  std::vector<const Told*> others;         // that need one that implements no other row
};
std::vector<RowReach> RowsReached(std::span<const Told> told);

// Rows that a conversation claims, without needing any of their rules: "PATH: R2".
std::vector<std::string> UnfoundedClaims(std::span<const Told> told);

// "S01" to "S77", and those with a letter after their number.
std::vector<std::string> ScenarioNumbers();
// "S04" of "protocol/loss/s04-request-once.conv"; empty if it is none.
std::string ScenarioNumberOf(std::string_view path);

// The lab's kept outcomes, below the root of the repository; the reference first.
std::vector<LabScenarios> KernelScenarios(const std::filesystem::path& root);

std::string ProtocolMarkdown(std::span<const Told> told, std::span<const LabScenarios> kernels);
// For each scenario that was run there, with the simulator under the profile of that kernel.
std::vector<ScenarioComparison> ComparedWith(std::span<const Told> told,
                                             const LabScenarios& kernel);
// docs/scenarios.md: outcomes of the scenarios on real kernels, beside the simulator.
std::string ScenariosMarkdown(std::span<const Told> told, std::span<const LabScenarios> kernels);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_PROTOCOL_H_
