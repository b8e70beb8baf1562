// The real librdmacm in this process, once for each side of a conversation.
#ifndef CONFORMANCE_ADAPTERS_LIB_LIBRARIES_H_
#define CONFORMANCE_ADAPTERS_LIB_LIBRARIES_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "conformance/adapters/dl/api.h"
#include "conformance/adapters/lib/variables.h"
#include "sim/standin/ground.h"

namespace cm {

// A library keeps what it knows of devices and ids for as long as its process lives; sides are
// processes of their own, so each has a copy. All copies find the stand-in for libibverbs, and the
// descriptors that it makes, in place of the system's.
struct Libraries {
  std::vector<RdmaCmApi> of_sides;
  std::vector<Variables> at_start;  // of each, before it was first called
  std::string name;                 // "librdmacm 44.0"

  // Of the stand-in: what it asks from now on, a new world under it, the file behind a descriptor.
  void (*attach)(sim::standin::Ground* ground) = nullptr;
  void (*reset)() = nullptr;
  int64_t (*file_of)(int descriptor) = nullptr;
};

// `path` as dlopen takes it. Otherwise why it cannot be done, in a line.
std::variant<Libraries, std::string> LoadLibraries(const std::string& path);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_LIB_LIBRARIES_H_
