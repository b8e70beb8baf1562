// Completion queues whose completions a program reads field by field.
#include <infiniband/verbs.h>
#include <pthread.h>

#include <cerrno>

#include "sim/fake_libibverbs/extended.h"
#include "sim/fake_libibverbs/objects.h"

namespace cm::sim::fake_libibverbs {
namespace {

const ibv_wc& CurrentOf(ibv_cq_ex* queue) { return Whole<CompletionQueue>(queue)->current; }

// Takes the next completion. Returns an errno: ENOENT when there is none.
int Advance(ibv_cq_ex* queue) {
  auto* const whole = Whole<CompletionQueue>(queue);
  const int count = Poll(&whole->shown, 1, &whole->current);
  if (count < 0) return errno = -count;
  if (count == 0) return errno = ENOENT;
  queue->status = whole->current.status;
  queue->wr_id = whole->current.wr_id;
  return 0;
}

// Other threads wait until EndPoll.
int StartPoll(ibv_cq_ex* queue, ibv_poll_cq_attr* /*attributes*/) {
  auto* const whole = Whole<CompletionQueue>(queue);
  pthread_mutex_lock(&whole->polled);
  const int error = Advance(queue);
  if (error != 0) pthread_mutex_unlock(&whole->polled);
  return error;
}

int NextPoll(ibv_cq_ex* queue) { return Advance(queue); }

void EndPoll(ibv_cq_ex* queue) { pthread_mutex_unlock(&Whole<CompletionQueue>(queue)->polled); }

ibv_wc_opcode ReadOpcode(ibv_cq_ex* queue) { return CurrentOf(queue).opcode; }
uint32_t ReadVendorError(ibv_cq_ex* queue) { return CurrentOf(queue).vendor_err; }
unsigned int ReadFlags(ibv_cq_ex* queue) { return CurrentOf(queue).wc_flags; }
uint32_t ReadLength(ibv_cq_ex* queue) { return CurrentOf(queue).byte_len; }
__be32 ReadImmediate(ibv_cq_ex* queue) { return CurrentOf(queue).imm_data; }
uint32_t ReadQpNumber(ibv_cq_ex* queue) { return CurrentOf(queue).qp_num; }
uint32_t ReadSourceQp(ibv_cq_ex* queue) { return CurrentOf(queue).src_qp; }
uint32_t ReadSourceLid(ibv_cq_ex* queue) { return CurrentOf(queue).slid; }
uint8_t ReadServiceLevel(ibv_cq_ex* queue) { return CurrentOf(queue).sl; }
uint8_t ReadPathBits(ibv_cq_ex* queue) { return CurrentOf(queue).dlid_path_bits; }

void FillReaders(uint64_t fields, ibv_cq_ex* queue) {
  queue->start_poll = StartPoll;
  queue->next_poll = NextPoll;
  queue->end_poll = EndPoll;
  queue->read_opcode = ReadOpcode;
  queue->read_vendor_err = ReadVendorError;
  queue->read_wc_flags = ReadFlags;
  const auto has = [fields](uint64_t field) { return (fields & field) != 0; };
  if (has(IBV_WC_EX_WITH_BYTE_LEN)) queue->read_byte_len = ReadLength;
  if (has(IBV_WC_EX_WITH_IMM)) queue->read_imm_data = ReadImmediate;
  if (has(IBV_WC_EX_WITH_QP_NUM)) queue->read_qp_num = ReadQpNumber;
  if (has(IBV_WC_EX_WITH_SRC_QP)) queue->read_src_qp = ReadSourceQp;
  if (has(IBV_WC_EX_WITH_SLID)) queue->read_slid = ReadSourceLid;
  if (has(IBV_WC_EX_WITH_SL)) queue->read_sl = ReadServiceLevel;
  if (has(IBV_WC_EX_WITH_DLID_PATH_BITS)) queue->read_dlid_path_bits = ReadPathBits;
}

}  // namespace

// The provider has the standard fields, and its kernel no flag. In this version of it an end_poll
// after a next_poll that found nothing skips a completion, and unlocks the queue again; here, as in
// later versions and in the manual, it only ends the poll. A parent domain must be one. source:
// rdma-core 44 rxe.c rxe_create_cq_ex, cq_next_poll, cmd_cq.c ibv_cmd_create_cq_ex, mlx5 verbs.c
// create_cq; linux 6.1 rxe_verbs.c rxe_create_cq; man ibv_create_cq_ex(3)
ibv_cq_ex* CreateCqEx(ibv_context* context, ibv_cq_init_attr_ex* initial) {
  constexpr uint32_t kKnown = IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD;
  const bool has_flags = (initial->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) != 0;
  const bool has_parent = (initial->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) != 0;
  if ((initial->wc_flags & ~uint64_t{IBV_WC_STANDARD_FLAGS}) != 0 ||
      (initial->comp_mask & ~kKnown) != 0 ||
      (has_flags && (initial->flags & IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN) != 0))
    return Refuse(EOPNOTSUPP);
  ibv_pd* const parent = has_parent ? initial->parent_domain : nullptr;
  if (has_parent && (parent == nullptr || Whole<Domain>(parent)->below == nullptr))
    return Refuse(EINVAL);
  CompletionQueue* const queue =
      MakeQueue(context, initial->cqe, initial->cq_context, initial->channel, initial->comp_vector);
  if (queue == nullptr) return nullptr;
  if (parent != nullptr) Enter(parent);
  queue->parent = parent;
  FillReaders(initial->wc_flags, &queue->extended);
  return &queue->extended;
}

}  // namespace cm::sim::fake_libibverbs
