#include "tools/rules/told.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/perform.h"
#include "conformance/scenarios/expectation.h"
#include "conformance/scenarios/golden.h"
#include "model/base/check.h"
#include "model/base/files.h"
#include "model/oracle/orders.h"
#include "model/vocabulary/profile.h"

namespace cm::ruledoc {
namespace {

namespace fs = std::filesystem;

const Profile& ProfileOf(const Conversation& conversation) {
  const Profile* const named =
      FindProfile(conversation.profile.empty() ? "6.1-rxe" : conversation.profile);
  CM_CHECK(named != nullptr);
  return *named;
}

History OnSimulator(const Conversation& conversation) {
  const Profile& profile = ProfileOf(conversation);
  const std::unique_ptr<Implementation> simulator =
      MakeSimImplementation({.profile = profile, .capabilities = profile.capabilities});
  CM_CHECK(simulator != nullptr);
  return Perform(conversation, *simulator->Start(conversation));
}

// The comment above a conversation, up to its source, on one line.
std::string SentencesOf(std::string comment) {
  comment.resize(std::min(comment.find("source: "), comment.size()));
  std::ranges::replace(comment, '\n', ' ');
  comment.erase(comment.find_last_not_of(' ') + 1);
  return comment;
}

Told Tell(std::string path, const Golden& golden) {
  Told told{.path = std::move(path), .told = golden.expected};
  told.history = OnSimulator(golden.conversation);
  told.permitted = model::FindOrder(told.history, ProfileOf(golden.conversation)).verdict.reached;
  told.says = SentencesOf(golden.conversation.comment);
  auto read = ReadExpectation(golden.conversation);
  if (auto* expectation = std::get_if<Expectation>(&read)) {
    told.rows = std::move(expectation->rows);
    told.not_in_lab = std::move(expectation->not_in_lab);
  }
  return told;
}

}  // namespace

History ToldUnder(const Told& told, const Profile& profile) {
  Conversation conversation = told.history.conversation;
  if (conversation.profile == profile.name) return told.history;
  conversation.profile = profile.name;
  return OnSimulator(conversation);
}

std::vector<Told> ToldIn(const fs::path& folder) {
  std::vector<Told> all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".conv") continue;
    const auto read = ReadGolden(ReadFile(entry.path()).value_or(""));
    const auto* const golden = std::get_if<Golden>(&read);
    if (golden == nullptr || golden->expected.empty()) continue;
    all.push_back(Tell(entry.path().lexically_relative(folder).generic_string(), *golden));
  }
  std::ranges::sort(all, {}, &Told::path);  // lint: keys are unique
  return all;
}

}  // namespace cm::ruledoc
