#include "hw_tests/lab/kernel_failure.h"

#include <gtest/gtest.h>

namespace lab {
namespace {

TEST(KernelFailure, IsTheAssertionAndItsPlace) {
  EXPECT_EQ(KernelFailure("[   30.550000] ------------[ cut here ]------------\r\n"
                          "[   30.550100] kernel BUG at drivers/infiniband/core/iwcm.c:405!\r\n"
                          "[   30.550200] invalid opcode: 0000 [#1] PREEMPT SMP NOPTI\r\n"
                          "[   30.550300] RIP: 0010:destroy_cm_id+0x21f/0x230 [iw_cm]\r\n"
                          "[   30.554699] RIP: 0033:0x7fef2dbb8a1a\r\n"
                          "[   30.557800] Kernel panic - not syncing: Fatal exception\r\n"),
            "kernel BUG at drivers/infiniband/core/iwcm.c:405! in destroy_cm_id+0x21f/0x230 "
            "[iw_cm]");
}

TEST(KernelFailure, IsAWrongAddress) {
  EXPECT_EQ(KernelFailure("[    1.5] BUG: kernel NULL pointer dereference, address: 0000000c\n"
                          "[    1.6] #PF: supervisor read access in kernel mode\n"
                          "[    1.7] RIP: 0010:cma_work+0x1/0x20 [rdma_cm]\n"),
            "BUG: kernel NULL pointer dereference, address: 0000000c in cma_work+0x1/0x20 "
            "[rdma_cm]");
}

TEST(KernelFailure, IsAPanicWithoutAPlace) {
  EXPECT_EQ(KernelFailure("[    9.1] sysrq: Trigger a crash\n"
                          "[    9.2] Kernel panic - not syncing: sysrq triggered crash\n"
                          "[    9.3] RIP: 0033:0x7fef2dbb8a1a\n"),
            "Kernel panic - not syncing: sysrq triggered crash");
}

TEST(KernelFailure, IsNoneWithoutOne) {
  EXPECT_EQ(KernelFailure(""), std::nullopt);
  EXPECT_EQ(KernelFailure("[    1.0] WARNING: CPU: 0 PID: 7 at kernel/x.c:1 f+0x1/0x2\n"
                          "[    1.1] RIP: 0010:f+0x1/0x2\n"
                          "[    1.2] BUG: scheduling while atomic: cmcheck/221/0x00000002\n"
                          "[    1.2] rdma_rxe: qp#1 Failed allocating skb"),
            std::nullopt);
  EXPECT_EQ(KernelFailure("a program says: Kernel panic - not today\n[ 2.0"), std::nullopt);
}

}  // namespace
}  // namespace lab
