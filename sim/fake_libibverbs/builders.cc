// Queue pairs of ibv_create_qp_ex, and the functions with which programs build work requests for
// them. source: rdma-core 44 rxe.c set_qp_send_ops, man ibv_wr_post(3)
#include <infiniband/verbs.h>
#include <pthread.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/fake_libibverbs/extended.h"
#include "sim/fake_libibverbs/objects.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {
namespace {

QueuePair* PairOf(ibv_qp_ex* qp) { return Whole<QueuePair>(qp); }

// A new request, the last one from now on.
ibv_send_wr& Build(ibv_qp_ex* qp, ibv_wr_opcode opcode) {
  ibv_send_wr& work = PairOf(qp)->built.emplace_back().work;
  work.wr_id = qp->wr_id;
  work.send_flags = qp->wr_flags;
  work.opcode = opcode;
  return work;
}

// The request that a setter is about; null after an error, and where there is none.
Built* LastOf(ibv_qp_ex* qp) {
  QueuePair* const whole = PairOf(qp);
  return whole->build_error != 0 || whole->built.empty() ? nullptr : &whole->built.back();
}

void Fail(ibv_qp_ex* qp, int error) { PairOf(qp)->build_error = error; }

void BuildRemote(ibv_qp_ex* qp, ibv_wr_opcode opcode, uint32_t key, uint64_t address,
                 __be32 immediate = 0) {
  ibv_send_wr& work = Build(qp, opcode);
  work.imm_data = immediate;
  work.wr.rdma.remote_addr = address;
  work.wr.rdma.rkey = key;
}

void BuildAtomic(ibv_qp_ex* qp, ibv_wr_opcode opcode, uint32_t key, uint64_t address,
                 uint64_t compare_or_add, uint64_t swap) {
  ibv_send_wr& work = Build(qp, opcode);
  work.wr.atomic.remote_addr = address;
  work.wr.atomic.compare_add = compare_or_add;
  work.wr.atomic.swap = swap;
  work.wr.atomic.rkey = key;
}

void CompareAndSwap(ibv_qp_ex* qp, uint32_t key, uint64_t address, uint64_t compare,
                    uint64_t swap) {
  BuildAtomic(qp, IBV_WR_ATOMIC_CMP_AND_SWP, key, address, compare, swap);
}
void FetchAndAdd(ibv_qp_ex* qp, uint32_t key, uint64_t address, uint64_t add) {
  BuildAtomic(qp, IBV_WR_ATOMIC_FETCH_AND_ADD, key, address, add, 0);
}
void AtomicWrite(ibv_qp_ex* qp, uint32_t key, uint64_t address, const void* /*value*/) {
  BuildRemote(qp, IBV_WR_ATOMIC_WRITE, key, address);
}
void Read(ibv_qp_ex* qp, uint32_t key, uint64_t address) {
  BuildRemote(qp, IBV_WR_RDMA_READ, key, address);
}
void Write(ibv_qp_ex* qp, uint32_t key, uint64_t address) {
  BuildRemote(qp, IBV_WR_RDMA_WRITE, key, address);
}
void WriteWithImmediate(ibv_qp_ex* qp, uint32_t key, uint64_t address, __be32 immediate) {
  BuildRemote(qp, IBV_WR_RDMA_WRITE_WITH_IMM, key, address, immediate);
}
void Send(ibv_qp_ex* qp) { Build(qp, IBV_WR_SEND); }
void SendWithImmediate(ibv_qp_ex* qp, __be32 immediate) {
  Build(qp, IBV_WR_SEND_WITH_IMM).imm_data = immediate;
}
void SendWithInvalidate(ibv_qp_ex* qp, uint32_t key) {
  Build(qp, IBV_WR_SEND_WITH_INV).invalidate_rkey = key;
}
void InvalidateLocally(ibv_qp_ex* qp, uint32_t key) {
  Build(qp, IBV_WR_LOCAL_INV).invalidate_rkey = key;
}
void Bind(ibv_qp_ex* qp, ibv_mw* window, uint32_t key, const ibv_mw_bind_info* to) {
  ibv_send_wr& work = Build(qp, IBV_WR_BIND_MW);
  work.bind_mw.mw = window;
  work.bind_mw.rkey = key;
  work.bind_mw.bind_info = *to;
}

void SetReceiver(ibv_qp_ex* qp, ibv_ah* handle, uint32_t number, uint32_t qkey) {
  Built* const last = LastOf(qp);
  if (last == nullptr) return;
  last->work.wr.ud.ah = handle;
  last->work.wr.ud.remote_qpn = number;
  last->work.wr.ud.remote_qkey = qkey;
}

void SetSharedQueue(ibv_qp_ex* qp, uint32_t number) {
  if (Built* const last = LastOf(qp); last != nullptr) last->work.qp_type.xrc.remote_srqn = number;
}

void SetPieces(ibv_qp_ex* qp, size_t count, const ibv_sge* pieces) {
  Built* const last = LastOf(qp);
  if (last == nullptr) return;
  if (count > PairOf(qp)->initial.cap.max_send_sge) return Fail(qp, ENOSPC);
  last->pieces.assign(pieces, pieces + count);
}
void SetPiece(ibv_qp_ex* qp, uint32_t key, uint64_t address, uint32_t length) {
  const ibv_sge piece{.addr = address, .length = length, .lkey = key};
  SetPieces(qp, length == 0 ? 0 : 1, &piece);
}

// As the manual says. The provider of rdma-core 44 sends inline data only where wr_flags has
// IBV_SEND_INLINE, and nothing of a list; neither is simulated. source: man ibv_wr_post(3);
// rdma-core 44 rxe.c wr_set_inline_data_list; linux 6.1 rxe_req.c finish_packet
void SetInlineList(ibv_qp_ex* qp, size_t count, const ibv_data_buf* list) {
  Built* const last = LastOf(qp);
  if (last == nullptr) return;
  last->work.send_flags |= IBV_SEND_INLINE;
  last->data.clear();
  for (const ibv_data_buf& one : std::span(list, count)) {
    if (last->data.size() + one.length > PairOf(qp)->initial.cap.max_inline_data)
      return Fail(qp, ENOSPC);
    const auto* const first = static_cast<const uint8_t*>(one.addr);
    last->data.insert(last->data.end(), first, first + one.length);
  }
}
void SetInline(ibv_qp_ex* qp, void* address, size_t length) {
  const ibv_data_buf one{.addr = address, .length = length};
  SetInlineList(qp, 1, &one);
}

void Discard(QueuePair* qp) {
  qp->built.clear();
  qp->build_error = 0;
}

// Other threads wait until Complete or Abort.
void Start(ibv_qp_ex* qp) {
  pthread_mutex_lock(&PairOf(qp)->building);
  Discard(PairOf(qp));
}
int Complete(ibv_qp_ex* qp) {
  QueuePair* const whole = PairOf(qp);
  const int error = whole->build_error != 0 ? whole->build_error : PostBuilt(whole);
  Discard(whole);
  pthread_mutex_unlock(&whole->building);
  return error;
}
void Abort(ibv_qp_ex* qp) {
  Discard(PairOf(qp));
  pthread_mutex_unlock(&PairOf(qp)->building);
}

void FillBuilders(uint64_t ops, ibv_qp_ex* qp) {
  const auto has = [ops](uint64_t op) { return (ops & op) != 0; };
  if (has(IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)) qp->wr_atomic_cmp_swp = CompareAndSwap;
  if (has(IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)) qp->wr_atomic_fetch_add = FetchAndAdd;
  if (has(IBV_QP_EX_WITH_ATOMIC_WRITE)) qp->wr_atomic_write = AtomicWrite;
  if (has(IBV_QP_EX_WITH_BIND_MW)) qp->wr_bind_mw = Bind;
  if (has(IBV_QP_EX_WITH_LOCAL_INV)) qp->wr_local_inv = InvalidateLocally;
  if (has(IBV_QP_EX_WITH_RDMA_READ)) qp->wr_rdma_read = Read;
  if (has(IBV_QP_EX_WITH_RDMA_WRITE)) qp->wr_rdma_write = Write;
  if (has(IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)) qp->wr_rdma_write_imm = WriteWithImmediate;
  if (has(IBV_QP_EX_WITH_SEND)) qp->wr_send = Send;
  if (has(IBV_QP_EX_WITH_SEND_WITH_IMM)) qp->wr_send_imm = SendWithImmediate;
  if (has(IBV_QP_EX_WITH_SEND_WITH_INV)) qp->wr_send_inv = SendWithInvalidate;
  qp->wr_set_ud_addr = SetReceiver;
  if (qp->qp_base.qp_type == IBV_QPT_XRC_SEND) qp->wr_set_xrc_srqn = SetSharedQueue;
  qp->wr_set_inline_data = SetInline;
  qp->wr_set_inline_data_list = SetInlineList;
  qp->wr_set_sge = SetPiece;
  qp->wr_set_sge_list = SetPieces;
  qp->wr_start = Start;
  qp->wr_complete = Complete;
  qp->wr_abort = Abort;
}

// What the provider has for a type, and mlx5 for XRC. source: rdma-core 44 rxe.c
// RXE_SUP_RC_QP_SEND_OPS_FLAGS ff., mlx5 qp.c mlx5_qp_fill_wr_pfns
uint64_t OpsOf(ibv_qp_type type) {
  constexpr uint64_t kDatagram = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
  constexpr uint64_t kUnreliable = kDatagram | IBV_QP_EX_WITH_RDMA_WRITE |
                                   IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_BIND_MW |
                                   IBV_QP_EX_WITH_SEND_WITH_INV;
  constexpr uint64_t kReliable =
      kUnreliable | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
      IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_ATOMIC_WRITE;
  if (type == IBV_QPT_RC) return kReliable;
  if (type == IBV_QPT_XRC_SEND) return kReliable & ~uint64_t{IBV_QP_EX_WITH_ATOMIC_WRITE};
  if (type == IBV_QPT_UC) return kUnreliable;
  return type == IBV_QPT_UD ? kDatagram : 0;
}

// source: rdma-core 44 rxe.c check_qp_init_attr
bool IsSupported(const ibv_qp_init_attr_ex& initial) {
  constexpr uint32_t kKnown = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD |
                              IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  const auto has = [&initial](uint32_t part) { return (initial.comp_mask & part) != 0; };
  if (has(~kKnown)) return false;
  if (has(IBV_QP_INIT_ATTR_CREATE_FLAGS) && initial.create_flags != 0) return false;
  if (!has(IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)) return true;
  const uint64_t ops = OpsOf(initial.qp_type);
  return ops != 0 && (initial.send_ops_flags & ~ops) == 0;
}

}  // namespace

// Without a domain, which is the XRC domain for a target of XRC, it is refused by the library.
// source: rdma-core 44 cmd_qp.c ibv_icmd_create_qp
ibv_qp* CreateQpEx(ibv_context* context, ibv_qp_init_attr_ex* initial) {
  if (!IsSupported(*initial)) return Refuse(EOPNOTSUPP);
  const bool target = initial->qp_type == IBV_QPT_XRC_RECV;
  const bool has_pd = (initial->comp_mask & IBV_QP_INIT_ATTR_PD) != 0;
  const bool has_xrcd = (initial->comp_mask & IBV_QP_INIT_ATTR_XRCD) != 0;
  if (!(target ? has_xrcd : has_pd)) return Refuse(EINVAL);
  ibv_qp_init_attr plain{.qp_context = initial->qp_context,
                         .send_cq = initial->send_cq,
                         .recv_cq = initial->recv_cq,
                         .srq = initial->srq,
                         .cap = initial->cap,
                         .qp_type = initial->qp_type,
                         .sq_sig_all = initial->sq_sig_all};
  QueuePair* const whole = target ? MakePair(context, nullptr, initial->xrcd, &plain)
                                  : MakePair(initial->pd->context, initial->pd, nullptr, &plain);
  if (whole == nullptr) return nullptr;
  // A target is not in it; librdmacm asks for it.
  if (target && has_pd) whole->shown.pd = initial->pd;
  initial->cap = plain.cap;
  whole->is_extended = true;
  pthread_mutex_init(&whole->building, nullptr);
  if ((initial->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) != 0)
    FillBuilders(initial->send_ops_flags, &whole->extended);
  return &whole->shown;
}

}  // namespace cm::sim::fake_libibverbs

extern "C" {

ibv_qp_ex* ibv_qp_to_qp_ex(ibv_qp* qp) {
  auto* const whole = cm::sim::fake_libibverbs::Whole<cm::sim::fake_libibverbs::QueuePair>(qp);
  return whole->is_extended ? &whole->extended : nullptr;
}
}
