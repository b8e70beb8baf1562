// Names what is wrong with a refused observation.
#ifndef MODEL_ORACLE_DIFFERENCE_H_
#define MODEL_ORACLE_DIFFERENCE_H_

#include <string>

#include "model/oracle/judge/verdict.h"

namespace cm::model {

// The field in which an observation differs from the permitted one that is nearest to it, as both
// are printed: "event", "answer", "private_data_len", or the name before a value ("status").
struct Difference {
  std::string field;
  std::string saw;
  std::string permitted;
  std::string rule;  // the row of that permitted observation; empty when it has none
};

// Of a refused verdict. The field is empty when no permitted observation is printed otherwise than
// what was seen.
Difference DifferenceOf(const Verdict& refused);

}  // namespace cm::model

#endif  // MODEL_ORACLE_DIFFERENCE_H_
