// Work requests and completions: what is behind the inline functions of <infiniband/verbs.h>.
#include <infiniband/verbs.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "sim/fake_libibverbs/computation.h"
#include "sim/fake_libibverbs/extended.h"
#include "sim/fake_libibverbs/objects.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {
namespace {

using uapi::Answer;
using uapi::BindRecord;
using uapi::CompletionRecord;
using uapi::DeviceLimits;
using uapi::Op;
using uapi::PieceRecord;
using uapi::WorkRecord;

void AppendPieces(const ibv_sge* pieces, int count, std::vector<uint8_t>* bytes) {
  for (const ibv_sge* piece = pieces; piece != pieces + count; ++piece)
    Append(bytes, PieceRecord{.address = piece->addr, .length = piece->length, .key = piece->lkey});
}

void AppendContents(const ibv_sge* pieces, int count, std::vector<uint8_t>* bytes) {
  for (const ibv_sge* piece = pieces; piece != pieces + count; ++piece) {
    const uint8_t* first = At(piece->addr);
    bytes->insert(bytes->end(), first, first + piece->length);
  }
}

// Where the receiver has no global address, the last two bytes hold its LID.
std::array<uint8_t, 16> Destination(const ibv_ah_attr& to) {
  std::array<uint8_t, 16> gid{};
  if (to.is_global != 0) {
    std::memcpy(gid.data(), to.grh.dgid.raw, gid.size());
  } else {
    gid[14] = static_cast<uint8_t>(to.dlid >> 8);
    gid[15] = static_cast<uint8_t>(to.dlid);
  }
  return gid;
}

bool IsOfMemory(ibv_wr_opcode opcode) {
  return opcode == IBV_WR_RDMA_WRITE || opcode == IBV_WR_RDMA_WRITE_WITH_IMM ||
         opcode == IBV_WR_RDMA_READ;
}

bool IsAtomic(ibv_wr_opcode opcode) {
  return opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

// A request that binds a memory window. Returns an errno. source: rdma-core 44 rxe.c
// validate_send_wr, convert_send_wr
int EncodeBind(const ibv_send_wr& work, const QueuePair& qp, std::vector<uint8_t>* bytes) {
  const ibv_qp_type type = qp.shown.qp_type;
  const bool connected = type == IBV_QPT_RC || type == IBV_QPT_UC || type == IBV_QPT_XRC_SEND;
  if (work.num_sge != 0 || work.imm_data != 0 || !connected) return EINVAL;
  const ibv_mw_bind_info& to = work.bind_mw.bind_info;
  Append(bytes, WorkRecord{.wr_id = work.wr_id,
                           .opcode = static_cast<uint32_t>(work.opcode),
                           .flags = work.send_flags & ~uint32_t{IBV_SEND_INLINE}});
  Append(bytes, BindRecord{.address = to.addr,
                           .length = to.length,
                           .window = work.bind_mw.mw->rkey,
                           .key = work.bind_mw.rkey,
                           .region = to.mr == nullptr ? 0 : to.mr->lkey,
                           .access = to.mw_access_flags});
  return 0;
}

// Returns an errno.
int Encode(const ibv_send_wr& work, const QueuePair& qp, std::vector<uint8_t>* bytes) {
  if (work.num_sge < 0 || static_cast<uint32_t>(work.num_sge) > qp.initial.cap.max_send_sge)
    return EINVAL;
  if (work.opcode == IBV_WR_BIND_MW) return EncodeBind(work, qp, bytes);
  WorkRecord record = {.wr_id = work.wr_id,
                       .opcode = static_cast<uint32_t>(work.opcode),
                       .flags = work.send_flags,
                       .immediate = work.imm_data};
  const bool copies = (work.send_flags & IBV_SEND_INLINE) != 0;
  uint64_t length = 0;
  for (int at = 0; at < work.num_sge; ++at) length += work.sg_list[at].length;
  if (copies && length > qp.initial.cap.max_inline_data) return EINVAL;
  if (copies) record.inline_length = static_cast<uint32_t>(length);
  if (!copies) record.pieces = static_cast<uint32_t>(work.num_sge);
  if (qp.shown.qp_type == IBV_QPT_XRC_SEND) record.to_number = work.qp_type.xrc.remote_srqn;
  if (qp.shown.qp_type == IBV_QPT_UD) {
    if (work.wr.ud.ah == nullptr) return EINVAL;
    record.to_number = work.wr.ud.remote_qpn;
    record.to_qkey = work.wr.ud.remote_qkey;
    record.to_gid = Destination(Whole<AddressHandle>(work.wr.ud.ah)->to);
  } else if (IsAtomic(work.opcode)) {
    record.remote_address = work.wr.atomic.remote_addr;
    record.remote_key = work.wr.atomic.rkey;
    record.compare_or_add = work.wr.atomic.compare_add;
    record.swap = work.wr.atomic.swap;
  } else if (IsOfMemory(work.opcode)) {
    record.remote_address = work.wr.rdma.remote_addr;
    record.remote_key = work.wr.rdma.rkey;
  }
  Append(bytes, record);
  if (copies) AppendContents(work.sg_list, work.num_sge, bytes);
  if (!copies) AppendPieces(work.sg_list, work.num_sge, bytes);
  return 0;
}

int PostSend(ibv_qp* qp, ibv_send_wr* work, ibv_send_wr** bad) {
  const InObject here;
  const auto* whole = Whole<QueuePair>(qp);
  for (; work != nullptr; work = work->next) {
    std::vector<uint8_t> bytes;
    int error = Encode(*work, *whole, &bytes);
    if (error == 0)
      error = ErrnoOf(AskAbout(Op::kPostSend, whole->handle, 0, std::move(bytes)).value);
    if (error == 0) continue;
    *bad = work;
    return error;
  }
  return 0;
}

int PostAll(Op op, Handle queue, ibv_recv_wr* work, ibv_recv_wr** bad) {
  const InObject here;
  for (; work != nullptr; work = work->next) {
    int error = EINVAL;
    if (work->num_sge >= 0 && static_cast<uint32_t>(work->num_sge) <= DeviceLimits::kPieces) {
      std::vector<uint8_t> bytes =
          BytesOf(WorkRecord{.wr_id = work->wr_id, .pieces = static_cast<uint32_t>(work->num_sge)});
      AppendPieces(work->sg_list, work->num_sge, &bytes);
      error = ErrnoOf(AskAbout(op, queue, 0, std::move(bytes)).value);
    }
    if (error == 0) continue;
    *bad = work;
    return error;
  }
  return 0;
}

int PostReceive(ibv_qp* qp, ibv_recv_wr* work, ibv_recv_wr** bad) {
  return PostAll(Op::kPostReceive, Whole<QueuePair>(qp)->handle, work, bad);
}

int PostToSharedQueue(ibv_srq* queue, ibv_recv_wr* work, ibv_recv_wr** bad) {
  return PostAll(Op::kPostToSrq, Whole<SharedQueue>(queue)->handle, work, bad);
}

}  // namespace

int PostBuilt(QueuePair* qp) {
  const InObject here;
  std::vector<std::vector<uint8_t>> encoded(qp->built.size());
  for (size_t i = 0; i < encoded.size(); ++i) {
    auto& [work, pieces, data] = qp->built[i];
    if (!data.empty()) {
      pieces = {{.addr = reinterpret_cast<uint64_t>(data.data()),
                 .length = static_cast<uint32_t>(data.size()),
                 .lkey = 0}};
    }
    work.sg_list = pieces.data();
    work.num_sge = static_cast<int>(pieces.size());
    if (const int error = Encode(work, *qp, &encoded[i]); error != 0) return error;
  }
  size_t behind = encoded.size();
  for (std::vector<uint8_t>& bytes : encoded) {
    const Answer answer = AskAbout(Op::kPostSend, qp->handle, --behind, std::move(bytes));
    if (answer.value == -ENOMEM) return ENOSPC;
    if (answer.value < 0) return ErrnoOf(answer.value);
  }
  return 0;
}

int Poll(ibv_cq* queue, int most, ibv_wc* completions) {
  const InObject here;
  if (most < 0) return -EINVAL;
  const Answer answer =
      AskAbout(Op::kPoll, Whole<CompletionQueue>(queue)->handle, static_cast<uint64_t>(most));
  if (answer.value < 0) return static_cast<int>(answer.value);
  int count = 0;
  while (count < most) {
    const auto record = RecordIn<CompletionRecord>(answer.bytes, count * sizeof(CompletionRecord));
    if (!record) break;
    ibv_wc& completion = completions[count++];
    completion = {};
    completion.wr_id = record->wr_id;
    completion.status = static_cast<ibv_wc_status>(record->status);
    completion.opcode = static_cast<ibv_wc_opcode>(record->opcode);
    completion.byte_len = record->length;
    completion.imm_data = record->immediate;
    completion.qp_num = record->qp_number;
    completion.src_qp = record->source_number;
    completion.wc_flags = record->flags;
  }
  return count;
}

void FillWork(ibv_context_ops* operations) {
  operations->poll_cq = Poll;
  operations->req_notify_cq = Arm;
  operations->post_send = PostSend;
  operations->post_recv = PostReceive;
  operations->post_srq_recv = PostToSharedQueue;
}

}  // namespace cm::sim::fake_libibverbs
