// Memory windows. source: rdma-core 44 rxe.c rxe_alloc_mw, rxe_bind_mw, rxe_dealloc_mw
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstdint>

#include "sim/fake_libibverbs/extended.h"
#include "sim/fake_libibverbs/objects.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {

using uapi::Answer;
using uapi::Op;
using uapi::WindowRecord;

ibv_mw* AllocMw(ibv_pd* pd, ibv_mw_type type) {
  const int64_t place = PlaceOf(pd->context);
  if (place < 0) return Refuse(ErrnoOf(place));
  const WindowRecord record = {.device = static_cast<uint32_t>(place),
                               .type = static_cast<uint32_t>(type),
                               .domain = NumberOf(pd)};
  const Answer answer = Ask({.op = Op::kAllocMw, .bytes = BytesOf(record)});
  if (answer.value < 0) return Refuse(ErrnoOf(answer.value));
  const auto key = RecordIn<uint32_t>(answer.bytes);
  if (!key) return Refuse(EIO);
  auto* const window = new MemoryWindow{};
  window->handle.number = static_cast<uint32_t>(answer.value);
  window->shown = {.context = pd->context,
                   .pd = pd,
                   .rkey = *key,
                   .handle = window->handle.number,
                   .type = type};
  Enter(pd);
  return &window->shown;
}

int DeallocMw(ibv_mw* window) {
  auto* const whole = Whole<MemoryWindow>(window);
  const Answer answer = AskAbout(Op::kDeallocMw, whole->handle);
  if (answer.value < 0) return Failed(answer.value);
  Leave(window->pd);
  delete whole;
  return 0;
}

// A window of type 1 has the key that it is going to have at once, whatever becomes of the request.
int BindMw(ibv_qp* qp, ibv_mw* window, ibv_mw_bind* bind) {
  if ((bind->bind_info.mw_access_flags & IBV_ACCESS_ZERO_BASED) != 0) return errno = EINVAL;
  constexpr uint32_t kOwnByte = 0xff;
  ibv_send_wr work{};
  work.wr_id = bind->wr_id;
  work.opcode = IBV_WR_BIND_MW;
  work.send_flags = bind->send_flags;
  work.bind_mw.mw = window;
  work.bind_mw.rkey = (window->rkey & ~kOwnByte) | ((window->rkey + 1) & kOwnByte);
  work.bind_mw.bind_info = bind->bind_info;
  ibv_send_wr* bad = nullptr;
  if (const int error = qp->context->ops.post_send(qp, &work, &bad); error != 0)
    return errno = error;
  window->rkey = work.bind_mw.rkey;
  return 0;
}

}  // namespace cm::sim::fake_libibverbs
