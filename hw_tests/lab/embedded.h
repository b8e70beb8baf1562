// The files for the guest, embedded in our own binaries.
#ifndef HW_TESTS_LAB_EMBEDDED_H_
#define HW_TESTS_LAB_EMBEDDED_H_

#include <string_view>

namespace lab {

// A file by its name without folders; empty when there is none. Known: build_image.sh, guest_tool,
// net_bond.sh, net_common.sh, net_failover.sh, net_node.sh, net_pair.sh, net_reset.sh,
// net_routes.sh, own_kernel.sh.
std::string_view Embedded(std::string_view name);

}  // namespace lab

#endif  // HW_TESTS_LAB_EMBEDDED_H_
