// The functions of librdmacm, and those of libibverbs that conversations need.
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "conformance/adapters/dl/c_enum.h"
#include "conformance/adapters/dl/sample/sample.h"

namespace {

using cm::sample::Channel;
using cm::sample::Event;
using cm::sample::Id;
using cm::sample::Sample;
using cm::sample::TheSample;

// The C structure is the first member of ours.
Channel* Ours(rdma_event_channel* channel) { return reinterpret_cast<Channel*>(channel); }
Id* Ours(rdma_cm_id* id) { return reinterpret_cast<Id*>(id); }
Event* Ours(rdma_cm_event* event) { return reinterpret_cast<Event*>(event); }

std::optional<cm::ConnParam> ParamOf(const rdma_conn_param* c) {
  if (c == nullptr) return std::nullopt;
  cm::ConnParam param{.responder_resources = c->responder_resources,
                      .initiator_depth = c->initiator_depth,
                      .flow_control = c->flow_control,
                      .retry_count = c->retry_count,
                      .rnr_retry_count = c->rnr_retry_count,
                      .srq = c->srq,
                      .qp_num = c->qp_num};
  if (c->private_data_len > 0) {
    param.private_data = cm::PrivateData(std::span<const uint8_t>(
        static_cast<const uint8_t*>(c->private_data), c->private_data_len));
  }
  return param;
}

cm::PrivateData DataOf(const void* data, uint8_t length) {
  if (length == 0) return {};
  return cm::PrivateData(std::span<const uint8_t>(static_cast<const uint8_t*>(data), length));
}

// Makes a call of the simulated library on the id.
template <typename Call>
int On(rdma_cm_id* id, const Call& call) {
  return TheSample().Do(Ours(id), call);
}

}  // namespace

extern "C" {

rdma_event_channel* rdma_create_event_channel(void) { return TheSample().CreateChannel(); }

void rdma_destroy_event_channel(rdma_event_channel* channel) {
  TheSample().DestroyChannel(Ours(channel));
}

int rdma_create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context,
                   rdma_port_space ps) {
  const auto space = static_cast<cm::PortSpace>(cm::ValueOf(ps));
  const int value = TheSample().CreateId(Ours(channel), id, space);
  if (value == 0) (*id)->context = context;
  return value;
}

int rdma_destroy_id(rdma_cm_id* id) { return TheSample().DestroyId(Ours(id)); }

int rdma_bind_addr(rdma_cm_id* id, sockaddr* addr) {
  const cm::Address address = TheSample().AddressOf(addr);
  return On(id, cm::call::BindAddr{.address = address});
}

int rdma_listen(rdma_cm_id* id, int backlog) {
  return On(id, cm::call::Listen{.backlog = backlog});
}

int rdma_resolve_addr(rdma_cm_id* id, sockaddr* src_addr, sockaddr* dst_addr, int timeout_ms) {
  const cm::call::ResolveAddr call{.id = {},
                                   .source = TheSample().AddressOf(src_addr),
                                   .destination = TheSample().AddressOf(dst_addr),
                                   .timeout_ms = timeout_ms};
  return On(id, call);
}

int rdma_resolve_route(rdma_cm_id* id, int timeout_ms) {
  return On(id, cm::call::ResolveRoute{.timeout_ms = timeout_ms});
}

int rdma_create_qp(rdma_cm_id* id, ibv_pd* /*pd*/, ibv_qp_init_attr* qp_init_attr) {
  const auto type = static_cast<cm::QpType>(cm::ValueOf(qp_init_attr->qp_type));
  return On(id, cm::call::CreateQp{.type = type});
}

int rdma_create_qp_ex(rdma_cm_id* id, ibv_qp_init_attr_ex* qp_init_attr) {
  const auto type = static_cast<cm::QpType>(cm::ValueOf(qp_init_attr->qp_type));
  return On(id, cm::call::CreateQp{.type = type});
}

void rdma_destroy_qp(rdma_cm_id* id) { On(id, cm::call::DestroyQp{}); }

int rdma_connect(rdma_cm_id* id, rdma_conn_param* conn_param) {
  return On(id, cm::call::Connect{.param = ParamOf(conn_param)});
}

int rdma_accept(rdma_cm_id* id, rdma_conn_param* conn_param) {
  return On(id, cm::call::Accept{.param = ParamOf(conn_param)});
}

int rdma_reject(rdma_cm_id* id, const void* private_data, uint8_t private_data_len) {
  const cm::PrivateData data = DataOf(private_data, private_data_len);
  return On(id, cm::call::Reject{.private_data = data});
}

int rdma_establish(rdma_cm_id* id) { return On(id, cm::call::Establish{}); }

int rdma_disconnect(rdma_cm_id* id) { return On(id, cm::call::Disconnect{}); }

int rdma_join_multicast(rdma_cm_id* id, sockaddr* addr, void* context) {
  const cm::call::JoinMulticast call{
      .id = {}, .address = TheSample().AddressOf(addr), .context = TheSample().Keep(context)};
  return On(id, call);
}

int rdma_join_multicast_ex(rdma_cm_id* id, rdma_cm_join_mc_attr_ex* mc_join_attr, void* context) {
  const cm::call::JoinMulticastEx call{.id = {},
                                       .address = TheSample().AddressOf(mc_join_attr->addr),
                                       .context = TheSample().Keep(context),
                                       .flags = mc_join_attr->join_flags,
                                       .comp_mask = mc_join_attr->comp_mask};
  return On(id, call);
}

int rdma_leave_multicast(rdma_cm_id* id, sockaddr* addr) {
  return On(id, cm::call::LeaveMulticast{.address = TheSample().AddressOf(addr)});
}

int rdma_get_request(rdma_cm_id* listen, rdma_cm_id** id) {
  return TheSample().GetRequest(Ours(listen), id);
}

int rdma_set_option(rdma_cm_id* id, int level, int optname, void* optval, size_t optlen) {
  cm::call::SetOption call{.id = {},
                           .option = {.level = level, .name = optname},
                           .length = static_cast<uint32_t>(optlen)};
  if (optlen > 0) std::memcpy(&call.value, optval, std::min(optlen, sizeof(call.value)));
  return On(id, call);
}

int rdma_migrate_id(rdma_cm_id* id, rdma_event_channel* channel) {
  return TheSample().MigrateId(Ours(id), Ours(channel));
}

int rdma_notify(rdma_cm_id* id, ibv_event_type event) {
  return On(id, cm::call::Notify{.what = static_cast<uint8_t>(cm::ValueOf(event))});
}

int rdma_init_qp_attr(rdma_cm_id* id, ibv_qp_attr* qp_attr, int* qp_attr_mask) {
  const auto state = static_cast<uint8_t>(cm::ValueOf(qp_attr->qp_state));
  const cm::woven::Progress progress =
      TheSample().Do(cm::call::InitQpAttr{.state = state}, {.id = Ours(id)->number});
  const int value = TheSample().Answer(Ours(id), progress.reply);
  if (value != 0) return value;
  const auto& attrs = std::get<cm::QpAttrs>(*progress.handed);
  cm::Store(&qp_attr->qp_state, attrs.state);
  *qp_attr_mask = static_cast<int>(attrs.mask);
  return value;
}

int rdma_set_local_ece(rdma_cm_id* id, ibv_ece* ece) {
  const cm::EceOptions options{ece->vendor_id, ece->options, ece->comp_mask};
  return On(id, cm::call::SetLocalEce{.ece = options});
}

int rdma_get_remote_ece(rdma_cm_id* id, ibv_ece* ece) {
  const cm::woven::Progress progress =
      TheSample().Do(cm::call::GetRemoteEce{}, {.id = Ours(id)->number});
  const int value = TheSample().Answer(Ours(id), progress.reply);
  if (value != 0) return value;
  const auto& options = std::get<cm::EceOptions>(*progress.handed);
  *ece = {
      .vendor_id = options.vendor_id, .options = options.options, .comp_mask = options.comp_mask};
  return value;
}

int rdma_reject_ece(rdma_cm_id* id, const void* private_data, uint8_t private_data_len) {
  const cm::PrivateData data = DataOf(private_data, private_data_len);
  return On(id, cm::call::RejectEce{.private_data = data});
}

uint16_t rdma_get_src_port(rdma_cm_id* id) {
  return htons(TheSample().library().ids[Ours(id)->number].source.port);
}

uint16_t rdma_get_dst_port(rdma_cm_id* id) {
  return htons(TheSample().library().ids[Ours(id)->number].destination.port);
}

const char* rdma_event_str(rdma_cm_event_type event) {
  // As long as the longest name, and static, as the C function's result is.
  static auto* const names = new std::map<int, std::string>;
  const auto type = static_cast<uint8_t>(cm::ValueOf(event));
  const cm::woven::Progress progress = TheSample().Do(cm::call::EventStr{.type = type});
  return names->emplace(type, std::get<cm::TextHanded>(*progress.handed).words())
      .first->second.c_str();
}

int rdma_get_cm_event(rdma_event_channel* channel, rdma_cm_event** event) {
  return TheSample().GetEvent(Ours(channel), event);
}

int rdma_ack_cm_event(rdma_cm_event* event) { return TheSample().Ack(Ours(event)); }

int ibv_query_qp(ibv_qp* qp, ibv_qp_attr* attr, int /*attr_mask*/, ibv_qp_init_attr* /*init*/) {
  const cm::Shown shown = TheSample().Show(*static_cast<Id*>(qp->qp_context));
  if (!shown.qp) return EINVAL;
  cm::Store(&attr->qp_state, static_cast<uint32_t>(*shown.qp));
  return 0;
}

const char* ibv_get_device_name(ibv_device* device) { return device->name; }

}  // extern "C"
