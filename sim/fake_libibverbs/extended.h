// Operations that a program reaches through its context alone, by inline functions.
#ifndef SIM_FAKE_LIBIBVERBS_EXTENDED_H_
#define SIM_FAKE_LIBIBVERBS_EXTENDED_H_

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>

#include "sim/fake_libibverbs/objects.h"

namespace cm::sim::fake_libibverbs {

// All that the device of the context has; what is left null is refused with EOPNOTSUPP.
void FillOperations(verbs_context* context);

// work.cc
void FillWork(ibv_context_ops* operations);
// Posts what was built, all of it or nothing. Returns an errno: ENOSPC where the queue has no room.
int PostBuilt(QueuePair* qp);
// Returns the number of completions, or a negative errno.
int Poll(ibv_cq* queue, int most, ibv_wc* completions);

// queues.cc. Null, and an errno, where it is refused.
CompletionQueue* MakeQueue(ibv_context* context, int64_t entries, void* queue_context,
                           ibv_comp_channel* channel, int64_t vector);
// Returns an errno.
int Arm(ibv_cq* queue, int solicited_only);

// domains.cc
ibv_td* AllocTd(ibv_context* context, ibv_td_init_attr* initial);
int DeallocTd(ibv_td* td);
ibv_pd* AllocParentDomain(ibv_context* context, ibv_parent_domain_init_attr* initial);

// queues.cc. Null, and an errno, where it is refused. With an XRC domain it is a queue of XRC.
ibv_srq* MakeSharedQueue(ibv_pd* pd, const ibv_srq_init_attr_ex& initial);

// pairs.cc. With a protection domain, or as a target of an XRC domain; the other one is null. On
// return `initial` has the capacity. Null, and an errno, where it is refused.
QueuePair* MakePair(ibv_context* context, ibv_pd* pd, ibv_xrcd* xrcd, ibv_qp_init_attr* initial);

// xrc.cc
ibv_xrcd* OpenXrcd(ibv_context* context, ibv_xrcd_init_attr* initial);
int CloseXrcd(ibv_xrcd* xrcd);
ibv_srq* CreateSrqEx(ibv_context* context, ibv_srq_init_attr_ex* initial);
int GetSrqNumber(ibv_srq* queue, uint32_t* number);
ibv_qp* OpenQp(ibv_context* context, ibv_qp_open_attr* initial);

// extended_queues.cc
ibv_cq_ex* CreateCqEx(ibv_context* context, ibv_cq_init_attr_ex* initial);

// memory_windows.cc
ibv_mw* AllocMw(ibv_pd* pd, ibv_mw_type type);
int DeallocMw(ibv_mw* window);
int BindMw(ibv_qp* qp, ibv_mw* window, ibv_mw_bind* bind);

// builders.cc
ibv_qp* CreateQpEx(ibv_context* context, ibv_qp_init_attr_ex* initial);

// device_attributes.cc
int QueryDeviceEx(ibv_context* context, const ibv_query_device_ex_input* input,
                  ibv_device_attr_ex* attributes, size_t size);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_EXTENDED_H_
