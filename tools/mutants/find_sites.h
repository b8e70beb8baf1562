// Finds the places of a source that can be mutated, with clang's parser.
//
// Mutated are the bodies of functions. Left as they are: what has to be constant (case labels,
// template arguments, bounds of arrays, static_assert, constexpr functions and variables), what is
// not evaluated, default arguments, static variables, and everything that a macro makes.
#ifndef TOOLS_MUTANTS_FIND_SITES_H_
#define TOOLS_MUTANTS_FIND_SITES_H_

#include <string>
#include <vector>

#include "tools/mutants/sites.h"

namespace cm::mutant {

struct Found {
  std::vector<Site> sites;  // as SortSites leaves them
  std::string problem;      // what the compiler objects to; empty when the source is well-formed
};

// Parses `source`, which the compiler is to call `name`, with the options `flags` (include
// folders, definitions, the language).
Found FindSites(const std::string& name, const std::string& source,
                const std::vector<std::string>& flags);

}  // namespace cm::mutant

#endif  // TOOLS_MUTANTS_FIND_SITES_H_
