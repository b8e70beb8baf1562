// What a program asked of its machine, and was answered, in a line for its developer.
#ifndef SIM_HARNESS_DESCRIBE_H_
#define SIM_HARNESS_DESCRIBE_H_

#include <string>

#include "sim/uapi/request.h"

namespace cm::sim {

// "rdma_connect id=3 private=\"hello\" -> 0". By the C function that asks for it, as far as there
// is one; ids are the kernel's. Addresses in memory are left out: they differ from run to run.
//
// Empty for what changes nothing, and went well: librdmacm looks at devices, addresses and
// attributes all the time.
std::string Describe(const uapi::Request& request, const uapi::Answer& answer);

}  // namespace cm::sim

#endif  // SIM_HARNESS_DESCRIBE_H_
