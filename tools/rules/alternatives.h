// Situations with more than one permitted row.
#ifndef TOOLS_RULES_ALTERNATIVES_H_
#define TOOLS_RULES_ALTERNATIVES_H_

#include <string>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "model/cm_id/guard.h"
#include "model/cm_id/state.h"
#include "model/vocabulary/call.h"

namespace cm::ruledoc {

// Rows that share (state, stimulus, guard): doing any one of them conforms.
struct Alternatives {
  std::string states;  // all for which the rows are the same; empty: the table has no states
  std::string stimulus;
  std::string guard;                    // empty: the table has no guards
  std::vector<model::RuleNumber> rows;  // at least two, in the order of the table
};

// In the order of the tables, of their stimuli, guards and states.
std::vector<Alternatives> AllAlternatives();

// The outcomes of a call in a state of the cm_id, over all guards: first in bold the outcome
// without any guard, then the rest in the order of the table. "**0**, EINVAL, ENXIO".
std::string Answers(model::State state, CallKind call);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_ALTERNATIVES_H_
