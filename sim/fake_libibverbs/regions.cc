// Memory regions.
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "sim/fake_libibverbs/mappings.h"
#include "sim/fake_libibverbs/objects.h"
#include "sim/fake_libibverbs/requests.h"

// The header defines macros of these names.
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

using namespace cm::sim::fake_libibverbs;  // what follows is C
using cm::sim::uapi::Answer;
using cm::sim::uapi::Op;
using cm::sim::uapi::RegionRecord;

namespace {

// A region as it is to be, on a device of that index.
RegionRecord RecordOf(uint32_t place, const Region& region) {
  constexpr uint32_t kWrites = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                               IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND;
  const auto first = reinterpret_cast<uint64_t>(region.shown.addr);
  const bool there = CanBePinned(first, region.shown.length, (region.access & kWrites) != 0);
  return {.address = first,
          .length = region.shown.length,
          .device = place,
          .access = region.access,
          .domain = NumberOf(region.shown.pd),
          .faults = there ? 0U : 1U};
}

void SetKey(int64_t key, Region* region) {
  region->key.number = static_cast<uint32_t>(key);
  region->shown.handle = region->shown.lkey = region->shown.rkey = region->key.number;
}

ibv_mr* Register(ibv_pd* pd, void* address, size_t length, uint32_t access) {
  const int64_t place = PlaceOf(pd->context);
  if (place < 0) return Refuse(ErrnoOf(place));
  Region region{.access = access};
  region.shown = {.context = pd->context, .pd = pd, .addr = address, .length = length};
  const RegionRecord record = RecordOf(static_cast<uint32_t>(place), region);
  const Answer answer = Ask({.op = Op::kRegister, .bytes = BytesOf(record)});
  if (answer.value < 0) return Refuse(ErrnoOf(answer.value));
  SetKey(answer.value, &region);
  Enter(pd);
  return &(new Region(region))->shown;
}

int RefuseToRereg(int error, int code) {
  errno = error;
  return code;
}

}  // namespace

extern "C" {

ibv_mr* ibv_reg_mr(ibv_pd* pd, void* address, size_t length, int access) {
  return Register(pd, address, length, static_cast<uint32_t>(access));
}

ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* address, size_t length, uint64_t virtual_address,
                         unsigned int access) {
  if (virtual_address != reinterpret_cast<uint64_t>(address)) return Refuse(EOPNOTSUPP);
  return Register(pd, address, length, access);
}

ibv_mr* ibv_reg_mr_iova(ibv_pd* pd, void* address, size_t length, uint64_t virtual_address,
                        int access) {
  return ibv_reg_mr_iova2(pd, address, length, virtual_address, static_cast<unsigned>(access));
}

int ibv_dereg_mr(ibv_mr* region) {
  auto* whole = Whole<Region>(region);
  const Answer answer = AskAbout(Op::kDeregister, whole->key);
  if (answer.value < 0) return Failed(answer.value);
  Leave(region->pd);
  delete whole;
  return 0;
}

// The region is as before after each failure, although the manual says that it should not be used
// after IBV_REREG_MR_ERR_CMD. Devices without extended verbs refuse it. source: rdma-core 44
// verbs.c ibv_rereg_mr, rxe.c rxe_ctx_ops, dummy_ops.c rereg_mr; man ibv_rereg_mr(3)
int ibv_rereg_mr(ibv_mr* region, int flags, ibv_pd* pd, void* address, size_t length, int access) {
  const auto has = [flags](int flag) { return (flags & flag) != 0; };
  const bool moves = has(IBV_REREG_MR_CHANGE_TRANSLATION);
  if (has(~IBV_REREG_MR_FLAGS_SUPPORTED) || (moves && (address == nullptr || length == 0)) ||
      (access != 0 && !has(IBV_REREG_MR_CHANGE_ACCESS)))
    return RefuseToRereg(EINVAL, IBV_REREG_MR_ERR_INPUT);
  if (!HasExtendedVerbs(*ContextOf(region->context)->device))
    return RefuseToRereg(EOPNOTSUPP, IBV_REREG_MR_ERR_CMD);
  if (has(IBV_REREG_MR_CHANGE_PD) && pd == nullptr)
    return RefuseToRereg(EINVAL, IBV_REREG_MR_ERR_CMD);
  auto* const whole = Whole<Region>(region);
  const int64_t place = PlaceOf(region->context);
  if (place < 0) return RefuseToRereg(ErrnoOf(place), IBV_REREG_MR_ERR_CMD);
  Region changed = *whole;
  if (has(IBV_REREG_MR_CHANGE_PD)) changed.shown.pd = pd;
  if (has(IBV_REREG_MR_CHANGE_ACCESS)) changed.access = static_cast<uint32_t>(access);
  if (moves) {
    changed.shown.addr = address;
    changed.shown.length = length;
  }
  const RegionRecord record = RecordOf(static_cast<uint32_t>(place), changed);
  const Answer answer =
      AskAbout(Op::kReregister, whole->key, static_cast<uint64_t>(flags), BytesOf(record));
  if (answer.value < 0) return RefuseToRereg(ErrnoOf(answer.value), IBV_REREG_MR_ERR_CMD);
  Enter(changed.shown.pd);
  Leave(whole->shown.pd);
  if (whole->key.Lives()) SetKey(answer.value, &changed);
  *whole = changed;
  return 0;
}
}
