// The real librdmacm in this process, once for each side of a conversation.
#ifndef CONFORMANCE_ADAPTERS_LIB_LIBRARIES_H_
#define CONFORMANCE_ADAPTERS_LIB_LIBRARIES_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "conformance/adapters/dl/api.h"
#include "conformance/adapters/lib/variables.h"
#include "sim/fake_libibverbs/backend.h"

namespace cm {

// A library stores devices and ids in global variables; sides are processes of their own, so each
// has a copy. All copies use the fake libibverbs, and its descriptors, in place of the
// system's. Copies and fake are known to the loader by names of their own: what this process loads
// as librdmacm.so.1 or libibverbs.so.1, before or after, is the system's.
struct Libraries {
  std::vector<RdmaCmApi> of_sides;
  std::vector<Variables> at_start;  // of each copy, before its first call
  std::string name;                 // "librdmacm 44.0"

  // The fake libibverbs's functions: set its backend, start a new world, the file of a descriptor.
  void (*attach)(sim::fake_libibverbs::Backend* backend) = nullptr;
  void (*reset)() = nullptr;
  int64_t (*file_of)(int descriptor) = nullptr;
};

// `path` as for dlopen; a name without a folder is looked for as a program's library, which needs
// libibverbs to be there. Returns the error in one line on failure.
std::variant<Libraries, std::string> LoadLibraries(const std::string& path);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_LIB_LIBRARIES_H_
