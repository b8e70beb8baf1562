// The functions of librdmacm, and the little of libibverbs that goes with them.
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <cerrno>
#include <optional>
#include <span>

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

// Makes a call of the simulated library on the id.
template <typename Call>
int On(rdma_cm_id* id, const Call& call) {
  Sample& sample = TheSample();
  return sample.Answer(Ours(id),
                       call(sample.library(), sample.world().Context(), Ours(id)->number));
}

using Context = cm::sim::Library::Context;
using cm::sim::Library;

}  // namespace

extern "C" {

rdma_event_channel* rdma_create_event_channel(void) { return TheSample().CreateChannel(); }

void rdma_destroy_event_channel(rdma_event_channel* channel) {
  TheSample().DestroyChannel(Ours(channel));
}

int rdma_create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context,
                   rdma_port_space ps) {
  const int value = TheSample().CreateId(Ours(channel), id, ps);
  if (value == 0) (*id)->context = context;
  return value;
}

int rdma_destroy_id(rdma_cm_id* id) { return TheSample().DestroyId(Ours(id)); }

int rdma_bind_addr(rdma_cm_id* id, sockaddr* addr) {
  const cm::Address address = TheSample().AddressOf(addr);
  return On(id, [&](Library& l, Context c, uint32_t i) { return l.BindAddr(c, i, address); });
}

int rdma_listen(rdma_cm_id* id, int backlog) {
  return On(id, [&](Library& l, Context c, uint32_t i) { return l.Listen(c, i, backlog); });
}

int rdma_resolve_addr(rdma_cm_id* id, sockaddr* src_addr, sockaddr* dst_addr, int timeout_ms) {
  const cm::call::ResolveAddr call{.id = {},
                                   .source = TheSample().AddressOf(src_addr),
                                   .destination = TheSample().AddressOf(dst_addr),
                                   .timeout_ms = timeout_ms};
  return On(id, [&](Library& l, Context c, uint32_t i) { return l.ResolveAddr(c, i, call); });
}

int rdma_resolve_route(rdma_cm_id* id, int timeout_ms) {
  return On(id,
            [&](Library& l, Context c, uint32_t i) { return l.ResolveRoute(c, i, timeout_ms); });
}

int rdma_create_qp(rdma_cm_id* id, ibv_pd* /*pd*/, ibv_qp_init_attr* /*qp_init_attr*/) {
  return On(id, [](Library& l, Context c, uint32_t i) { return l.CreateQp(c, i); });
}

void rdma_destroy_qp(rdma_cm_id* id) {
  On(id, [](Library& l, Context c, uint32_t i) { return l.DestroyQp(c, i); });
}

int rdma_connect(rdma_cm_id* id, rdma_conn_param* conn_param) {
  const std::optional<cm::ConnParam> param = ParamOf(conn_param);
  return On(id, [&](Library& l, Context c, uint32_t i) { return l.Connect(c, i, param); });
}

int rdma_accept(rdma_cm_id* id, rdma_conn_param* conn_param) {
  const std::optional<cm::ConnParam> param = ParamOf(conn_param);
  return On(id, [&](Library& l, Context c, uint32_t i) { return l.Accept(c, i, param); });
}

int rdma_reject(rdma_cm_id* id, const void* private_data, uint8_t private_data_len) {
  cm::PrivateData data;
  if (private_data_len > 0) {
    data = cm::PrivateData(
        std::span<const uint8_t>(static_cast<const uint8_t*>(private_data), private_data_len));
  }
  return On(id, [&](Library& l, Context c, uint32_t i) { return l.Reject(c, i, data); });
}

int rdma_establish(rdma_cm_id* id) {
  return On(id, [](Library& l, Context c, uint32_t i) { return l.Establish(c, i); });
}

int rdma_disconnect(rdma_cm_id* id) {
  return On(id, [](Library& l, Context c, uint32_t i) { return l.Disconnect(c, i); });
}

int rdma_get_cm_event(rdma_event_channel* channel, rdma_cm_event** event) {
  return TheSample().GetEvent(Ours(channel), event);
}

int rdma_ack_cm_event(rdma_cm_event* event) { return TheSample().Ack(Ours(event)); }

int ibv_query_qp(ibv_qp* qp, ibv_qp_attr* attr, int /*attr_mask*/, ibv_qp_init_attr* /*init*/) {
  const cm::Shown shown = TheSample().Show(*static_cast<Id*>(qp->qp_context));
  if (!shown.qp) return EINVAL;
  attr->qp_state = static_cast<ibv_qp_state>(*shown.qp);
  return 0;
}

const char* ibv_get_device_name(ibv_device* device) { return device->name; }

}  // extern "C"
