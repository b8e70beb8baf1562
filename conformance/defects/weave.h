// Weaves defects into a copy of the simulator's sources, each of them switchable.
#ifndef CONFORMANCE_DEFECTS_WEAVE_H_
#define CONFORMANCE_DEFECTS_WEAVE_H_

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "conformance/defects/defect_file.h"

namespace cm::defects {

using Sources = std::map<std::string, std::string>;  // by path
using Names = std::vector<std::string>;

struct WovenSources {
  Sources sources;
  std::vector<Names> functions;  // that each defect patches, with file and line
};

// 1. A function that defects patch has one body for each of them besides its own, and calls
//    `cm::defects::On(NUMBER)` to choose. Numbers count `defects` from 1.
// 2. A patch of a struct or class always applies.
// 3. The result, or the reason why a patch does not apply, in one line with the defect's name.
std::variant<WovenSources, std::string> Weave(const Sources& sources,
                                              const std::vector<DefectFile>& defects);

// The source of conformance/defects/defects.h's list.
std::string ListOf(const std::vector<DefectFile>& defects, const std::vector<Names>& functions);

}  // namespace cm::defects

#endif  // CONFORMANCE_DEFECTS_WEAVE_H_
