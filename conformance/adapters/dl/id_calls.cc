// Calls on the C functions other than connecting and disconnecting.
#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "conformance/adapters/dl/c_enum.h"
#include "conformance/adapters/dl/caller.h"
#include "conformance/adapters/dl/small_queues.h"
#include "model/vocabulary/sockaddr.h"

namespace cm {
int Caller::One(const call::Notify& c, Products* /*products*/) const {
  return WithNumbers(api_->rdma_notify)(At(c.id), c.what);
}
int Caller::One(const call::InitQpAttr& c, Products* products) const {
  ibv_qp_attr attr{};
  Store(&attr.qp_state, c.state);
  int mask = 0;
  const int value = api_->rdma_init_qp_attr(At(c.id), &attr, &mask);
  products->handed =
      QpAttrs{static_cast<uint32_t>(mask), static_cast<uint8_t>(ValueOf(attr.qp_state))};
  return value;
}
int Caller::One(const call::SetLocalEce& c, Products* /*products*/) const {
  ibv_ece ece{.vendor_id = c.ece.vendor_id, .options = c.ece.options, .comp_mask = c.ece.comp_mask};
  return api_->rdma_set_local_ece(At(c.id), &ece);
}
int Caller::One(const call::GetRemoteEce& c, Products* products) const {
  ibv_ece ece{};
  const int value = api_->rdma_get_remote_ece(At(c.id), &ece);
  products->handed = EceOptions{ece.vendor_id, ece.options, ece.comp_mask};
  return value;
}
int Caller::One(const call::RejectEce& c, Products* /*products*/) const {
  const std::span<const uint8_t> data = c.private_data.bytes();
  return api_->rdma_reject_ece(At(c.id), data.empty() ? nullptr : data.data(),
                               static_cast<uint8_t>(data.size()));
}
int Caller::One(const call::GetSrcPort& c, Products* products) const {
  products->handed = PortHanded{ntohs(api_->rdma_get_src_port(At(c.id)))};
  return 0;
}
int Caller::One(const call::GetDstPort& c, Products* products) const {
  products->handed = PortHanded{ntohs(api_->rdma_get_dst_port(At(c.id)))};
  return 0;
}
int Caller::One(const call::EventStr& c, Products* products) const {
  const char* const text = WithNumbers(api_->rdma_event_str)(c.type);
  products->handed = TextHanded::Of(text == nullptr ? "" : text);
  return 0;
}
int Caller::One(const call::SetOption& c, Products* /*products*/) const {
  // As long as any option, so that the library reads valid memory.
  std::vector<uint8_t> value(std::max<size_t>(c.length, sizeof(c.value)));
  std::memcpy(value.data(), &c.value, sizeof(c.value));
  return api_->rdma_set_option(At(c.id), c.option.level, c.option.name, value.data(), c.length);
}
int Caller::One(const call::MigrateId& c, Products* /*products*/) const {
  return api_->rdma_migrate_id(At(c.id), At(c.channel));
}
int Caller::One(const call::GetRequest& c, Products* products) const {
  return api_->rdma_get_request(At(c.id), &products->id);
}
int Caller::One(const call::CreateEp& c, Products* products) const {
  SockAddr source(c.source, *conversation_->topology);
  SockAddr destination(c.destination, *conversation_->topology);
  rdma_addrinfo info{};
  info.ai_flags = c.passive ? RAI_PASSIVE : 0;
  const QpType plain = IsDatagram(c.space) ? QpType::kUd : QpType::kRc;
  info.ai_qp_type = static_cast<int>(c.type.value_or(plain));
  info.ai_port_space = static_cast<int>(c.space);
  info.ai_src_addr = source.get();
  info.ai_src_len = LengthOf(info.ai_src_addr);
  info.ai_dst_addr = destination.get();
  info.ai_dst_len = LengthOf(info.ai_dst_addr);
  const sockaddr* const any = info.ai_src_addr != nullptr ? info.ai_src_addr : info.ai_dst_addr;
  info.ai_family = any == nullptr ? AF_INET : any->sa_family;
  auto attr = SmallQueuePair<ibv_qp_init_attr>(static_cast<uint32_t>(info.ai_qp_type));
  return api_->rdma_create_ep(&products->id, &info, nullptr, c.with_qp ? &attr : nullptr);
}
int Caller::One(const call::DestroyEp& c, Products* /*products*/) const {
  DestroyHandles(c.id);
  api_->rdma_destroy_ep(At(c.id));
  return 0;
}
int Caller::One(const call::JoinMulticast& c, Products* /*products*/) const {
  return api_->rdma_join_multicast(At(c.id), SockAddr(c.address, *conversation_->topology).get(),
                                   PointerOf(c.context));
}
int Caller::One(const call::JoinMulticastEx& c, Products* /*products*/) const {
  SockAddr address(c.address, *conversation_->topology);
  rdma_cm_join_mc_attr_ex attr{
      .comp_mask = c.comp_mask, .join_flags = c.flags, .addr = address.get()};
  return api_->rdma_join_multicast_ex(At(c.id), &attr, PointerOf(c.context));
}
int Caller::One(const call::LeaveMulticast& c, Products* /*products*/) const {
  return api_->rdma_leave_multicast(At(c.id), SockAddr(c.address, *conversation_->topology).get());
}

}  // namespace cm
