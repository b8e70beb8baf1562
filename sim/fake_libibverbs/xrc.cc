// Extended reliable connections. source: rdma-core 44 mlx5 verbs.c mlx5_open_xrcd,
// mlx5_create_srq_ex, mlx5_open_qp; cmd.c ibv_cmd_open_xrcd, ibv_cmd_open_qp; cmd_srq.c
// ibv_icmd_create_srq; man ibv_open_xrcd(3), ibv_create_srq_ex(3), ibv_open_qp(3)
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>

#include "sim/fake_libibverbs/extended.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/objects.h"
#include "sim/fake_libibverbs/own_descriptors.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {

using uapi::Answer;
using uapi::Op;
using uapi::QpRecord;
using uapi::XrcdRecord;

ibv_xrcd* OpenXrcd(ibv_context* context, ibv_xrcd_init_attr* initial) {
  constexpr uint32_t kBoth = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
  if (initial->comp_mask >= IBV_XRCD_INIT_ATTR_RESERVED) return Refuse(EOPNOTSUPP);
  if (initial->comp_mask != kBoth) return Refuse(EINVAL);
  const int64_t place = PlaceOf(context);
  if (place < 0) return Refuse(ErrnoOf(place));
  XrcdRecord record = {.device = static_cast<uint32_t>(place),
                       .flags = static_cast<uint32_t>(initial->oflags)};
  int file = -1;
  if (initial->fd != -1) {
    // Not the number that the program's next file would get.
    struct stat status {};
    if (RealLibc().fstat(initial->fd, &status) != 0) return Refuse(EBADF);
    file = fcntl(initial->fd, F_DUPFD_CLOEXEC, 0);
    if (file < 0) return Refuse(errno);
    file = MovedUp(file);
    KeepFromProgram(file, true);
    record.has_file = 1;
    record.file_system = status.st_dev;
    record.file = status.st_ino;
  }
  auto made = std::make_unique<XrcDomain>();
  made->shown.context = context;
  made->file = file;
  const Answer answer = Ask({.op = Op::kOpenXrcd, .bytes = BytesOf(record)});
  if (answer.value >= 0) {
    made->handle.number = static_cast<uint32_t>(answer.value);
    return &made.release()->shown;
  }
  if (file >= 0) {
    KeepFromProgram(file, false);
    RealLibc().close(file);
  }
  return Refuse(ErrnoOf(answer.value));
}

int CloseXrcd(ibv_xrcd* xrcd) {
  auto* const whole = Whole<XrcDomain>(xrcd);
  const Answer answer = AskAbout(Op::kCloseXrcd, whole->handle);
  if (answer.value < 0) return Failed(answer.value);
  if (whole->file >= 0) {
    KeepFromProgram(whole->file, false);
    RealLibc().close(whole->file);
  }
  delete whole;
  return 0;
}

// Queues for the matching of tags are refused.
ibv_srq* CreateSrqEx(ibv_context* /*context*/, ibv_srq_init_attr_ex* initial) {
  const auto has = [initial](uint32_t part) { return (initial->comp_mask & part) != 0; };
  const bool typed = has(IBV_SRQ_INIT_ATTR_TYPE);
  if (initial->comp_mask >= IBV_SRQ_INIT_ATTR_RESERVED ||
      (typed && initial->srq_type == IBV_SRQT_TM))
    return Refuse(EOPNOTSUPP);
  if (!has(IBV_SRQ_INIT_ATTR_PD)) return Refuse(EINVAL);
  ibv_srq_init_attr_ex asked = *initial;
  if (!typed || initial->srq_type == IBV_SRQT_BASIC) {
    asked.xrcd = nullptr;
    asked.cq = nullptr;
    return MakeSharedQueue(initial->pd, asked);
  }
  const bool whole = has(IBV_SRQ_INIT_ATTR_XRCD) && has(IBV_SRQ_INIT_ATTR_CQ) &&
                     initial->xrcd != nullptr && initial->cq != nullptr;
  if (initial->srq_type != IBV_SRQT_XRC || !whole) return Refuse(EINVAL);
  return MakeSharedQueue(initial->pd, asked);
}

// That of a basic one has no meaning for a program. source: rdma-core 44 mlx5 verbs.c
// mlx5_get_srq_num
int GetSrqNumber(ibv_srq* queue, uint32_t* number) {
  *number = Whole<SharedQueue>(queue)->number;
  return 0;
}

// A target that another process, or this one, has created in the domain.
ibv_qp* OpenQp(ibv_context* context, ibv_qp_open_attr* initial) {
  constexpr uint32_t kNeeded = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE;
  if (initial->comp_mask >= IBV_QP_OPEN_ATTR_RESERVED) return Refuse(EOPNOTSUPP);
  if ((initial->comp_mask & kNeeded) != kNeeded || initial->xrcd == nullptr ||
      initial->qp_type != IBV_QPT_XRC_RECV)
    return Refuse(EINVAL);
  auto made = std::make_unique<QueuePair>();
  const QpRecord record = {.told = TellOf(context, made.get()), .xrcd = NumberOf(initial->xrcd)};
  const Answer answer = Ask({.op = Op::kOpenQp, .more = initial->qp_num, .bytes = BytesOf(record)});
  if (answer.value < 0) return Refuse(ErrnoOf(answer.value));
  QueuePair* const qp = made.release();
  qp->handle.number = static_cast<uint32_t>(answer.value);
  const bool named = (initial->comp_mask & IBV_QP_OPEN_ATTR_CONTEXT) != 0;
  qp->initial.qp_context = named ? initial->qp_context : nullptr;
  qp->initial.qp_type = initial->qp_type;
  qp->shown = {.context = context,
               .qp_context = qp->initial.qp_context,
               .handle = qp->handle.number,
               .qp_num = initial->qp_num,
               .state = IBV_QPS_UNKNOWN,
               .qp_type = initial->qp_type};
  pthread_mutex_init(&qp->shown.mutex, nullptr);
  pthread_cond_init(&qp->shown.cond, nullptr);
  return &qp->shown;
}

}  // namespace cm::sim::fake_libibverbs
