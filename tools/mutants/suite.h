// What the suite sees of the simulator that this program is linked to.
#ifndef TOOLS_MUTANTS_SUITE_H_
#define TOOLS_MUTANTS_SUITE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/mutants/trial.h"

namespace cm::mutant {

struct SuiteOptions {
  std::vector<std::string> profiles;  // names of built-in ones, one after the other
  uint64_t seed = 1;
  uint64_t sequences = 500;  // of each profile
  int calls = 20;            // about so many in a sequence
};

// Switches the mutant on, for the rest of the process, and runs the campaigns up to the first
// sequence that fails.
Sight LookWithSuite(int mutant, const SuiteOptions& options);

}  // namespace cm::mutant

#endif  // TOOLS_MUTANTS_SUITE_H_
