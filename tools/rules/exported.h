// The exported functions and events of librdmacm, and which of them the model covers.
#ifndef TOOLS_RULES_EXPORTED_H_
#define TOOLS_RULES_EXPORTED_H_

#include <span>
#include <string_view>

namespace cm::ruledoc {

struct Exported {
  std::string_view name;     // "rdma_connect"
  std::string_view outside;  // why conversations do not have it; empty if they do
  std::string_view remark = {};
};

// Every function of librdmacm.map but the rsockets, in alphabetical order.
// source: rdma-core librdmacm.map, RDMACM_1.0 to RDMACM_1.5
std::span<const Exported> ExportedFunctions();

// Functions of <rdma/rdma_verbs.h>, which are in no library, and those of libibverbs that
// conversations have; and the rsockets of the map: a client of the functions above, not covered by
// the model. In alphabetical order.
std::span<const std::string_view> InlineFunctions();
std::span<const std::string_view> RsocketFunctions();

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_EXPORTED_H_
