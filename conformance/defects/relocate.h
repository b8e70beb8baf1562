// Makes a second copy of C++ sources that can be linked beside the first: with a namespace, include
// paths and include guards of its own.
#ifndef CONFORMANCE_DEFECTS_RELOCATE_H_
#define CONFORMANCE_DEFECTS_RELOCATE_H_

#include <set>
#include <string>
#include <string_view>

namespace cm::defects {

struct Relocation {
  std::string prefix;            // the folder of the copy: `a/b` makes `sim/x.h` `a/b/sim/x.h`
  std::string name;              // cm::sim becomes cm::NAME
  std::set<std::string> copied;  // the files that there is a copy of, by path
};

std::string Relocate(std::string_view text, const Relocation& relocation);

}  // namespace cm::defects

#endif  // CONFORMANCE_DEFECTS_RELOCATE_H_
