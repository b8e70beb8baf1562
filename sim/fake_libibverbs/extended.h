// Operations that a program reaches through its context alone, by inline functions.
#ifndef SIM_FAKE_LIBIBVERBS_EXTENDED_H_
#define SIM_FAKE_LIBIBVERBS_EXTENDED_H_

#include <infiniband/verbs.h>

#include <cstddef>

namespace cm::sim::fake_libibverbs {

// All that the device of the context has; what is left null is refused with EOPNOTSUPP.
void FillOperations(verbs_context* context);

// work.cc
void FillWork(ibv_context_ops* operations);

// device_attributes.cc
int QueryDeviceEx(ibv_context* context, const ibv_query_device_ex_input* input,
                  ibv_device_attr_ex* attributes, size_t size);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_EXTENDED_H_
