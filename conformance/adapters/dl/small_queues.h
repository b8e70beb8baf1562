// The capacities that conversations ask queue pairs for.
#ifndef CONFORMANCE_ADAPTERS_DL_SMALL_QUEUES_H_
#define CONFORMANCE_ADAPTERS_DL_SMALL_QUEUES_H_

#include <infiniband/verbs.h>

#include "model/vocabulary/work.h"

namespace cm {

inline ibv_qp_cap SmallQueues() {
  return {.max_send_wr = QueueLimits::kWork,
          .max_recv_wr = QueueLimits::kWork,
          .max_send_sge = QueueLimits::kSges,
          .max_recv_sge = QueueLimits::kSges,
          .max_inline_data = QueueLimits::kInline};
}

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_SMALL_QUEUES_H_
