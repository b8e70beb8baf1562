// What a call of the C functions has brought.
#ifndef CONFORMANCE_ADAPTERS_DL_PRODUCTS_H_
#define CONFORMANCE_ADAPTERS_DL_PRODUCTS_H_

#include <rdma/rdma_cma.h>

#include <optional>

#include "model/conversation/history.h"

namespace cm {

// The output of a call: return value and pointed-to results. Must not move while the call is
// blocked.
struct Products {
  rdma_event_channel* channel = nullptr;
  rdma_cm_id* id = nullptr;
  rdma_cm_event* event = nullptr;
  int value = 0;
  int error = 0;                 // errno
  std::optional<Output> output;  // further outputs
  rdma_addrinfo* info = nullptr;
  ibv_context** devices = nullptr;
  ibv_mr* region = nullptr;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_PRODUCTS_H_
