// The golden conversations as the documents cite them: what is told in them, and the rows that
// permit it.
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
  std::string told;           // behind the dashes
  model::RuleBits permitted;  // the rows that some explanation of it needs, on the simulator
  History history;            // what the simulator made of it
  // Of the protocol's scenarios: the first sentences, the protocol's rows, why not in the lab.
  std::string says;
  std::vector<std::string> rows;
  std::string not_in_lab;
};

// What the simulator makes of it under another profile.
History ToldUnder(const Told& told, const Profile& profile);

// Those of a folder like conformance/scenarios, in the order of their paths; files without a
// second half are left out.
std::vector<Told> ToldIn(const std::filesystem::path& folder);

// Where the documents link to them, and what stands above each document.
inline constexpr std::string_view kScenarios = "../conformance/scenarios/";
inline constexpr std::string_view kGenerated =
    "Generated from the tables by `bazel run //tools/rules:rules_doc`; a test compares the two. Do "
    "not edit.\n\n";

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_TOLD_H_
