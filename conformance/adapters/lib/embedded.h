// The fake libibverbs, embedded in our own binary.
#ifndef CONFORMANCE_ADAPTERS_LIB_EMBEDDED_H_
#define CONFORMANCE_ADAPTERS_LIB_EMBEDDED_H_

#include <string_view>

namespace cm::fake_libibverbs {

// A file by its name without folders; empty when there is none. Known: libcmsim_suite.so.
std::string_view Embedded(std::string_view name);

}  // namespace cm::fake_libibverbs

#endif  // CONFORMANCE_ADAPTERS_LIB_EMBEDDED_H_
