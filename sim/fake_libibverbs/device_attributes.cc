// What a device can do, and its limits.
#include <infiniband/verbs.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "sim/fake_libibverbs/extended.h"
#include "sim/fake_libibverbs/objects.h"
#include "sim/uapi/request.h"

using namespace cm::sim::fake_libibverbs;  // what follows is C
using cm::sim::uapi::DeviceLimits;
using cm::sim::uapi::SiwLimits;

namespace {

// source: linux 6.1 rxe_param.h; observed 6.1-rxe
void DescribeRxe(const Device& device, ibv_device_attr* attributes) {
  constexpr unsigned kCapabilities = 0x00203c76;
  constexpr unsigned kOfWindows = IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B;
  attributes->max_mw = static_cast<int>(device.record.max_windows);
  attributes->device_cap_flags = kCapabilities | (attributes->max_mw != 0 ? kOfWindows : 0);
  // Which Soft-RoCE lacks.
  if (HasExtendedVerbs(device)) attributes->device_cap_flags |= IBV_DEVICE_XRC;
  std::strcpy(attributes->fw_ver, "0.0.0");
  attributes->node_guid = device.record.guid;
  attributes->sys_image_guid = attributes->node_guid;
  attributes->max_mr_size = ~uint64_t{0};
  attributes->page_size_cap = 0xfffff000;
  attributes->vendor_id = 0xffffff;
  attributes->max_qp = (1 << 20) - 16;
  attributes->max_qp_wr = DeviceLimits::kWork;
  attributes->max_sge = DeviceLimits::kPieces;
  attributes->max_sge_rd = DeviceLimits::kPieces;
  attributes->max_cq = 1 << 20;
  attributes->max_cqe = DeviceLimits::kCompletions;
  attributes->max_mr = (1 << 19) - 1;
  attributes->max_pd = 1 << 20;
  attributes->max_qp_rd_atom = device.record.max_depth;
  attributes->max_res_rd_atom = 0x3f000;
  attributes->max_qp_init_rd_atom = device.record.max_depth;
  attributes->atomic_cap = IBV_ATOMIC_HCA;
  attributes->max_mcast_grp = 8192;
  attributes->max_mcast_qp_attach = DeviceLimits::kMembers;
  attributes->max_total_mcast_qp_attach = 8192 * DeviceLimits::kMembers;
  attributes->max_ah = (1 << 15) - 1;
  attributes->max_srq = 0xdffff;
  attributes->max_srq_wr = DeviceLimits::kWork;
  attributes->max_srq_sge = DeviceLimits::kSharedPieces;
  attributes->max_pkeys = 64;
  attributes->local_ca_ack_delay = 15;
  attributes->phys_port_cnt = static_cast<uint8_t>(device.record.ports);
}

// source: linux 6.1 siw_verbs.c siw_query_device
void DescribeSiw(const Device& device, ibv_device_attr* attributes) {
  constexpr int kMany = SiwLimits::kQueuePairs;
  attributes->node_guid = device.record.guid;
  attributes->sys_image_guid = attributes->node_guid;
  attributes->max_mr_size = ~uint64_t{0};
  attributes->page_size_cap = 4096;
  attributes->vendor_id = 0x626d74;
  attributes->max_qp = kMany;
  attributes->max_qp_wr = SiwLimits::kWork;
  attributes->device_cap_flags = IBV_DEVICE_MEM_MGT_EXTENSIONS;
  attributes->max_sge = SiwLimits::kPieces;
  attributes->max_sge_rd = 1;
  attributes->max_cq = kMany;
  attributes->max_cqe = SiwLimits::kCompletions;
  attributes->max_mr = 10 * kMany;
  attributes->max_pd = kMany;
  attributes->max_qp_rd_atom = device.record.max_depth;
  attributes->max_res_rd_atom = kMany * device.record.max_depth;
  attributes->max_qp_init_rd_atom = device.record.max_depth;
  attributes->atomic_cap = IBV_ATOMIC_NONE;
  attributes->max_srq = kMany;
  attributes->max_srq_wr = SiwLimits::kSharedWork;
  attributes->max_srq_sge = SiwLimits::kPieces;
  attributes->phys_port_cnt = static_cast<uint8_t>(device.record.ports);
}

// Returns 0 or an errno.
int Describe(ibv_context* context, ibv_device_attr* attributes) {
  if (const int64_t place = PlaceOf(context); place < 0) return Failed(place);
  const Device* device = ContextOf(context)->device;
  *attributes = {};
  if (device->record.iwarp != 0)
    DescribeSiw(*device, attributes);
  else
    DescribeRxe(*device, attributes);
  return 0;
}

}  // namespace

extern "C" {

int ibv_query_device(ibv_context* context, ibv_device_attr* attributes) {
  return Describe(context, attributes);
}
}

namespace cm::sim::fake_libibverbs {

// No device has more to say than its capabilities and ports: all else is 0. A program may have been
// compiled for fewer attributes. source: rdma-core 44 cmd_device.c ibv_cmd_query_device_any, linux
// 6.1 uverbs_cmd.c ib_uverbs_ex_query_device, rxe_verbs.c rxe_query_device
int QueryDeviceEx(ibv_context* context, const ibv_query_device_ex_input* input,
                  ibv_device_attr_ex* attributes, size_t size) {
  if (input != nullptr && input->comp_mask != 0) return EINVAL;
  if (size < sizeof attributes->orig_attr) return EINVAL;
  ibv_device_attr_ex all{};
  if (const int error = Describe(context, &all.orig_attr); error != 0) return error;
  all.device_cap_flags_ex = all.orig_attr.device_cap_flags;
  all.phys_port_cnt_ex = ContextOf(context)->device->record.ports;
  std::memset(attributes, 0, size);
  std::memcpy(attributes, &all, std::min(size, sizeof all));
  return 0;
}

}  // namespace cm::sim::fake_libibverbs
