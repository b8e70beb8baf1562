#include "sim/fake_libibverbs/extended.h"

namespace cm::sim::fake_libibverbs {
namespace {

const Device& DeviceOf(verbs_context* context) { return *ContextOf(&context->context)->device; }

}  // namespace

void FillOperations(verbs_context* context) {
  ibv_context_ops& operations = context->context.ops;
  FillWork(&operations);
  // source: rdma-core 33 rxe.c rxe_ctx_ops
  if (DeviceOf(context).record.old_provider != 0) return;
  context->query_device_ex = QueryDeviceEx;
  // The provider of Soft-iWARP has none of these. source: rdma-core 44 siw.c siw_context_ops
  if (!HasExtendedVerbs(DeviceOf(context))) return;
  context->create_cq_ex = CreateCqEx;
  context->create_qp_ex = CreateQpEx;
  operations.alloc_mw = AllocMw;
  operations.dealloc_mw = DeallocMw;
  operations.bind_mw = BindMw;
  // That of Soft-RoCE has none of these.
  context->alloc_td = AllocTd;
  context->dealloc_td = DeallocTd;
  context->alloc_parent_domain = AllocParentDomain;
  context->open_xrcd = OpenXrcd;
  context->close_xrcd = CloseXrcd;
  context->create_srq_ex = CreateSrqEx;
  context->get_srq_num = GetSrqNumber;
  context->open_qp = OpenQp;
}

}  // namespace cm::sim::fake_libibverbs
