// The protocol's scenarios on a real kernel, several runs of each, beside the simulator.
//
// The kernel's outcomes are stored in files (conformance/recordings/lab/scenarios/*.json); the
// simulator runs anew for each comparison.
#ifndef CONFORMANCE_FIDELITY_LAB_SCENARIOS_H_
#define CONFORMANCE_FIDELITY_LAB_SCENARIOS_H_

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/fidelity/side_by_side.h"
#include "model/base/duration.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"

namespace cm {

// Additional time of a guest: its calls and its packet filters run at the speed of an emulator.
inline constexpr Duration kGuestSlack = Duration::Milliseconds(20);

struct LabScenario {
  std::string path;  // "loss/s04-request-once.conv"
  std::vector<std::vector<TimedEvent>> runs;
};

struct LabScenarios {
  std::string library;
  std::string kernel;
  std::string profile;
  std::vector<LabScenario> scenarios;  // in the order of their paths

  const LabScenario* Find(std::string_view path) const;
};

std::variant<LabScenarios, std::string> ReadLabScenarios(const std::string& json);
std::string ToJson(const LabScenarios& scenarios);

// One scenario: the simulator's events with a run of the kernel beside each, run by run.
struct ScenarioComparison {
  std::string path;
  std::vector<std::vector<EventPair>> runs;

  bool same() const;
};
ScenarioComparison Compare(const LabScenario& kernel, const History& simulator,
                           const Profile& profile);

// A table: each event of the simulator, those of the kernel, and the latest that is allowed.
std::string ToText(const ScenarioComparison& comparison);
std::string ToMarkdown(const ScenarioComparison& comparison);

}  // namespace cm

#endif  // CONFORMANCE_FIDELITY_LAB_SCENARIOS_H_
