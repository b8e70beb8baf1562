// docs/ambiguities.md: where the model has to choose, and the tests that depend on the choice.
#ifndef TOOLS_RULES_AMBIGUITIES_H_
#define TOOLS_RULES_AMBIGUITIES_H_

#include <span>
#include <string>

#include "tools/rules/told.h"

namespace cm::ruledoc {

std::string AmbiguitiesMarkdown(std::span<const Told> scenarios);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_AMBIGUITIES_H_
