// The real librdmacm on the simulated kernel, as an implementation.
#ifndef CONFORMANCE_ADAPTERS_LIB_LIB_ADAPTER_H_
#define CONFORMANCE_ADAPTERS_LIB_LIB_ADAPTER_H_

#include <memory>
#include <string>
#include <variant>

#include "conformance/driver/implementation.h"
#include "model/vocabulary/profile.h"

namespace cm {

struct LibOptions {
  std::string path = "librdmacm.so.1";  // as dlopen takes it
  Profile profile;                      // of the simulated kernel
};

// The implementation, or the error in one line. The library is called in forked processes, each of
// which serves many conversations, so that a conversation in which it crashes or hangs costs no
// more than that process.
std::variant<std::unique_ptr<Implementation>, std::string> MakeLibImplementation(
    LibOptions options);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_LIB_LIB_ADAPTER_H_
