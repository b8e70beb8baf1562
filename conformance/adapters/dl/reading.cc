// What an application sees: events, and the fields of its ids.
#include <fmt/format.h>
#include <netinet/in.h>

#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>

#include "conformance/adapters/dl/c_enum.h"
#include "conformance/adapters/dl/calls.h"
#include "model/vocabulary/sockaddr.h"

namespace cm {
namespace {

EventType TypeOf(const rdma_cm_event_type& stored) {
  const uint32_t type = ValueOf(stored);
  if (type < uint32_t{kEventTypeCount}) return static_cast<EventType>(type);
  // The vocabulary has no name for it, and nearly every call refuses it.
  fmt::print(stderr, "rdma_get_cm_event: {} is no event type\n", type);
  return EventType::kMulticastError;
}

// Events of the library's map 1.4 have one parameter, which the header may not declare: it has the
// offset of the others.
CmEvent ReadLater(const rdma_cm_event& event, const Application& app) {
  CmEvent read{.type = TypeOf(event.event),
               .status = event.status,
               .id = app.objects.NameOf(event.id),
               .listen_id = app.objects.NameOf(event.listen_id)};
  if (read.type == EventType::kUser)
    std::memcpy(&read.argument, &event.param, sizeof(read.argument));
  return read;
}

// The pointer to private data is the context of the join; the group is given as a GID, in which
// IPv4 addresses are mapped.
void ReadMembership(const rdma_ud_param& ud, const Topology& topology, CmEvent* read) {
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
  read->group = AddressOf(static_cast<const sockaddr*>(address), topology);
}

CmEvent ReadDatagram(const rdma_cm_event& event, const Application& app) {
  const rdma_ud_param& ud = event.param.ud;
  CmEvent read{.type = TypeOf(event.event),
               .status = event.status,
               .id = app.objects.NameOf(event.id),
               .listen_id = app.objects.NameOf(event.listen_id),
               .qp_num = ud.qp_num,
               .qkey = ud.qkey};
  if (read.type == EventType::kMulticastJoin || read.type == EventType::kMulticastError) {
    ReadMembership(ud, app.topology, &read);
    return read;
  }
  if (ud.private_data != nullptr) {
    read.private_data = PrivateData(std::span<const uint8_t>(
        static_cast<const uint8_t*>(ud.private_data), ud.private_data_len));
  }
  return read;
}

}  // namespace

CmEvent Read(const rdma_cm_event& event, const Application& app) {
  if (ValueOf(event.event) >= uint32_t{kFirstEventTypeCount}) return ReadLater(event, app);
  if (event.id != nullptr && ValueOf(event.id->qp_type) == IBV_QPT_UD)
    return ReadDatagram(event, app);
  const rdma_conn_param& conn = event.param.conn;
  CmEvent read{.type = TypeOf(event.event),
               .status = event.status,
               .id = app.objects.NameOf(event.id),
               .listen_id = app.objects.NameOf(event.listen_id),
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

Shown Look(rdma_cm_id* id, const Application& app) {
  const Topology& topology = app.topology;
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
    const std::string_view name = app.api->ibv_get_device_name(id->verbs->device);
    shown.device = topology.DeviceNamed(name).value_or(shown.device);
  }
  if (id->qp != nullptr) {
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};
    Store(&attr.qp_state, ValueOf(id->qp->state));  // if the device is gone
    static_cast<void>(app.api->ibv_query_qp(id->qp, &attr, IBV_QP_STATE, &init));
    shown.qp = static_cast<QpState>(ValueOf(attr.qp_state));
  }
  return shown;
}

}  // namespace cm
