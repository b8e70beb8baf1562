#include "sim/uapi/layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/uapi/program.h"

namespace cm::sim::uapi {
namespace {

TEST(Layout, FindsWhatBelongsToTheProgram) {
  rdma_ucm_set_option set{.optval = 0x1234567890, .id = 1, .level = 0, .optname = 1, .optlen = 4};
  std::vector<uint8_t> bytes = Program::Bytes(RDMA_USER_CM_CMD_SET_OPTION, set, 0);
  ASSERT_TRUE(FindOptionValue(bytes));
  EXPECT_EQ(FindOptionValue(bytes)->address, 0x1234567890u);
  EXPECT_EQ(FindOptionValue(bytes)->length, 4u);
  EXPECT_FALSE(ResponseAddress(bytes));
  EXPECT_FALSE(FindDescriptor(bytes));
  bytes.pop_back();
  EXPECT_FALSE(FindOptionValue(bytes));
  const rdma_ucm_migrate_id migrate{0xabcdef, 1, 77};
  bytes = Program::Bytes(RDMA_USER_CM_CMD_MIGRATE_ID, migrate, 4);
  EXPECT_EQ(ResponseAddress(bytes), 0xabcdefu);
  ASSERT_TRUE(FindDescriptor(bytes));
  EXPECT_EQ(bytes[*FindDescriptor(bytes)], 77);
  EXPECT_FALSE(FindOptionValue(bytes));
  auto join = Zeros<rdma_ucm_join_mcast>();
  join.response = 42;
  EXPECT_EQ(ResponseAddress(Program::Bytes(RDMA_USER_CM_CMD_JOIN_MCAST, join, 4)), 42u);
  EXPECT_FALSE(ResponseAddress({}));
}

}  // namespace
}  // namespace cm::sim::uapi
