// Address handles and queue pairs.
#include <endian.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "sim/fake_libibverbs/extended.h"
#include "sim/fake_libibverbs/objects.h"
#include "sim/fake_libibverbs/requests.h"

// The header defines a macro of this name.
#undef ibv_query_port

using namespace cm::sim::fake_libibverbs;  // what follows is C
using cm::sim::uapi::Answer;
using cm::sim::uapi::CapacityRecord;
using cm::sim::uapi::ModifyRecord;
using cm::sim::uapi::Op;
using cm::sim::uapi::QpRecord;

namespace {

ModifyRecord RecordOf(const ibv_qp_attr& attributes, int mask) {
  ModifyRecord record = {.mask = static_cast<uint32_t>(mask)};
  if ((mask & IBV_QP_STATE) != 0) record.state = attributes.qp_state;
  if ((mask & IBV_QP_DEST_QPN) != 0) record.peer_number = attributes.dest_qp_num;
  if ((mask & IBV_QP_PORT) != 0) record.port = attributes.port_num;
  if ((mask & IBV_QP_QKEY) != 0) record.qkey = attributes.qkey;
  if ((mask & IBV_QP_ACCESS_FLAGS) != 0) record.access = attributes.qp_access_flags;
  if ((mask & IBV_QP_RETRY_CNT) != 0) record.retry_count = attributes.retry_cnt;
  if ((mask & IBV_QP_RNR_RETRY) != 0) record.rnr_retry_count = attributes.rnr_retry;
  if ((mask & IBV_QP_MAX_QP_RD_ATOMIC) != 0) record.max_rd_atomic = attributes.max_rd_atomic;
  if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) != 0)
    record.max_dest_rd_atomic = attributes.max_dest_rd_atomic;
  if ((mask & IBV_QP_AV) != 0) {
    record.is_global = attributes.ah_attr.is_global;
    std::memcpy(record.peer_gid.data(), attributes.ah_attr.grh.dgid.raw, record.peer_gid.size());
  }
  return record;
}

void Merge(const ibv_qp_attr& from, int mask, ibv_qp_attr* to) {
  if ((mask & IBV_QP_ACCESS_FLAGS) != 0) to->qp_access_flags = from.qp_access_flags;
  if ((mask & IBV_QP_PKEY_INDEX) != 0) to->pkey_index = from.pkey_index;
  if ((mask & IBV_QP_PORT) != 0) to->port_num = from.port_num;
  if ((mask & IBV_QP_QKEY) != 0) to->qkey = from.qkey;
  if ((mask & IBV_QP_AV) != 0) to->ah_attr = from.ah_attr;
  if ((mask & IBV_QP_PATH_MTU) != 0) to->path_mtu = from.path_mtu;
  if ((mask & IBV_QP_TIMEOUT) != 0) to->timeout = from.timeout;
  if ((mask & IBV_QP_RETRY_CNT) != 0) to->retry_cnt = from.retry_cnt;
  if ((mask & IBV_QP_RNR_RETRY) != 0) to->rnr_retry = from.rnr_retry;
  if ((mask & IBV_QP_RQ_PSN) != 0) to->rq_psn = from.rq_psn;
  if ((mask & IBV_QP_SQ_PSN) != 0) to->sq_psn = from.sq_psn;
  if ((mask & IBV_QP_MAX_QP_RD_ATOMIC) != 0) to->max_rd_atomic = from.max_rd_atomic;
  if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) != 0) to->max_dest_rd_atomic = from.max_dest_rd_atomic;
  if ((mask & IBV_QP_MIN_RNR_TIMER) != 0) to->min_rnr_timer = from.min_rnr_timer;
  if ((mask & IBV_QP_DEST_QPN) != 0) to->dest_qp_num = from.dest_qp_num;
}

QpRecord RecordOf(uint32_t place, const ibv_qp_init_attr& initial) {
  QpRecord record = {.device = place,
                     .type = static_cast<uint32_t>(initial.qp_type),
                     .send_queue = NumberOf(initial.send_cq),
                     .receive_queue = NumberOf(initial.recv_cq),
                     .signal_all = initial.sq_sig_all != 0 ? 1U : 0U,
                     .sends = {initial.cap.max_send_wr, initial.cap.max_send_sge},
                     .receives = {initial.cap.max_recv_wr, initial.cap.max_recv_sge}};
  if (initial.srq != nullptr) record.srq = Whole<SharedQueue>(initial.srq)->handle.number;
  return record;
}

// What a queue pair gets. Room for a scatter/gather element is room for inline data, and the other
// way round. One that sends over XRC has no receives, and a target has no queues. source: linux 6.1
// rxe_qp.c rxe_qp_init_req, uverbs_cmd.c create_qp
ibv_qp_init_attr HeldFor(const ibv_qp_init_attr& asked) {
  ibv_qp_init_attr held = asked;
  ibv_qp_cap& cap = held.cap;
  if (asked.qp_type == IBV_QPT_XRC_RECV) {
    cap = {};
    held.send_cq = held.recv_cq = nullptr;
  }
  if (asked.qp_type == IBV_QPT_XRC_SEND) {
    cap.max_recv_wr = cap.max_recv_sge = 0;
    held.recv_cq = nullptr;
  }
  cap.max_inline_data = std::max<uint32_t>(cap.max_inline_data, cap.max_send_sge * sizeof(ibv_sge));
  cap.max_send_sge = cap.max_inline_data / sizeof(ibv_sge);
  return held;
}

// The capacity of its queues; the requested one where the answer has none.
ibv_qp_cap CapacityIn(const Answer& answer, ibv_qp_cap asked) {
  const auto held = RecordIn<CapacityRecord>(answer.bytes);
  if (!held) return asked;
  asked.max_send_wr = held->sends.work;
  asked.max_recv_wr = held->receives.work;
  asked.max_send_sge = held->sends.pieces;
  asked.max_recv_sge = held->receives.pieces;
  return asked;
}

// An address without a GRH is refused over RoCE. source: linux 6.1 verbs.c rdma_check_ah_attr
bool LacksGrh(ibv_context* context, const ibv_ah_attr& to) {
  if (to.is_global != 0 || context->device->transport_type != IBV_TRANSPORT_IB) return false;
  ibv_port_attr port{};
  return ibv_query_port(context, to.port_num, reinterpret_cast<_compat_ibv_port_attr*>(&port)) ==
             0 &&
         port.link_layer == IBV_LINK_LAYER_ETHERNET;
}

int AskOfGroup(ibv_qp* qp, Op op, const ibv_gid* gid) {
  return Failed(AskAbout(op, Whole<QueuePair>(qp)->handle, 0, BytesOf(*gid)).value);
}

}  // namespace

namespace cm::sim::fake_libibverbs {

QueuePair* MakePair(ibv_context* context, ibv_pd* pd, ibv_xrcd* xrcd, ibv_qp_init_attr* initial) {
  const int64_t place = PlaceOf(context);
  if (place < 0) return Refuse(ErrnoOf(place));
  const auto& device = ContextOf(context)->device->record;
  if (initial->cap.max_inline_data > device.max_inline) return Refuse(EINVAL);
  const ibv_qp_init_attr held = HeldFor(*initial);
  auto made = std::make_unique<QueuePair>();
  QpRecord record = RecordOf(static_cast<uint32_t>(place), held);
  if (pd != nullptr) record.domain = NumberOf(pd);
  record.xrcd = NumberOf(xrcd);
  record.told = TellOf(context, made.get());
  const Answer answer = Ask({.op = Op::kCreateQp, .bytes = BytesOf(record)});
  if (answer.value < 0) return Refuse(ErrnoOf(answer.value));
  const auto number = RecordIn<uint32_t>(answer.bytes);
  if (!number) return Refuse(EIO);
  QueuePair* const qp = made.release();
  qp->handle.number = static_cast<uint32_t>(answer.value);
  initial->cap = held.cap;
  qp->initial = held;
  if (pd != nullptr) Enter(pd);
  qp->shown = {.context = context,
               .qp_context = initial->qp_context,
               .pd = pd,
               .send_cq = held.send_cq,
               .recv_cq = held.recv_cq,
               .srq = held.srq,
               .handle = qp->handle.number,
               .qp_num = *number,
               .state = IBV_QPS_RESET,
               .qp_type = initial->qp_type};
  pthread_mutex_init(&qp->shown.mutex, nullptr);
  pthread_cond_init(&qp->shown.cond, nullptr);
  return qp;
}

}  // namespace cm::sim::fake_libibverbs

extern "C" {

ibv_ah* ibv_create_ah(ibv_pd* pd, ibv_ah_attr* to) {
  if (LacksGrh(pd->context, *to)) return Refuse(EINVAL);
  auto* handle =
      new AddressHandle{.shown = {.context = pd->context, .pd = pd, .handle = 0}, .to = *to};
  Enter(pd);
  return &handle->shown;
}

int ibv_init_ah_from_wc(ibv_context* /*context*/, uint8_t port, ibv_wc* completion, ibv_grh* grh,
                        ibv_ah_attr* to) {
  *to = {};
  to->dlid = completion->slid;
  to->sl = completion->sl;
  to->src_path_bits = completion->dlid_path_bits;
  to->port_num = port;
  if ((completion->wc_flags & IBV_WC_GRH) == 0) return 0;
  constexpr uint32_t kFlowLabel = 0xfffff;
  const uint32_t first = be32toh(grh->version_tclass_flow);
  to->is_global = 1;
  to->grh.dgid = grh->sgid;
  to->grh.flow_label = first & kFlowLabel;
  to->grh.traffic_class = static_cast<uint8_t>(first >> 20);
  to->grh.hop_limit = 0xff;
  return 0;
}

ibv_ah* ibv_create_ah_from_wc(ibv_pd* pd, ibv_wc* completion, ibv_grh* grh, uint8_t port) {
  ibv_ah_attr to;
  ibv_init_ah_from_wc(pd->context, port, completion, grh, &to);
  return ibv_create_ah(pd, &to);
}

int ibv_destroy_ah(ibv_ah* handle) {
  Leave(handle->pd);
  delete Whole<AddressHandle>(handle);
  return 0;
}

ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* initial) {
  QueuePair* const made = MakePair(pd->context, pd, nullptr, initial);
  return made == nullptr ? nullptr : &made->shown;
}

int ibv_modify_qp(ibv_qp* qp, ibv_qp_attr* attributes, int mask) {
  if ((mask & IBV_QP_AV) != 0 && LacksGrh(qp->context, attributes->ah_attr)) return Failed(-EINVAL);
  auto* whole = Whole<QueuePair>(qp);
  const ModifyRecord record = RecordOf(*attributes, mask);
  const Answer answer = AskAbout(Op::kModifyQp, whole->handle, 0, BytesOf(record));
  if (answer.value < 0) return Failed(answer.value);
  Merge(*attributes, mask, &whole->attributes);
  if ((mask & IBV_QP_STATE) != 0) qp->state = attributes->qp_state;
  return 0;
}

int ibv_query_qp(ibv_qp* qp, ibv_qp_attr* attributes, int /*mask*/, ibv_qp_init_attr* initial) {
  auto* whole = Whole<QueuePair>(qp);
  const Answer answer = AskAbout(Op::kQueryQp, whole->handle);
  if (answer.value < 0) return Failed(answer.value);
  if (answer.value > IBV_QPS_UNKNOWN) return EIO;
  *attributes = whole->attributes;
  if (ContextOf(qp->context)->device->record.iwarp != 0) {
    // source: linux 6.1 siw_verbs.c siw_query_qp, with an interface of 1500 bytes
    *attributes = {};
    attributes->path_mtu = IBV_MTU_1024;
    attributes->qp_access_flags =
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  }
  attributes->qp_state = static_cast<ibv_qp_state>(answer.value);
  attributes->cur_qp_state = attributes->qp_state;
  *initial = whole->initial;
  initial->cap = CapacityIn(answer, whole->initial.cap);
  attributes->cap = initial->cap;
  qp->state = attributes->qp_state;
  return 0;
}

int ibv_query_qp_data_in_order(ibv_qp* /*qp*/, ibv_wr_opcode /*op*/, uint32_t /*flags*/) {
  return 0;
}

int ibv_destroy_qp(ibv_qp* qp) {
  auto* whole = Whole<QueuePair>(qp);
  const Answer answer = AskAbout(Op::kDestroyQp, whole->handle);
  if (answer.value < 0) return Failed(answer.value);
  AwaitAcknowledged(whole->handle, answer, &qp->mutex, &qp->events_completed);
  if (qp->pd != nullptr && qp->qp_type != IBV_QPT_XRC_RECV) Leave(qp->pd);
  delete whole;
  return 0;
}

int ibv_attach_mcast(ibv_qp* qp, const ibv_gid* gid, uint16_t /*lid*/) {
  return AskOfGroup(qp, Op::kAttach, gid);
}

int ibv_detach_mcast(ibv_qp* qp, const ibv_gid* gid, uint16_t /*lid*/) {
  return AskOfGroup(qp, Op::kDetach, gid);
}

// source: rdma-core 44 dummy_ops.c query_ece, set_ece
int ibv_query_ece(ibv_qp* /*qp*/, ibv_ece* /*ece*/) { return EOPNOTSUPP; }
int ibv_set_ece(ibv_qp* /*qp*/, ibv_ece* /*ece*/) { return EOPNOTSUPP; }
}
