// Findings that are known and understood: they are printed with the reason, and do not fail.
#ifndef CONFORMANCE_EXPLORE_EXPLAINED_H_
#define CONFORMANCE_EXPLORE_EXPLAINED_H_

#include <string_view>

#include "conformance/runner/verdict.h"
#include "model/conversation/conversation.h"

namespace cm::explore {

// The reason, or nothing. Of the simulator without defects.
std::string_view WhyExplained(const Finding& finding, const Conversation& shortest);

}  // namespace cm::explore

#endif  // CONFORMANCE_EXPLORE_EXPLAINED_H_
