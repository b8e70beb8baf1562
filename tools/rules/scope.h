// docs/functions.md and docs/ambiguities.md: how far the model goes, and where it has to choose.
#ifndef TOOLS_RULES_SCOPE_H_
#define TOOLS_RULES_SCOPE_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cm::ruledoc {

// A golden conversation, with what came of it.
struct Told {
  std::string path;  // "loss/first_request.conv"
  std::string told;  // behind the dashes
};

// Those of a folder like conformance/scenarios, in the order of their paths; files without a
// second half are left out.
std::vector<Told> ToldIn(const std::filesystem::path& folder);

// Whether the text has the word, and not as a part of a longer one: letters, digits and _.
bool HasWord(std::string_view text, std::string_view word);

std::string FunctionsMarkdown(const std::vector<Told>& scenarios);
std::string AmbiguitiesMarkdown();

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_SCOPE_H_
