// docs/ambiguities.md: choices of the model, and the tests that depend on them.
#ifndef TOOLS_RULES_AMBIGUITIES_H_
#define TOOLS_RULES_AMBIGUITIES_H_

#include <span>
#include <string>

#include "tools/rules/told.h"

namespace cm::ruledoc {

std::string AmbiguitiesMarkdown(std::span<const Told> scenarios);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_AMBIGUITIES_H_
