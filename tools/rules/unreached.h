// The rows that the default campaign does not reach on the simulator.
#ifndef TOOLS_RULES_UNREACHED_H_
#define TOOLS_RULES_UNREACHED_H_

#include <span>
#include <string_view>

#include "model/catalogue/catalogue.h"

namespace cm::ruledoc {

struct Unreached {
  std::string_view rows;  // ids, with a blank in between
  std::string_view why;
};

// Written by hand; reach_test compares it with what a campaign reaches.
std::span<const Unreached> UnreachedRows();

// The reason why the default campaign does not reach the row; empty if it does.
std::string_view WhyNotSimulated(model::RuleNumber row);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_UNREACHED_H_
