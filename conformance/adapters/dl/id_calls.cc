// The calls on channels, ids, events and endpoints.
#include <arpa/inet.h>
#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "conformance/adapters/dl/c_enum.h"
#include "conformance/adapters/dl/calls.h"
#include "conformance/adapters/dl/small_queues.h"
#include "model/vocabulary/sockaddr.h"

namespace cm {
namespace {

// struct rdma_conn_param of `param`, which outlives it.
class ConnParamOf {
 public:
  explicit ConnParamOf(const std::optional<ConnParam>& param) : present_(param.has_value()) {
    if (!param) return;
    const PrivateData& data = param->private_data;
    c_.private_data = data.empty() ? nullptr : data.bytes().data();
    c_.private_data_len = data.size();
    c_.responder_resources = param->responder_resources;
    c_.initiator_depth = param->initiator_depth;
    c_.flow_control = param->flow_control;
    c_.retry_count = param->retry_count;
    c_.rnr_retry_count = param->rnr_retry_count;
    c_.srq = param->srq;
    c_.qp_num = param->qp_num;
  }
  rdma_conn_param* get() { return present_ ? &c_ : nullptr; }

 private:
  bool present_;
  rdma_conn_param c_{};
};

}  // namespace

int Make(const call::CreateEventChannel& c, Application& app, Products* products) {
  products->channel = app.api->rdma_create_event_channel();
  if (products->channel == nullptr) return -1;
  if (!c.nonblocking) return 0;
  const int flags = fcntl(products->channel->fd, F_GETFL);
  return fcntl(products->channel->fd, F_SETFL, flags | O_NONBLOCK);
}
int Make(const call::DestroyEventChannel& c, Application& app, Products* /*products*/) {
  app.api->rdma_destroy_event_channel(app.At(c.channel));
  return 0;
}
int Make(const call::CreateId& c, Application& app, Products* products) {
  return app.api->rdma_create_id(app.At(c.channel), &products->id, nullptr,
                                 static_cast<rdma_port_space>(c.space));
}
int Make(const call::DestroyId& c, Application& app, Products* /*products*/) {
  app.services.Destroy(c.id, *app.api);
  return app.api->rdma_destroy_id(app.At(c.id));
}
int Make(const call::BindAddr& c, Application& app, Products* /*products*/) {
  return app.api->rdma_bind_addr(app.At(c.id), SockAddr(c.address, app.topology).get());
}
int Make(const call::Listen& c, Application& app, Products* /*products*/) {
  return app.api->rdma_listen(app.At(c.id), c.backlog);
}
int Make(const call::ResolveAddr& c, Application& app, Products* /*products*/) {
  return app.api->rdma_resolve_addr(app.At(c.id), SockAddr(c.source, app.topology).get(),
                                    SockAddr(c.destination, app.topology).get(), c.timeout_ms);
}
int Make(const call::ResolveRoute& c, Application& app, Products* /*products*/) {
  return app.api->rdma_resolve_route(app.At(c.id), c.timeout_ms);
}
int Make(const call::CreateQp& c, Application& app, Products* /*products*/) {
  rdma_cm_id* const id = app.At(c.id);
  const uint32_t type = c.type ? static_cast<uint32_t>(*c.type) : ValueOf(id->qp_type);
  auto attr = SmallQueuePair<ibv_qp_init_attr>(type);
  return app.api->rdma_create_qp(id, nullptr, &attr);
}
int Make(const call::DestroyQp& c, Application& app, Products* /*products*/) {
  app.api->rdma_destroy_qp(app.At(c.id));
  return 0;
}
int Make(const call::Connect& c, Application& app, Products* /*products*/) {
  return app.api->rdma_connect(app.At(c.id), ConnParamOf(c.param).get());
}
int Make(const call::Accept& c, Application& app, Products* /*products*/) {
  return app.api->rdma_accept(app.At(c.id), ConnParamOf(c.param).get());
}
int Make(const call::Reject& c, Application& app, Products* /*products*/) {
  const std::span<const uint8_t> data = c.private_data.bytes();
  return app.api->rdma_reject(app.At(c.id), data.empty() ? nullptr : data.data(),
                              static_cast<uint8_t>(data.size()));
}
int Make(const call::Establish& c, Application& app, Products* /*products*/) {
  return app.api->rdma_establish(app.At(c.id));
}
int Make(const call::Disconnect& c, Application& app, Products* /*products*/) {
  return app.api->rdma_disconnect(app.At(c.id));
}
int Make(const call::GetCmEvent& c, Application& app, Products* products) {
  return app.api->rdma_get_cm_event(app.At(c.channel), &products->event);
}
int Make(const call::AckCmEvent& c, Application& app, Products* /*products*/) {
  return app.api->rdma_ack_cm_event(app.At(c.event));
}
int Make(const call::Show& /*c*/, Application& /*app*/, Products* /*products*/) { return 0; }
int Make(const call::ShowEvent& /*c*/, Application& /*app*/, Products* /*products*/) { return 0; }
int Make(const call::Notify& c, Application& app, Products* /*products*/) {
  return WithNumbers(app.api->rdma_notify)(app.At(c.id), c.what);
}
int Make(const call::InitQpAttr& c, Application& app, Products* products) {
  ibv_qp_attr attr{};
  Store(&attr.qp_state, c.state);
  int mask = 0;
  const int value = app.api->rdma_init_qp_attr(app.At(c.id), &attr, &mask);
  products->output =
      QpAttrs{static_cast<uint32_t>(mask), static_cast<uint8_t>(ValueOf(attr.qp_state))};
  return value;
}
int Make(const call::SetLocalEce& c, Application& app, Products* /*products*/) {
  ibv_ece ece{.vendor_id = c.ece.vendor_id, .options = c.ece.options, .comp_mask = c.ece.comp_mask};
  return app.api->rdma_set_local_ece(app.At(c.id), &ece);
}
int Make(const call::GetRemoteEce& c, Application& app, Products* products) {
  ibv_ece ece{};
  const int value = app.api->rdma_get_remote_ece(app.At(c.id), &ece);
  products->output = EceOptions{ece.vendor_id, ece.options, ece.comp_mask};
  return value;
}
int Make(const call::RejectEce& c, Application& app, Products* /*products*/) {
  const std::span<const uint8_t> data = c.private_data.bytes();
  return app.api->rdma_reject_ece(app.At(c.id), data.empty() ? nullptr : data.data(),
                                  static_cast<uint8_t>(data.size()));
}
int Make(const call::GetSrcPort& c, Application& app, Products* products) {
  products->output = PortOutput{ntohs(app.api->rdma_get_src_port(app.At(c.id)))};
  return 0;
}
int Make(const call::GetDstPort& c, Application& app, Products* products) {
  products->output = PortOutput{ntohs(app.api->rdma_get_dst_port(app.At(c.id)))};
  return 0;
}
int Make(const call::EventStr& c, Application& app, Products* products) {
  const char* const text = WithNumbers(app.api->rdma_event_str)(c.type);
  products->output = TextOutput::Of(text == nullptr ? "" : text);
  return 0;
}
int Make(const call::SetOption& c, Application& app, Products* /*products*/) {
  // As long as any option, so that the library reads valid memory.
  std::vector<uint8_t> value(std::max<size_t>(c.length, sizeof(c.value)));
  std::memcpy(value.data(), &c.value, sizeof(c.value));
  return app.api->rdma_set_option(app.At(c.id), c.option.level, c.option.name, value.data(),
                                  c.length);
}
int Make(const call::MigrateId& c, Application& app, Products* /*products*/) {
  return app.api->rdma_migrate_id(app.At(c.id), app.At(c.channel));
}
int Make(const call::GetRequest& c, Application& app, Products* products) {
  return app.api->rdma_get_request(app.At(c.id), &products->id);
}
int Make(const call::CreateEp& c, Application& app, Products* products) {
  SockAddr source(c.source, app.topology);
  SockAddr destination(c.destination, app.topology);
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
  return app.api->rdma_create_ep(&products->id, &info, nullptr, c.with_qp ? &attr : nullptr);
}
int Make(const call::DestroyEp& c, Application& app, Products* /*products*/) {
  app.services.Destroy(c.id, *app.api);
  app.api->rdma_destroy_ep(app.At(c.id));
  return 0;
}
int Make(const call::JoinMulticast& c, Application& app, Products* /*products*/) {
  return app.api->rdma_join_multicast(app.At(c.id), SockAddr(c.address, app.topology).get(),
                                      PointerOf(c.context));
}
int Make(const call::JoinMulticastEx& c, Application& app, Products* /*products*/) {
  SockAddr address(c.address, app.topology);
  rdma_cm_join_mc_attr_ex attr{
      .comp_mask = c.comp_mask, .join_flags = c.flags, .addr = address.get()};
  return app.api->rdma_join_multicast_ex(app.At(c.id), &attr, PointerOf(c.context));
}
int Make(const call::LeaveMulticast& c, Application& app, Products* /*products*/) {
  return app.api->rdma_leave_multicast(app.At(c.id), SockAddr(c.address, app.topology).get());
}

}  // namespace cm
