// Attributes of a device, as ibv_query_device_ex has them.
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sim/fake_libibverbs/on_machine.h"

namespace cm::sim::fake_libibverbs {
namespace {

class DeviceAttributes : public OnMachine {
 protected:
  explicit DeviceAttributes(const char* profile = "6.1-rxe") : OnMachine(profile) {}

  // What the inline function of the header calls.
  int Query(const ibv_query_device_ex_input* input, ibv_device_attr_ex* attributes, size_t size) {
    verbs_context* const context = verbs_get_ctx_op(context_, query_device_ex);
    return context == nullptr ? -1 : context->query_device_ex(context_, input, attributes, size);
  }
};

// source: rdma-core 44 cmd_device.c ibv_cmd_query_device_any; linux 6.1 rxe_param.h
TEST_F(DeviceAttributes, AreThoseOfTheDeviceWithItsPorts) {
  ibv_device_attr plain{};
  ASSERT_EQ(Of<decltype(::ibv_query_device)>("ibv_query_device")(context_, &plain), 0);
  ibv_device_attr_ex all{};
  std::memset(&all, 0xff, sizeof all);
  ASSERT_EQ(Query(nullptr, &all, sizeof all), 0);
  EXPECT_EQ(std::memcmp(&all.orig_attr, &plain, sizeof plain), 0);
  EXPECT_EQ(all.phys_port_cnt_ex, 1U);
  EXPECT_EQ(all.device_cap_flags_ex, plain.device_cap_flags);
  EXPECT_EQ(all.completion_timestamp_mask, 0U) << "Soft-RoCE has no timestamps";
  EXPECT_EQ(all.hca_core_clock, 0U);
  EXPECT_EQ(all.odp_caps.general_caps, 0U);
  EXPECT_EQ(all.tso_caps.max_tso, 0U);
  EXPECT_EQ(all.max_dm_size, 0U);
}

// source: linux 6.1 cache.c rdma_query_gid_table
TEST_F(DeviceAttributes, HaveAllGidsWhereThereIsRoom) {
  const auto query = Of<decltype(::_ibv_query_gid_table)>("_ibv_query_gid_table");
  std::array<ibv_gid_entry, 16> entries{};
  const ssize_t count = query(context_, entries.data(), entries.size(), 0, sizeof entries[0]);
  ASSERT_GT(count, 1);
  const auto room = static_cast<size_t>(count);
  EXPECT_EQ(query(context_, entries.data(), room, 0, sizeof entries[0]), count);
  EXPECT_EQ(query(context_, entries.data(), room - 1, 0, sizeof entries[0]), -EINVAL);
}

TEST_F(DeviceAttributes, AreAsLongAsAnOlderProgramKnowsThem) {
  ibv_device_attr_ex all{};
  std::memset(&all, 0xff, sizeof all);
  ASSERT_EQ(Query(nullptr, &all, offsetof(ibv_device_attr_ex, phys_port_cnt_ex)), 0);
  EXPECT_EQ(all.orig_attr.phys_port_cnt, 1);
  EXPECT_EQ(all.phys_port_cnt_ex, UINT32_MAX) << "not its memory";
}

TEST_F(DeviceAttributes, RefuseAnUnknownInputAndTooLittleRoom) {
  ibv_device_attr_ex all{};
  const ibv_query_device_ex_input input{.comp_mask = 1};
  EXPECT_EQ(Query(&input, &all, sizeof all), EINVAL);
  EXPECT_EQ(Query(nullptr, &all, sizeof all.orig_attr - 1), EINVAL);
}

TEST_F(DeviceAttributes, HaveXrcBeyondSoftRoce) {
  ibv_device_attr_ex all{};
  ASSERT_EQ(Query(nullptr, &all, sizeof all), 0);
  EXPECT_NE(all.orig_attr.device_cap_flags & IBV_DEVICE_XRC, 0U);
}

// source: rdma-core 44 verbs.c ibv_rate_to_mult, ibv_rate_to_mbps
TEST_F(DeviceAttributes, HaveRatesThatAreNumbersToo) {
  EXPECT_EQ(Of<int(ibv_rate)>("ibv_rate_to_mult")(IBV_RATE_30_GBPS), 12);
  EXPECT_EQ(Of<int(ibv_rate)>("ibv_rate_to_mult")(IBV_RATE_100_GBPS), -1);
  EXPECT_EQ(Of<int(ibv_rate)>("ibv_rate_to_mbps")(IBV_RATE_100_GBPS), 103'125);
  EXPECT_EQ(Of<int(ibv_rate)>("ibv_rate_to_mbps")(IBV_RATE_MAX), -1);
  EXPECT_EQ(Of<ibv_rate(int)>("mult_to_ibv_rate")(12), IBV_RATE_30_GBPS);
  EXPECT_EQ(Of<ibv_rate(int)>("mult_to_ibv_rate")(3), IBV_RATE_MAX);
  EXPECT_EQ(Of<ibv_rate(int)>("mbps_to_ibv_rate")(103'125), IBV_RATE_100_GBPS);
}

class OldAttributes : public DeviceAttributes {
 protected:
  OldAttributes() : DeviceAttributes("5.10-rxe") {}
};

// source: rdma-core 33 rxe.c rxe_ctx_ops
TEST_F(OldAttributes, HaveNoXrc) {
  ibv_device_attr plain{};
  ASSERT_EQ(Of<decltype(::ibv_query_device)>("ibv_query_device")(context_, &plain), 0);
  EXPECT_EQ(plain.device_cap_flags & IBV_DEVICE_XRC, 0U);
  ibv_xrcd_init_attr shared{.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
                            .fd = -1};
  errno = 0;
  EXPECT_EQ(ibv_open_xrcd(context_, &shared), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
}

class SiwAttributes : public DeviceAttributes {
 protected:
  SiwAttributes() : DeviceAttributes("6.1-siw") {}
};

// source: rdma-core 44 siw.c siw_query_device
TEST_F(SiwAttributes, AreThereAsWell) {
  ibv_device_attr_ex all{};
  ASSERT_EQ(Query(nullptr, &all, sizeof all), 0);
  EXPECT_EQ(all.orig_attr.vendor_id, 0x626d74U);
  EXPECT_EQ(all.phys_port_cnt_ex, 1U);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
