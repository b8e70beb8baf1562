// Processes that have been killed, or are ending, and that the kernel holds back: as a rule in the
// release of an RDMA id, for minutes. What they use cannot be taken away meanwhile.
#ifndef HW_TESTS_NODE_HELD_BACK_H_
#define HW_TESTS_NODE_HELD_BACK_H_

#include <string>

namespace node {

inline constexpr char kProcesses[] = "/proc";

// One of them, as "180 (cmcheck)"; empty: there is none.
std::string HeldBack(const std::string& processes = kProcesses);

}  // namespace node

#endif  // HW_TESTS_NODE_HELD_BACK_H_
