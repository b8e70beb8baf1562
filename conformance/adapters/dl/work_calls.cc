// Calls on memory regions and queues, through the inline functions of <rdma/rdma_verbs.h>. Their
// calls of libibverbs go to the loaded library, not to the one this program is linked to.
#include <infiniband/verbs.h>

#include <atomic>

namespace cm::loaded {
namespace {

ibv_mr* RegMr(ibv_pd* pd, void* addr, size_t length, int access);
int DeregMr(ibv_mr* mr);
int GetCqEvent(ibv_comp_channel* channel, ibv_cq** cq, void** context);
void AckCqEvents(ibv_cq* cq, unsigned int count);

}  // namespace
}  // namespace cm::loaded

// Redirects the names that the header uses, while it is included.
#pragma push_macro("ibv_reg_mr")
#undef ibv_reg_mr
#define ibv_reg_mr cm::loaded::RegMr
#define ibv_dereg_mr cm::loaded::DeregMr
#define ibv_get_cq_event cm::loaded::GetCqEvent
#define ibv_ack_cq_events cm::loaded::AckCqEvents
#include <rdma/rdma_verbs.h>
#undef ibv_reg_mr
#undef ibv_dereg_mr
#undef ibv_get_cq_event
#undef ibv_ack_cq_events
#pragma pop_macro("ibv_reg_mr")

#include <cerrno>
#include <vector>

#include "conformance/adapters/dl/api.h"
#include "conformance/adapters/dl/c_enum.h"
#include "conformance/adapters/dl/calls.h"
#include "conformance/adapters/dl/small_queues.h"

namespace cm::loaded {
namespace {

std::atomic<const RdmaCmApi*> api{nullptr};

ibv_mr* RegMr(ibv_pd* pd, void* addr, size_t length, int access) {
  return (api.load()->ibv_reg_mr)(pd, addr, length, access);
}
int DeregMr(ibv_mr* mr) { return api.load()->ibv_dereg_mr(mr); }
int GetCqEvent(ibv_comp_channel* channel, ibv_cq** cq, void** context) {
  return api.load()->ibv_get_cq_event(channel, cq, context);
}
void AckCqEvents(ibv_cq* cq, unsigned int count) { api.load()->ibv_ack_cq_events(cq, count); }

}  // namespace
}  // namespace cm::loaded

namespace cm {
namespace {

int Made(ibv_mr* mr, Products* products) {
  products->region = mr;
  return mr == nullptr ? -1 : 0;
}

int Fetched(int (*fetch)(rdma_cm_id*, ibv_wc*), IdRef ref, bool receive, Application& app,
            Products* products) {
  rdma_cm_id* const id = app.At(ref);
  ibv_wc wc{};
  if (fetch(id, &wc) != 1) return -1;
  const bool datagram = ValueOf(id->qp_type) == IBV_QPT_UD;
  products->output = app.memory.Read(wc, ref, receive, datagram);
  return 0;
}

}  // namespace

int Make(const call::CreateQpEx& c, Application& app, Products* /*products*/) {
  rdma_cm_id* const id = app.At(c.id);
  const uint32_t type = c.type ? static_cast<uint32_t>(*c.type) : ValueOf(id->qp_type);
  auto attr = SmallQueuePair<ibv_qp_init_attr_ex>(type);
  return app.api->rdma_create_qp_ex(id, &attr);
}
int Make(const call::CreateSrq& c, Application& app, Products* /*products*/) {
  ibv_srq_init_attr attr{};
  attr.attr = {.max_wr = QueueLimits::kWork, .max_sge = QueueLimits::kSges};
  return app.api->rdma_create_srq(app.At(c.id), nullptr, &attr);
}
int Make(const call::CreateSrqEx& c, Application& app, Products* /*products*/) {
  ibv_srq_init_attr_ex attr{};
  attr.attr = {.max_wr = QueueLimits::kWork, .max_sge = QueueLimits::kSges};
  attr.srq_type = IBV_SRQT_BASIC;
  attr.comp_mask = c.typed ? IBV_SRQ_INIT_ATTR_TYPE : 0;
  return app.api->rdma_create_srq_ex(app.At(c.id), &attr);
}
int Make(const call::DestroySrq& c, Application& app, Products* /*products*/) {
  app.api->rdma_destroy_srq(app.At(c.id));
  return 0;
}

int Make(const call::RegMsgs& c, Application& app, Products* products) {
  return Made(rdma_reg_msgs(app.At(c.id), app.memory.NewBuffer(c.mr, c.length), c.length),
              products);
}
int Make(const call::RegRead& c, Application& app, Products* products) {
  return Made(rdma_reg_read(app.At(c.id), app.memory.NewBuffer(c.mr, c.length), c.length),
              products);
}
int Make(const call::RegWrite& c, Application& app, Products* products) {
  return Made(rdma_reg_write(app.At(c.id), app.memory.NewBuffer(c.mr, c.length), c.length),
              products);
}
int Make(const call::DeregMr& c, Application& app, Products* products) {
  const int value = rdma_dereg_mr(app.memory.RegionAt(c.mr));
  products->output = BytesOutput{app.memory.DigestOf(c.mr)};
  return value;
}

int Make(const call::PostRecv& c, Application& app, Products* /*products*/) {
  const Memory::Piece piece = app.memory.FirstOf(c);
  return rdma_post_recv(app.At(c.id), PointerOf(c.context), piece.address, piece.length,
                        piece.region);
}
int Make(const call::PostRecvv& c, Application& app, Products* /*products*/) {
  std::vector<ibv_sge> sges = app.memory.SgesOf(c);
  return rdma_post_recvv(app.At(c.id), PointerOf(c.context), sges.data(),
                         static_cast<int>(sges.size()));
}
int Make(const call::PostSend& c, Application& app, Products* /*products*/) {
  const Memory::Piece piece = app.memory.FirstOf(c);
  return rdma_post_send(app.At(c.id), PointerOf(c.context), piece.address, piece.length,
                        piece.region, c.flags);
}
int Make(const call::PostSendv& c, Application& app, Products* /*products*/) {
  std::vector<ibv_sge> sges = app.memory.SgesOf(c);
  return rdma_post_sendv(app.At(c.id), PointerOf(c.context), sges.data(),
                         static_cast<int>(sges.size()), c.flags);
}
int Make(const call::PostRead& c, Application& app, Products* /*products*/) {
  const Memory::Remote remote = app.memory.RemoteOf(c);
  const Memory::Piece piece = app.memory.FirstOf(c);
  return rdma_post_read(app.At(c.id), PointerOf(c.context), piece.address, piece.length,
                        piece.region, c.flags, remote.address, remote.key);
}
int Make(const call::PostReadv& c, Application& app, Products* /*products*/) {
  const Memory::Remote remote = app.memory.RemoteOf(c);
  std::vector<ibv_sge> sges = app.memory.SgesOf(c);
  return rdma_post_readv(app.At(c.id), PointerOf(c.context), sges.data(),
                         static_cast<int>(sges.size()), c.flags, remote.address, remote.key);
}
int Make(const call::PostWrite& c, Application& app, Products* /*products*/) {
  const Memory::Remote remote = app.memory.RemoteOf(c);
  const Memory::Piece piece = app.memory.FirstOf(c);
  return rdma_post_write(app.At(c.id), PointerOf(c.context), piece.address, piece.length,
                         piece.region, c.flags, remote.address, remote.key);
}
int Make(const call::PostWritev& c, Application& app, Products* /*products*/) {
  const Memory::Remote remote = app.memory.RemoteOf(c);
  std::vector<ibv_sge> sges = app.memory.SgesOf(c);
  return rdma_post_writev(app.At(c.id), PointerOf(c.context), sges.data(),
                          static_cast<int>(sges.size()), c.flags, remote.address, remote.key);
}
int Make(const call::PostUdSend& c, Application& app, Products* /*products*/) {
  rdma_cm_id* const id = app.At(c.id);
  const Memory::Piece piece = app.memory.FirstOf(c);
  const auto [handle, qp_num] = app.services.At(c.id, *app.api, id->pd);
  if (handle == nullptr) return -1;
  return rdma_post_ud_send(id, PointerOf(c.context), piece.address, piece.length, piece.region,
                           c.flags, handle, qp_num);
}

int Make(const call::GetSendComp& c, Application& app, Products* products) {
  return Fetched(rdma_get_send_comp, c.id, false, app, products);
}
int Make(const call::GetRecvComp& c, Application& app, Products* products) {
  return Fetched(rdma_get_recv_comp, c.id, true, app, products);
}

int Make(const call::ReqNotifyCq& c, Application& app, Products* /*products*/) {
  rdma_cm_id* const id = app.At(c.id);
  errno = ibv_req_notify_cq(c.receives ? id->recv_cq : id->send_cq, c.solicited_only ? 1 : 0);
  return errno == 0 ? 0 : -1;
}

int Make(const call::GetCqEvent& c, Application& app, Products* /*products*/) {
  rdma_cm_id* const id = app.At(c.id);
  ibv_cq* cq = nullptr;
  void* context = nullptr;
  return app.api->ibv_get_cq_event(c.receives ? id->recv_cq_channel : id->send_cq_channel, &cq,
                                   &context);
}
int Make(const call::AckCqEvents& c, Application& app, Products* /*products*/) {
  rdma_cm_id* const id = app.At(c.id);
  app.api->ibv_ack_cq_events(c.receives ? id->recv_cq : id->send_cq, c.events);
  return 0;
}

void UseInline(const RdmaCmApi* api) { loaded::api = api; }

}  // namespace cm
