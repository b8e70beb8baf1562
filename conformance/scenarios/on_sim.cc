#include "conformance/scenarios/on_sim.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "conformance/defects/defective_sim.h"
#include "conformance/driver/perform.h"
#include "conformance/properties/registry.h"
#include "conformance/runner/frames.h"
#include "model/base/check.h"
#include "model/base/files.h"
#include "model/conversation/parse.h"
#include "model/oracle/judge.h"
#include "model/oracle/orders.h"

namespace cm {

Conversation ConversationOf(std::string_view text) {
  auto parsed = ParseConversation(text);
  const auto* problem = std::get_if<TextProblem>(&parsed);
  if (problem != nullptr) fmt::print(stderr, "line {}: {}\n", problem->line, problem->what);
  CM_CHECK(problem == nullptr);
  return std::get<Conversation>(std::move(parsed));
}

const Profile& ProfileOf(const Conversation& conversation) {
  const Profile* profile =
      FindProfile(conversation.profile.empty() ? "6.1-rxe" : conversation.profile);
  CM_CHECK(profile != nullptr);
  return *profile;
}

History OnSim(const Conversation& conversation, std::string_view defect) {
  const Profile& profile = ProfileOf(conversation);
  const std::unique_ptr<Implementation> sim =
      MakeDefectiveSim({.profile = profile, .capabilities = profile.capabilities}, defect);
  CM_CHECK(sim != nullptr);
  return Perform(conversation, *sim->Start(conversation));
}

std::vector<std::string> Objections(const History& as_recorded) {
  std::vector<std::string> objections;
  const Profile& profile = ProfileOf(as_recorded.conversation);
  const auto [history, verdict] = model::FindOrder(as_recorded, profile);
  if (verdict.kind != model::VerdictKind::kPermitted)
    objections.push_back("rows: " + model::Explain(verdict.at_record));
  const HistoryIndex index(history, profile);
  for (const Property& property : Properties()) {
    PropertyResult result;
    if (Concerns(property, profile)) property.check(index, result);
    for (const Violation& violation : result.violations())
      objections.push_back(
          fmt::format("{}: saw {}, permitted {}", property.id, violation.saw, violation.permitted));
  }
  for (const FrameViolation& found : JudgeFrames(as_recorded, profile).violations)
    objections.push_back(fmt::format("{}: saw {}, permitted {}", found.violation.rule,
                                     found.violation.saw, found.violation.permitted));
  return objections;
}

size_t SentWithAnotherVersion(const Conversation& conversation) {
  return std::ranges::count_if(conversation.lines, [](const Line& line) {
    const auto* sends = std::get_if<line::Sends>(&line);
    return sends != nullptr && sends->mad.base_version != kMadBaseVersion;
  });
}

std::vector<std::string> ConversationFiles(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".conv") files.push_back(entry.path().string());
  std::ranges::sort(files);  // lint: keys are unique
  return files;
}

std::string TextOf(const std::string& file) {
  std::optional<std::string> text = ReadFile(file);
  CM_CHECK(text.has_value()) << file;
  return *std::move(text);
}

}  // namespace cm
