// docs/owed.md: what is owed after each fault.
#ifndef TOOLS_RULES_OWED_PAGE_H_
#define TOOLS_RULES_OWED_PAGE_H_

#include <string>

namespace cm::ruledoc {

std::string OwedMarkdown();

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_OWED_PAGE_H_
