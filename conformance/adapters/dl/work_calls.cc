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

#include <algorithm>
#include <span>

#include "conformance/adapters/dl/api.h"
#include "conformance/adapters/dl/c_enum.h"
#include "conformance/adapters/dl/caller.h"
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

constexpr uint32_t kDatagramHeader = 40;  // room for a GRH in front of every datagram

int Made(ibv_mr* mr, Products* products) {
  products->region = mr;
  return mr == nullptr ? -1 : 0;
}

}  // namespace

int Caller::One(const call::CreateQpEx& c, Products* /*products*/) const {
  rdma_cm_id* const id = At(c.id);
  const uint32_t type = c.type ? static_cast<uint32_t>(*c.type) : ValueOf(id->qp_type);
  auto attr = SmallQueuePair<ibv_qp_init_attr_ex>(type);
  return api_->rdma_create_qp_ex(id, &attr);
}
int Caller::One(const call::CreateSrq& c, Products* /*products*/) const {
  ibv_srq_init_attr attr{};
  attr.attr = {.max_wr = QueueLimits::kWork, .max_sge = QueueLimits::kSges};
  return api_->rdma_create_srq(At(c.id), nullptr, &attr);
}
int Caller::One(const call::CreateSrqEx& c, Products* /*products*/) const {
  ibv_srq_init_attr_ex attr{};
  attr.attr = {.max_wr = QueueLimits::kWork, .max_sge = QueueLimits::kSges};
  attr.srq_type = IBV_SRQT_BASIC;
  attr.comp_mask = c.typed ? IBV_SRQ_INIT_ATTR_TYPE : 0;
  return api_->rdma_create_srq_ex(At(c.id), &attr);
}
int Caller::One(const call::DestroySrq& c, Products* /*products*/) const {
  api_->rdma_destroy_srq(At(c.id));
  return 0;
}

int Caller::One(const call::RegMsgs& c, Products* products) const {
  loaded::api = api_;
  return Made(rdma_reg_msgs(At(c.id), Buffer(c.mr, c.length), c.length), products);
}
int Caller::One(const call::RegRead& c, Products* products) const {
  loaded::api = api_;
  return Made(rdma_reg_read(At(c.id), Buffer(c.mr, c.length), c.length), products);
}
int Caller::One(const call::RegWrite& c, Products* products) const {
  loaded::api = api_;
  return Made(rdma_reg_write(At(c.id), Buffer(c.mr, c.length), c.length), products);
}
int Caller::One(const call::DeregMr& c, Products* products) const {
  loaded::api = api_;
  const int value = rdma_dereg_mr(RegionAt(c.mr).mr);
  const std::lock_guard lock(mutex_);
  BytesDigest digest;
  digest.Add(regions_[c.mr.index].buffer);
  products->handed = BytesHanded{digest.value()};
  return value;
}

int Caller::One(const call::PostRecv& c, Products* /*products*/) const {
  const ibv_sge sge = SgesOf(c).front();
  return rdma_post_recv(At(c.id), PointerOf(c.context),
                        reinterpret_cast<void*>(sge.addr),  // NOLINT
                        sge.length, RegionAt(c.sges.front().mr).mr);
}
int Caller::One(const call::PostRecvv& c, Products* /*products*/) const {
  std::vector<ibv_sge> sges = SgesOf(c);
  return rdma_post_recvv(At(c.id), PointerOf(c.context), sges.data(),
                         static_cast<int>(sges.size()));
}
int Caller::One(const call::PostSend& c, Products* /*products*/) const {
  const ibv_sge sge = SgesOf(c).front();
  return rdma_post_send(At(c.id), PointerOf(c.context),
                        reinterpret_cast<void*>(sge.addr),  // NOLINT
                        sge.length, RegionAt(c.sges.front().mr).mr, c.flags);
}
int Caller::One(const call::PostSendv& c, Products* /*products*/) const {
  std::vector<ibv_sge> sges = SgesOf(c);
  return rdma_post_sendv(At(c.id), PointerOf(c.context), sges.data(), static_cast<int>(sges.size()),
                         c.flags);
}
int Caller::One(const call::PostRead& c, Products* /*products*/) const {
  const ibv_sge sge = SgesOf(c).front();
  return rdma_post_read(At(c.id), PointerOf(c.context),
                        reinterpret_cast<void*>(sge.addr),  // NOLINT
                        sge.length, RegionAt(c.sges.front().mr).mr, c.flags,
                        reinterpret_cast<uintptr_t>(AddressIn(c.remote.mr, c.remote.offset)),
                        RegionAt(c.remote.mr).key);
}
int Caller::One(const call::PostReadv& c, Products* /*products*/) const {
  std::vector<ibv_sge> sges = SgesOf(c);
  return rdma_post_readv(At(c.id), PointerOf(c.context), sges.data(), static_cast<int>(sges.size()),
                         c.flags,
                         reinterpret_cast<uintptr_t>(AddressIn(c.remote.mr, c.remote.offset)),
                         RegionAt(c.remote.mr).key);
}
int Caller::One(const call::PostWrite& c, Products* /*products*/) const {
  const ibv_sge sge = SgesOf(c).front();
  return rdma_post_write(At(c.id), PointerOf(c.context),
                         reinterpret_cast<void*>(sge.addr),  // NOLINT
                         sge.length, RegionAt(c.sges.front().mr).mr, c.flags,
                         reinterpret_cast<uintptr_t>(AddressIn(c.remote.mr, c.remote.offset)),
                         RegionAt(c.remote.mr).key);
}
int Caller::One(const call::PostWritev& c, Products* /*products*/) const {
  std::vector<ibv_sge> sges = SgesOf(c);
  return rdma_post_writev(At(c.id), PointerOf(c.context), sges.data(),
                          static_cast<int>(sges.size()), c.flags,
                          reinterpret_cast<uintptr_t>(AddressIn(c.remote.mr, c.remote.offset)),
                          RegionAt(c.remote.mr).key);
}
int Caller::One(const call::PostUdSend& c, Products* /*products*/) const {
  rdma_cm_id* const id = At(c.id);
  const ibv_sge sge = SgesOf(c).front();
  const Service service = ServiceOf(c.id);
  if (service.handle == nullptr) return -1;
  return rdma_post_ud_send(id, PointerOf(c.context), reinterpret_cast<void*>(sge.addr),  // NOLINT
                           sge.length, RegionAt(c.sges.front().mr).mr, c.flags, service.handle,
                           service.qp_num);
}

int Caller::One(const call::GetSendComp& c, Products* products) const {
  loaded::api = api_;
  ibv_wc wc{};
  const int value = rdma_get_send_comp(At(c.id), &wc);
  if (value != 1) return -1;
  products->handed = ReadCompletion(c.id, false, wc);
  return 0;
}
int Caller::One(const call::GetRecvComp& c, Products* products) const {
  loaded::api = api_;
  ibv_wc wc{};
  const int value = rdma_get_recv_comp(At(c.id), &wc);
  if (value != 1) return -1;
  products->handed = ReadCompletion(c.id, true, wc);
  return 0;
}

void Caller::LearnService(IdRef id, const rdma_ud_param& ud) {
  Service& service = services_[id.index];
  service.way = ud.ah_attr;
  service.qp_num = ud.qp_num;
  service.handle = nullptr;
}

// Without a handle when none can be created.
Caller::Service Caller::ServiceOf(IdRef id) const {
  Service service;
  {
    const std::lock_guard lock(mutex_);
    service = services_[id.index];
  }
  if (service.handle != nullptr) return service;
  service.handle = api_->ibv_create_ah(At(id)->pd, &service.way);
  if (service.handle == nullptr) return service;
  const std::lock_guard lock(mutex_);
  services_[id.index].handle = service.handle;
  services_[id.index].made.push_back(service.handle);
  return service;
}

// Called before the id is destroyed: its protection domain is freed with the last user, if it is
// empty.
void Caller::DestroyHandles(IdRef id) const {
  std::vector<ibv_ah*> handles;
  {
    const std::lock_guard lock(mutex_);
    services_[id.index].handle = nullptr;
    handles.swap(services_[id.index].made);
  }
  for (ibv_ah* const handle : handles) api_->ibv_destroy_ah(handle);
}

Caller::Registered Caller::RegionAt(MrRef mr) const {
  const std::lock_guard lock(mutex_);
  return regions_[mr.index].registered;
}

// A buffer stays mapped to the end: peers may still know its address.
uint8_t* Caller::Buffer(MrRef mr, uint32_t length) const {
  const std::lock_guard lock(mutex_);
  std::vector<uint8_t>& buffer = regions_[mr.index].buffer;
  buffer.resize(length);
  const std::string& name = conversation_->names.regions.NameOf(mr);
  for (uint32_t i = 0; i < length; ++i) buffer[i] = PatternAt(name, i);
  return buffer.data();
}

uint8_t* Caller::AddressIn(MrRef mr, uint32_t offset) const {
  const std::lock_guard lock(mutex_);
  return regions_[mr.index].buffer.data() + offset;
}

std::vector<ibv_sge> Caller::SgesOf(const call::Work& work) const {
  std::vector<ibv_sge> sges;
  for (const Sge& sge : work.sges)
    sges.push_back({.addr = reinterpret_cast<uintptr_t>(AddressIn(sge.mr, sge.offset)),
                    .length = sge.length,
                    .lkey = RegionAt(sge.mr).mr->lkey});
  return sges;
}

uint32_t Caller::BytesOf(const call::Work& work, uint32_t length, bool datagram) const {
  std::vector<uint8_t> bytes;
  for (const Sge& sge : work.sges) {
    const std::vector<uint8_t>& buffer = regions_[sge.mr.index].buffer;
    for (uint32_t i = 0; i < sge.length && bytes.size() < length; ++i)
      if (sge.offset + i < buffer.size()) bytes.push_back(buffer[sge.offset + i]);
  }
  const size_t from = datagram && bytes.size() > kDatagramHeader ? kDatagramHeader : 0;
  BytesDigest digest;
  digest.Add(std::span<const uint8_t>(bytes).subspan(from));
  return digest.value();
}

Completion Caller::ReadCompletion(IdRef id, bool received, const ibv_wc& wc) const {
  Completion completion{.status = static_cast<WcStatus>(ValueOf(wc.status)),
                        .context = static_cast<uint16_t>(wc.wr_id)};
  const std::lock_guard lock(mutex_);
  const auto posted = std::ranges::find_if(posted_, [&](const Posted& p) {
    return p.id == id && p.receive == received && p.work.context == completion.context;
  });
  if (completion.status == WcStatus::kSuccess) {
    completion.opcode = static_cast<WcOpcode>(ValueOf(wc.opcode));
    const bool fills =
        completion.opcode == WcOpcode::kReceive || completion.opcode == WcOpcode::kRead;
    if (fills) completion.length = wc.byte_len;
    const bool datagram = ValueOf(ids_[id.index]->qp_type) == IBV_QPT_UD;
    if (fills && posted != posted_.end())
      completion.bytes = BytesOf(posted->work, wc.byte_len, datagram);
  }
  if (posted != posted_.end()) posted_.erase(posted);
  return completion;
}

void Caller::LearnRegion(const Call& call, const Products& products) {
  regions_[RegionOf(call).index].registered = {.mr = products.region, .key = products.region->rkey};
}

void Caller::NotePosted(const call::Work& work, bool receive) {
  const std::lock_guard lock(mutex_);
  posted_.push_back({.id = work.id, .receive = receive, .work = work});
}

// The last equal one: those before it are in the queue.
void Caller::ForgetPosted(const call::Work& work, bool receive) {
  const std::lock_guard lock(mutex_);
  for (size_t i = posted_.size(); i > 0; --i) {
    const Posted& posted = posted_[i - 1];
    if (posted.id != work.id || posted.receive != receive || posted.work.context != work.context)
      continue;
    posted_.erase(posted_.begin() + static_cast<ptrdiff_t>(i - 1));
    return;
  }
}

}  // namespace cm
