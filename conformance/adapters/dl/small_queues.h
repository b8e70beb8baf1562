// Attributes of the queue pairs of conversations.
#ifndef CONFORMANCE_ADAPTERS_DL_SMALL_QUEUES_H_
#define CONFORMANCE_ADAPTERS_DL_SMALL_QUEUES_H_

#include <infiniband/verbs.h>

#include <cstdint>

#include "conformance/adapters/dl/c_enum.h"
#include "model/vocabulary/work.h"

namespace cm {

// ibv_qp_init_attr or ibv_qp_init_attr_ex, of an ibv_qp_type.
template <typename Attributes>
Attributes SmallQueuePair(uint32_t type) {
  Attributes attr{};
  Store(&attr.qp_type, type);
  attr.cap = {.max_send_wr = QueueLimits::kWork,
              .max_recv_wr = QueueLimits::kWork,
              .max_send_sge = QueueLimits::kSges,
              .max_recv_sge = QueueLimits::kSges,
              .max_inline_data = QueueLimits::kInline};
  return attr;
}

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_SMALL_QUEUES_H_
