// How an RDMA device that is no software one is taken away, and brought back.
//
// 1. By /sys: the driver lets the part of the adapter go that makes the RDMA device, a device of
//    the auxiliary bus. Where there is none, the whole adapter, but only when no other interface is
//    on it, and none on top of its own: those would not come back.
// 2. Where /sys offers neither, by devlink: the parameter enable_rdma, which a reload makes true.
#ifndef HW_TESTS_NODE_ADAPTER_H_
#define HW_TESTS_NODE_ADAPTER_H_

#include <optional>
#include <string>

#include "hw_tests/node/network_state.h"
#include "hw_tests/node/tools.h"

namespace node {

struct Removal {
  Words away;
  Words back;  // does no harm where the device is there
};

// Of a device on the interface; nothing when it can be taken away by neither.
std::optional<Removal> RemovalOf(const std::string& device, const Interface& interface,
                                 Tools& tools);

}  // namespace node

#endif  // HW_TESTS_NODE_ADAPTER_H_
