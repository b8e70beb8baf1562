#include "conformance/adapters/dl/caller.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>

#include "conformance/adapters/dl/c_enum.h"
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

EventType TypeOf(const rdma_cm_event_type& stored) {
  const uint32_t type = ValueOf(stored);
  if (type < uint32_t{kEventTypeCount}) return static_cast<EventType>(type);
  // The vocabulary has no name for it, and nearly every call refuses it.
  fmt::print(stderr, "rdma_get_cm_event: {} is no event type\n", type);
  return EventType::kMulticastError;
}

}  // namespace

Caller::Caller(const RdmaCmApi* api, const Conversation* conversation)
    : api_(api),
      conversation_(conversation),
      ids_(conversation->names.ids.size()),
      channels_(conversation->names.channels.size()),
      events_(conversation->names.events.size()),
      infos_(conversation->names.held.size()),
      devices_(conversation->names.held.size()),
      regions_(conversation->names.regions.size()),
      services_(conversation->names.ids.size()) {}

void Caller::Make(const Call& call, Products* products) {
  *products = {};
  const call::Work* const work = WorkOf(call);
  const bool receive = IsReceive(KindOf(call));
  if (work != nullptr) NotePosted(*work, receive);
  errno = 0;
  products->value =
      std::visit([this, products](const auto& one) { return One(one, products); }, call);
  products->error = errno;
  if (work != nullptr && products->value != 0) ForgetPosted(*work, receive);
}

int Caller::One(const call::CreateEventChannel& c, Products* products) const {
  products->channel = api_->rdma_create_event_channel();
  if (products->channel == nullptr) return -1;
  if (!c.nonblocking) return 0;
  const int flags = fcntl(products->channel->fd, F_GETFL);
  return fcntl(products->channel->fd, F_SETFL, flags | O_NONBLOCK);
}
int Caller::One(const call::DestroyEventChannel& c, Products* /*products*/) const {
  api_->rdma_destroy_event_channel(At(channels_, c.channel));
  return 0;
}
int Caller::One(const call::CreateId& c, Products* products) const {
  return api_->rdma_create_id(At(c.channel), &products->id, nullptr,
                              static_cast<rdma_port_space>(c.space));
}
int Caller::One(const call::DestroyId& c, Products* /*products*/) const {
  DestroyHandles(c.id);
  return api_->rdma_destroy_id(At(c.id));
}
int Caller::One(const call::BindAddr& c, Products* /*products*/) const {
  return api_->rdma_bind_addr(At(c.id), SockAddr(c.address, *conversation_->topology).get());
}
int Caller::One(const call::Listen& c, Products* /*products*/) const {
  return api_->rdma_listen(At(c.id), c.backlog);
}
int Caller::One(const call::ResolveAddr& c, Products* /*products*/) const {
  return api_->rdma_resolve_addr(At(c.id), SockAddr(c.source, *conversation_->topology).get(),
                                 SockAddr(c.destination, *conversation_->topology).get(),
                                 c.timeout_ms);
}
int Caller::One(const call::ResolveRoute& c, Products* /*products*/) const {
  return api_->rdma_resolve_route(At(c.id), c.timeout_ms);
}
int Caller::One(const call::CreateQp& c, Products* /*products*/) const {
  rdma_cm_id* const id = At(c.id);
  const uint32_t type = c.type ? static_cast<uint32_t>(*c.type) : ValueOf(id->qp_type);
  auto attr = SmallQueuePair<ibv_qp_init_attr>(type);
  return api_->rdma_create_qp(id, nullptr, &attr);
}
int Caller::One(const call::DestroyQp& c, Products* /*products*/) const {
  api_->rdma_destroy_qp(At(c.id));
  return 0;
}
int Caller::One(const call::Connect& c, Products* /*products*/) const {
  return api_->rdma_connect(At(c.id), ConnParamOf(c.param).get());
}
int Caller::One(const call::Accept& c, Products* /*products*/) const {
  return api_->rdma_accept(At(c.id), ConnParamOf(c.param).get());
}
int Caller::One(const call::Reject& c, Products* /*products*/) const {
  const std::span<const uint8_t> data = c.private_data.bytes();
  return api_->rdma_reject(At(c.id), data.empty() ? nullptr : data.data(),
                           static_cast<uint8_t>(data.size()));
}
int Caller::One(const call::Establish& c, Products* /*products*/) const {
  return api_->rdma_establish(At(c.id));
}
int Caller::One(const call::Disconnect& c, Products* /*products*/) const {
  return api_->rdma_disconnect(At(c.id));
}
int Caller::One(const call::GetCmEvent& c, Products* products) const {
  return api_->rdma_get_cm_event(At(channels_, c.channel), &products->event);
}
int Caller::One(const call::AckCmEvent& c, Products* /*products*/) const {
  return api_->rdma_ack_cm_event(At(events_, c.event));
}
int Caller::One(const call::Show& /*c*/, Products* /*products*/) const { return 0; }
int Caller::One(const call::ShowEvent& /*c*/, Products* /*products*/) const { return 0; }

seen::Answered Caller::Conclude(const Call& call, const Products& products) {
  seen::Answered answered;
  answered.reply.value = products.value;
  // The resolver has error numbers of its own, below -1.
  if (products.value == -1) answered.reply.error = static_cast<Errno>(products.error);
  if (products.value != 0) return answered;
  answered.handed = products.handed;
  if (const auto* show = std::get_if<call::Show>(&call)) {
    answered.shown = Look(At(show->id));
    return answered;
  }
  const std::lock_guard lock(mutex_);
  if (const auto* show = std::get_if<call::ShowEvent>(&call)) {
    const rdma_cm_id* const id = ids_[show->id.index];
    if (id->event != nullptr) answered.event = Read(*id->event);
    return answered;
  }
  if (const auto* channel = std::get_if<call::CreateEventChannel>(&call)) {
    channels_[channel->channel.index] = products.channel;
  } else if (const auto* id = std::get_if<call::CreateId>(&call)) {
    SetId(id->id, products.id);
  } else if (const auto* ep = std::get_if<call::CreateEp>(&call)) {
    SetId(ep->id, products.id);
  } else if (const auto* request = std::get_if<call::GetRequest>(&call)) {
    SetId(request->request, products.id);
  } else if (const auto* get = std::get_if<call::GetAddrInfo>(&call)) {
    infos_[get->info.index] = products.info;
  } else if (const auto* query = std::get_if<call::QueryAddrInfo>(&call)) {
    infos_[query->info.index] = products.info;
  } else if (const auto* get = std::get_if<call::GetDevices>(&call)) {
    devices_[get->devices.index] = products.devices;
  } else if (const auto* get = std::get_if<call::GetCmEvent>(&call)) {
    events_[get->event.index] = products.event;
    if (ValueOf(products.event->event) == RDMA_CM_EVENT_CONNECT_REQUEST)
      SetId(get->request, products.event->id);
    answered.event = Read(*products.event);
    const IdRef of = answered.event->id;
    if (ValueOf(products.event->event) == RDMA_CM_EVENT_ESTABLISHED && of.valid() &&
        ValueOf(products.event->id->qp_type) == IBV_QPT_UD)
      LearnService(of, products.event->param.ud);
  } else if (RegistersRegion(KindOf(call))) {
    LearnRegion(call, products);
  }
  return answered;
}

// An address may be reused after its object was destroyed: then the old name is dropped.
void Caller::SetId(IdRef ref, rdma_cm_id* id) {
  for (rdma_cm_id*& known : ids_)
    if (known == id) known = nullptr;
  ids_[ref.index] = id;
}

IdRef Caller::NameOf(const rdma_cm_id* id) const {
  if (id == nullptr) return {};
  for (uint16_t i = 0; i < ids_.size(); ++i)
    if (ids_[i] == id) return IdRef{i};
  return {};
}

// Events of the library's map 1.4 have one parameter, which the header may not declare: it has the
// offset of the others.
CmEvent Caller::ReadLater(const rdma_cm_event& event) const {
  CmEvent read{.type = TypeOf(event.event),
               .status = event.status,
               .id = NameOf(event.id),
               .listen_id = NameOf(event.listen_id)};
  if (read.type == EventType::kUser)
    std::memcpy(&read.argument, &event.param, sizeof(read.argument));
  return read;
}

CmEvent Caller::Read(const rdma_cm_event& event) const {
  if (ValueOf(event.event) >= uint32_t{kFirstEventTypeCount}) return ReadLater(event);
  if (event.id != nullptr && ValueOf(event.id->qp_type) == IBV_QPT_UD) return ReadDatagram(event);
  const rdma_conn_param& conn = event.param.conn;
  CmEvent read{.type = TypeOf(event.event),
               .status = event.status,
               .id = NameOf(event.id),
               .listen_id = NameOf(event.listen_id),
               .conn = {.responder_resources = conn.responder_resources,
                        .initiator_depth = conn.initiator_depth,
                        .flow_control = conn.flow_control,
                        .retry_count = conn.retry_count,
                        .rnr_retry_count = conn.rnr_retry_count,
                        .srq = conn.srq},
               .qp_num = conn.qp_num};
  if (conn.private_data != nullptr) {
    read.private_data = PrivateData(std::span<const uint8_t>(
        static_cast<const uint8_t*>(conn.private_data), conn.private_data_len));
  }
  return read;
}

CmEvent Caller::ReadDatagram(const rdma_cm_event& event) const {
  const rdma_ud_param& ud = event.param.ud;
  CmEvent read{.type = TypeOf(event.event),
               .status = event.status,
               .id = NameOf(event.id),
               .listen_id = NameOf(event.listen_id),
               .qp_num = ud.qp_num,
               .qkey = ud.qkey};
  if (read.type == EventType::kMulticastJoin || read.type == EventType::kMulticastError) {
    ReadMembership(ud, &read);
    return read;
  }
  if (ud.private_data != nullptr) {
    read.private_data = PrivateData(std::span<const uint8_t>(
        static_cast<const uint8_t*>(ud.private_data), ud.private_data_len));
  }
  return read;
}

// The pointer to private data is the context of the join; the group is given as a GID, in which
// IPv4 addresses are mapped.
void Caller::ReadMembership(const rdma_ud_param& ud, CmEvent* read) const {
  read->context = static_cast<uint16_t>(reinterpret_cast<uintptr_t>(ud.private_data));
  const auto& gid = ud.ah_attr.grh.dgid;
  if (ud.ah_attr.is_global == 0) return;
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  std::memcpy(&v6.sin6_addr, gid.raw, sizeof(gid.raw));
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  std::memcpy(&v4.sin_addr, gid.raw + 12, sizeof(v4.sin_addr));
  const bool mapped = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr);
  const void* const address = mapped ? static_cast<void*>(&v4) : &v6;
  read->group = AddressOf(static_cast<const sockaddr*>(address), *conversation_->topology);
}

Shown Caller::Look(rdma_cm_id* id) const {
  const Topology& topology = *conversation_->topology;
  Shown shown;
  shown.device_known = id->verbs != nullptr;
  shown.port_num = id->port_num;
  shown.source = AddressOf(&id->route.addr.src_addr, topology);
  shown.destination = AddressOf(&id->route.addr.dst_addr, topology);
  shown.num_paths = static_cast<uint8_t>(id->route.num_paths);
  if (id->verbs != nullptr) {
    // For a device that the topology does not name: the device with the id's address.
    if (shown.source.kind == AddressKind::kSide)
      shown.device = topology.FirstPortOf(topology.sides[shown.source.side].device);
    const std::string_view name = api_->ibv_get_device_name(id->verbs->device);
    shown.device = topology.DeviceNamed(name).value_or(shown.device);
  }
  if (id->qp != nullptr) {
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};
    Store(&attr.qp_state, ValueOf(id->qp->state));  // if the device is gone
    static_cast<void>(api_->ibv_query_qp(id->qp, &attr, IBV_QP_STATE, &init));
    shown.qp = static_cast<QpState>(ValueOf(attr.qp_state));
  }
  return shown;
}

}  // namespace cm
