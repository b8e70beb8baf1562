#include "sim/fake_libibverbs/extended.h"

namespace cm::sim::fake_libibverbs {
namespace {

const Device& DeviceOf(verbs_context* context) { return *ContextOf(&context->context)->device; }

}  // namespace

void FillOperations(verbs_context* context) {
  FillWork(&context->context.ops);
  context->query_device_ex = QueryDeviceEx;
  // The provider of Soft-iWARP has none of these. source: rdma-core 44 siw.c siw_context_ops
  if (DeviceOf(context).record.iwarp != 0) return;
  context->create_cq_ex = CreateCqEx;
  context->create_qp_ex = CreateQpEx;
}

}  // namespace cm::sim::fake_libibverbs
