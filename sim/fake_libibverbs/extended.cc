#include "sim/fake_libibverbs/extended.h"

namespace cm::sim::fake_libibverbs {

void FillOperations(verbs_context* context) {
  FillWork(&context->context.ops);
  context->query_device_ex = QueryDeviceEx;
}

}  // namespace cm::sim::fake_libibverbs
