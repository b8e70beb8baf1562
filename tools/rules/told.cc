#include "tools/rules/told.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <variant>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/perform.h"
#include "conformance/scenarios/golden.h"
#include "model/base/check.h"
#include "model/oracle/orders.h"
#include "model/vocabulary/profile.h"

namespace cm::ruledoc {
namespace {

namespace fs = std::filesystem;

model::RuleBits Permitting(const Conversation& conversation) {
  const Profile* const named =
      FindProfile(conversation.profile.empty() ? "6.1-rxe" : conversation.profile);
  CM_CHECK(named != nullptr);
  const Profile& profile = *named;
  const std::unique_ptr<Implementation> simulator =
      MakeSimImplementation({.profile = profile, .capabilities = profile.capabilities});
  CM_CHECK(simulator != nullptr);
  const History history = Perform(conversation, *simulator->Start(conversation));
  return model::FindOrder(history, profile).verdict.reached;
}

}  // namespace

std::vector<Told> ToldIn(const fs::path& folder) {
  std::vector<Told> all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".conv") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto read = ReadGolden(text);
    const auto* const golden = std::get_if<Golden>(&read);
    if (golden == nullptr || golden->expected.empty()) continue;
    all.push_back({entry.path().lexically_relative(folder).generic_string(), golden->expected,
                   Permitting(golden->conversation)});
  }
  std::ranges::sort(all, {}, &Told::path);  // lint: keys are unique
  return all;
}

}  // namespace cm::ruledoc
