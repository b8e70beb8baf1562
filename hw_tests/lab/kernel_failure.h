// What the kernel of a guest says when it fails.
#ifndef HW_TESTS_LAB_KERNEL_FAILURE_H_
#define HW_TESTS_LAB_KERNEL_FAILURE_H_

#include <optional>
#include <string>
#include <string_view>

namespace lab {

// From the kernel's console: the first line that reports a failure after which the kernel does not
// go on (an assertion, a wrong address, a panic), without its time, and where it was:
// "kernel BUG at drivers/infiniband/core/iwcm.c:405! in destroy_cm_id+0x21f/0x230 [iw_cm]".
// Warnings are none. Empty when it has not failed.
// source: linux 6.1 lib/bug.c report_bug, arch/x86/kernel/dumpstack.c, kernel/panic.c
std::optional<std::string> KernelFailure(std::string_view console);

}  // namespace lab

#endif  // HW_TESTS_LAB_KERNEL_FAILURE_H_
