// docs/functions.md: the coverage of the model.
#ifndef TOOLS_RULES_SCOPE_H_
#define TOOLS_RULES_SCOPE_H_

#include <span>
#include <string>
#include <string_view>

#include "tools/rules/told.h"

namespace cm::ruledoc {

// Whether the text contains the word as a whole word: letters, digits and _.
bool HasWord(std::string_view text, std::string_view word);

std::string FunctionsMarkdown(std::span<const Told> scenarios);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_SCOPE_H_
