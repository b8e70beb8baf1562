// The golden conversations as the documents cite them: their topic, and the rows that permit them.
#ifndef TOOLS_RULES_TOLD_H_
#define TOOLS_RULES_TOLD_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"

namespace cm::ruledoc {

struct Told {
  std::string path;           // "loss/first_request.conv"
  std::string told;           // after the dashes
  model::RuleBits permitted;  // the rows of some explanation, on the simulator
  History history;            // the simulator's history
  // Scenarios of the protocol: the first sentences, the protocol's rows, the reason why not in the
  // lab.
  std::string says;
  std::vector<std::string> rows;
  std::string not_in_lab;
};

// The simulator's history under another profile.
History ToldUnder(const Told& told, const Profile& profile);

// Those of a folder like conformance/scenarios, in the order of their paths; files without a second
// half are left out.
std::vector<Told> ToldIn(const std::filesystem::path& folder);

// Link targets for the documents, and the header of each document.
inline constexpr std::string_view kScenarios = "../conformance/scenarios/";
inline constexpr std::string_view kGenerated =
    "Generated from the tables by `bazel run //tools/rules:rules_doc`; a test compares the two. Do "
    "not edit.\n\n";

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_TOLD_H_
