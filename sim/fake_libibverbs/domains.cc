// Protection domains, thread domains, and parent domains over both. source: rdma-core 44 mlx5
// verbs.c mlx5_alloc_td, mlx5_alloc_parent_domain, mlx5_free_pd; man ibv_alloc_parent_domain(3)
#include <infiniband/verbs.h>

#include <atomic>
#include <cerrno>

#include "sim/fake_libibverbs/extended.h"
#include "sim/fake_libibverbs/objects.h"

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

ibv_pd* ibv_alloc_pd(ibv_context* context) {
  if (const int64_t place = PlaceOf(context); place < 0) return Refuse(ErrnoOf(place));
  static std::atomic<uint32_t> last{0};
  const uint32_t number = ++last;
  auto* domain = new Domain{.shown = {.context = context, .handle = number}, .number = number};
  return &domain->shown;
}

// source: linux 6.1 uverbs_std_types.c uverbs_free_pd
int ibv_dealloc_pd(ibv_pd* pd) {
  auto* const domain = Whole<Domain>(pd);
  if (domain->users != 0) return errno = EBUSY;
  if (domain->below != nullptr) --domain->below->users;
  if (domain->threads != nullptr) --domain->threads->users;
  delete domain;
  return 0;
}
}

namespace cm::sim::fake_libibverbs {

ibv_td* AllocTd(ibv_context* context, ibv_td_init_attr* initial) {
  if (initial->comp_mask != 0) return Refuse(EINVAL);
  if (const int64_t place = PlaceOf(context); place < 0) return Refuse(ErrnoOf(place));
  auto* threads = new ThreadDomain{.shown = {.context = context}};
  return &threads->shown;
}

int DeallocTd(ibv_td* td) {
  auto* const threads = Whole<ThreadDomain>(td);
  if (threads->users != 0) return EBUSY;
  delete threads;
  return 0;
}

// To the machine it is the protection domain itself. Allocators of the program are accepted and
// never called: the queues are not in its memory.
ibv_pd* AllocParentDomain(ibv_context* context, ibv_parent_domain_init_attr* initial) {
  constexpr uint32_t kKnown =
      IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;
  if (initial->pd == nullptr || (initial->comp_mask & ~kKnown) != 0) return Refuse(EINVAL);
  if (const int64_t place = PlaceOf(context); place < 0) return Refuse(ErrnoOf(place));
  auto* const below = Whole<Domain>(initial->pd);
  auto* const threads = initial->td == nullptr ? nullptr : Whole<ThreadDomain>(initial->td);
  ++below->users;
  if (threads != nullptr) ++threads->users;
  auto* domain =
      new Domain{.shown = {.context = below->shown.context, .handle = below->shown.handle},
                 .number = below->number,
                 .below = below,
                 .threads = threads};
  return &domain->shown;
}

}  // namespace cm::sim::fake_libibverbs
