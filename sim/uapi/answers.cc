// Answers of the query commands, as the ABI's structures.
#include <endian.h>
#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "sim/fabric/names.h"
#include "sim/uapi/bytes.h"
#include "sim/uapi/device_file.h"
#include "sim/uapi/layout.h"
#include "sim/verbs/regions.h"

namespace cm::sim::uapi {
namespace {

constexpr uint8_t kMtu = 3;    // IB_MTU_1024: fits an Ethernet frame
constexpr uint8_t kRate = 3;   // IB_RATE_10_GBPS
constexpr uint8_t kEqual = 2;  // IB_SA_EQ
constexpr uint8_t kHopLimit = 64;
constexpr uint32_t kRemoteReads = kRemoteRead | kRemoteAtomic;
constexpr uint16_t kGroupLid = 0xc000;

// <rdma/ib.h> struct sockaddr_ib
struct SockaddrIbFields {
  uint16_t family;
  uint16_t pkey;
  uint32_t flowinfo;
  Gid gid;
  uint64_t service;
  uint64_t service_mask;
  uint64_t scope;
};
static_assert(sizeof(SockaddrIbFields) == 48);

Outcome Give(std::span<const uint8_t> answer, uint16_t room, size_t written) {
  Outcome outcome{.answer = {.value = static_cast<int64_t>(written)}};
  const auto end = answer.begin() + static_cast<ptrdiff_t>(std::min<size_t>(room, answer.size()));
  outcome.answer.bytes.assign(answer.begin(), end);
  return outcome;
}

// source: linux 6.1 cma.c rdma_get_service_id
uint64_t ServiceOf(const CmId& id, const Address& address) {
  return htobe64((static_cast<uint64_t>(id.space) << 16) + address.port);
}

// The GID of one end of an id's connection, which is on `device`.
Gid EndOf(const Address& address, uint8_t device, const Topology& topology) {
  if (address.kind == AddressKind::kSide || device == kNoDevice) return GidOf(address, topology);
  return GidAt(topology, device, IndexOfGid(0, address.v6)).value_or(Gid{});
}

Gid SourceOf(const CmId& id, const Topology& topology) {
  return EndOf(id.source, id.device, topology);
}

// An address that belongs to no side maps back to the id's own end.
Gid DestinationOf(const CmId& id, const Groups& groups, const Topology& topology) {
  if (id.destination.AnyOrLoopback()) return EndOf(id.destination, id.device, topology);
  return groups.GidOf(id.destination, topology);
}

uint8_t SourceIndexOf(const CmId& id) {
  const size_t nth = id.source.kind == AddressKind::kSide ? id.source.nth : 0;
  return static_cast<uint8_t>(IndexOfGid(nth, id.source.v6));
}

// The port of its device that the id is on.
uint8_t PortOf(const CmId& id, const Topology& topology) {
  return id.device == kNoDevice ? uint8_t{0} : topology.devices[id.device].port;
}

ib_uverbs_ah_attr WayTo(const Gid& gid, const CmId& id, uint8_t port, uint16_t lid) {
  ib_uverbs_ah_attr ah{};
  std::ranges::copy(gid, std::begin(ah.grh.dgid));
  ah.grh.sgid_index = SourceIndexOf(id);
  ah.grh.hop_limit = kHopLimit;
  ah.dlid = lid;
  ah.is_global = 1;
  ah.port_num = port;
  return ah;
}

// In the layout of a PathRecord MAD attribute. source: linux 6.1 sa_query.c path_rec_table
ib_path_rec_data PathOf(const CmId& id, const Groups& groups, const Topology& topology) {
  ib_path_rec_data data{};
  data.flags = IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL;
  std::array<uint8_t, sizeof(data.path_rec)> record{};
  std::ranges::copy(DestinationOf(id, groups, topology), record.begin() + 8);
  std::ranges::copy(SourceOf(id, topology), record.begin() + 24);
  record[47] = kHopLimit;
  record[49] = 0x81;               // reversible; one path
  record[50] = record[51] = 0xff;  // the P_Key
  record[54] = kEqual << 6 | kMtu;
  record[55] = kEqual << 6 | kRate;
  record[56] = static_cast<uint8_t>(kEqual << 6 | (id.packet_lifetime & 0x3f));
  std::memcpy(data.path_rec, record.data(), record.size());
  return data;
}

ib_user_path_rec RouteOf(const CmId& id, const Groups& groups, const Topology& topology) {
  ib_user_path_rec route{};
  std::ranges::copy(DestinationOf(id, groups, topology), std::begin(route.dgid));
  std::ranges::copy(SourceOf(id, topology), std::begin(route.sgid));
  route.pkey = 0xffff;
  if (id.num_paths == 0) return route;
  route.reversible = 1;
  route.mtu = kMtu;
  route.hop_limit = kHopLimit;
  route.numb_path = 1;
  route.mtu_selector = route.rate_selector = route.packet_life_time_selector = kEqual;
  route.rate = kRate;
  route.packet_life_time = id.packet_lifetime;
  return route;
}

template <typename Response>
void PutDevice(uint8_t device, const Topology& topology, Response* response) {
  if (device == kNoDevice) return;
  response->node_guid = GuidOf(topology, device);
  response->ibdev_index = IndexOf(topology, device);
  response->port_num = topology.devices[device].port;
}

constexpr size_t kOldAddr = offsetof(rdma_ucm_query_addr_resp, ibdev_index);
constexpr size_t kOldEvent = offsetof(rdma_ucm_event_resp, reserved);

}  // namespace

Outcome DeviceFile::Query(const Command& c) {
  const auto cmd = As<rdma_ucm_query>(c.body);
  const Result<response::QueryAddr> known = Execute(Kernel(), c.file, command::QueryAddr{cmd.id});
  if (!known.ok()) return Refused(known.error());
  switch (cmd.option) {
    case RDMA_USER_CM_QUERY_ADDR:
      return QueryAddr(c, cmd.id);
    case RDMA_USER_CM_QUERY_PATH:
      return QueryPath(c, cmd.id);
    case RDMA_USER_CM_QUERY_GID:
      return QueryGid(c, cmd.id);
    default:
      break;
  }
  const bool newer = world_->profile().capabilities.Has(Capability::kLaterCalls);
  if (cmd.option != kQueryIbServiceOption || !newer) return Refused(Errno::kNoSys);
  if (c.out < sizeof(uint64_t)) return Refused(Errno::kNoSpc);
  return Refused(Execute(Kernel(), c.file, command::QueryService{cmd.id}));
}

Outcome DeviceFile::QueryAddr(const Command& c, uint32_t id) {
  if (c.out < kOldAddr) return Refused(Errno::kNoSpc);
  const CmId& own = IdOf(id);
  const Topology& topology = world_->topology();
  rdma_ucm_query_addr_resp answer{};
  answer.src_size = groups_.Put(own.source, topology, &answer.src_addr, sizeof(answer.src_addr));
  answer.dst_size =
      groups_.Put(own.destination, topology, &answer.dst_addr, sizeof(answer.dst_addr));
  if (const auto raw = infiniband_.find(id); raw != infiniband_.end()) {
    std::memcpy(&answer.src_addr, raw->second.data(), raw->second.size());
    answer.src_size = static_cast<uint16_t>(raw->second.size());
  }
  PutDevice(own.device, topology, &answer);
  if (own.device != kNoDevice) answer.pkey = 0xffff;
  return Give(BytesOf(answer), c.out, c.written);
}

Outcome DeviceFile::QueryGid(const Command& c, uint32_t id) {
  if (c.out < kOldAddr) return Refused(Errno::kNoSpc);
  const CmId& own = IdOf(id);
  const Topology& topology = world_->topology();
  rdma_ucm_query_addr_resp answer{};
  PutDevice(own.device, topology, &answer);
  if (own.device != kNoDevice) answer.pkey = 0xffff;
  SockaddrIbFields source{
      .family = kInfinibandFamily, .pkey = answer.pkey, .service = ServiceOf(own, own.source)};
  SockaddrIbFields destination = source;
  destination.service = ServiceOf(own, own.destination);
  if (own.device != kNoDevice) {
    source.gid = SourceOf(own, topology);
    destination.gid = DestinationOf(own, groups_, topology);
  }
  answer.src_size = answer.dst_size = sizeof(SockaddrIbFields);
  std::memcpy(&answer.src_addr, &source, sizeof(source));
  if (const auto raw = infiniband_.find(id); raw != infiniband_.end())
    std::memcpy(&answer.src_addr, raw->second.data(), raw->second.size());
  std::memcpy(&answer.dst_addr, &destination, sizeof(destination));
  return Give(BytesOf(answer), c.out, c.written);
}

Outcome DeviceFile::QueryPath(const Command& c, uint32_t id) {
  if (c.out < sizeof(rdma_ucm_query_path_resp)) return Refused(Errno::kNoSpc);
  const CmId& own = IdOf(id);
  std::vector<uint8_t> answer(sizeof(rdma_ucm_query_path_resp));
  answer[0] = own.num_paths;
  size_t room = c.out - answer.size();
  for (int i = 0; i < own.num_paths && room > sizeof(ib_path_rec_data); ++i) {
    const ib_path_rec_data path = PathOf(own, groups_, world_->topology());
    const std::span<const uint8_t> bytes = BytesOf(path);
    answer.insert(answer.end(), bytes.begin(), bytes.end());
    room -= sizeof(path);
  }
  return Give(answer, c.out, c.written);
}

Outcome DeviceFile::QueryRoute(const Command& c) {
  if (c.out < offsetof(rdma_ucm_query_route_resp, ibdev_index)) return Refused(Errno::kNoSpc);
  const auto cmd = As<rdma_ucm_query>(c.body);
  const Result<response::QueryAddr> known = Execute(Kernel(), c.file, command::QueryAddr{cmd.id});
  if (!known.ok()) return Refused(known.error());
  const CmId& own = IdOf(cmd.id);
  const Topology& topology = world_->topology();
  rdma_ucm_query_route_resp answer{};
  groups_.Put(own.source, topology, &answer.src_addr, sizeof(answer.src_addr));
  groups_.Put(own.destination, topology, &answer.dst_addr, sizeof(answer.dst_addr));
  PutDevice(own.device, topology, &answer);
  if (own.device != kNoDevice) {
    if (world_->profile().transport != Transport::kIwarp) answer.num_paths = own.num_paths;
    answer.ib_route[0] = RouteOf(own, groups_, topology);
  }
  return Give(BytesOf(answer), c.out, c.written);
}

Outcome DeviceFile::InitQpAttr(const Command& c) {
  if (c.out < sizeof(ib_uverbs_qp_attr)) return Refused(Errno::kNoSpc);
  const auto cmd = As<rdma_ucm_init_qp_attr>(c.body);
  if (cmd.qp_state > static_cast<uint32_t>(QpState::kErr)) return Refused(Errno::kInval);
  const Result<response::QpAttr> attr =
      Execute(Kernel(), c.file, command::InitQpAttr{cmd.id, static_cast<QpState>(cmd.qp_state)});
  if (!attr.ok()) return Refused(attr.error());
  const response::QpAttr& got = attr.value();
  const CmId& own = IdOf(cmd.id);
  ib_uverbs_qp_attr answer{};
  answer.qp_attr_mask = got.mask;
  answer.qp_state = cmd.qp_state;
  answer.port_num = PortOf(own, world_->topology());
  if (got.datagram) answer.qkey = QkeyOf(own.space);
  const bool connecting = own.ib.valid() || world_->profile().transport == Transport::kIwarp;
  if (!got.datagram && connecting)
    answer.qp_access_flags = kRemoteWrite | (got.remote_read ? kRemoteReads : 0);
  if (got.connects) {
    attributes_[c.asker] = got;
    const auto lid = static_cast<uint16_t>(got.peer_device == kNoDevice ? 0 : got.peer_device + 1);
    const bool has_lids = world_->profile().transport == Transport::kInfiniband;
    answer.ah_attr = WayTo(DestinationOf(own, groups_, world_->topology()), own, answer.port_num,
                           has_lids ? lid : 0);
    answer.dest_qp_num = got.peer_number;
    answer.path_mtu = kMtu;
    answer.retry_cnt = got.retry_count;
    answer.rnr_retry = got.rnr_retry_count;
    // The peer's of an accepting id, as it has no path. source: linux 6.1 cma.c rdma_init_qp_attr,
    // cm.c cm_init_qp_rtr_attr, cm_init_qp_rts_attr
    answer.timeout = own.ib.valid() ? Kernel().ib->at(own.ib).av_timeout
                                    : static_cast<uint8_t>(own.packet_lifetime + 1);
    if (own.ack_timeout != 0) answer.timeout = own.ack_timeout;
    answer.max_rd_atomic = got.initiator_depth;
    answer.max_dest_rd_atomic = got.responder_resources;
  }
  return Give(BytesOf(answer), c.out, c.written);
}

namespace {

void PutData(const PrivateData& data, uint8_t* bytes, uint8_t* length) {
  std::ranges::copy(data.bytes(), bytes);
  *length = data.size();
}

rdma_ucm_conn_param ConnectionOf(const response::Event& event) {
  rdma_ucm_conn_param conn{};
  conn.qp_num = event.qp_num;
  PutData(event.private_data, conn.private_data, &conn.private_data_len);
  conn.srq = event.conn.srq;
  conn.responder_resources = event.conn.responder_resources;
  conn.initiator_depth = event.conn.initiator_depth;
  conn.flow_control = event.conn.flow_control;
  conn.retry_count = event.conn.retry_count;
  conn.rnr_retry_count = event.conn.rnr_retry_count;
  return conn;
}

bool OfGroup(const response::Event& event) {
  return event.type == EventType::kMulticastJoin || event.type == EventType::kMulticastError;
}

}  // namespace

// For a membership the id is that of the membership; the path is that to the group.
void DeviceFile::PutDatagram(const response::Event& event, rdma_ucm_ud_param* ud) const {
  const Topology& topology = world_->topology();
  const bool has_lids = world_->profile().transport == Transport::kInfiniband;
  ud->qp_num = event.qp_num;
  ud->qkey = event.qkey;
  PutData(event.private_data, ud->private_data, &ud->private_data_len);
  const Memberships& memberships = Kernel().cma->memberships;
  if (event.type == EventType::kMulticastJoin && memberships.Live(MembershipIndex(event.id))) {
    const CmId& own = Kernel().cma->ids[memberships[MembershipIndex(event.id)].id];
    ud->ah_attr = WayTo(groups_.GidOf(event.group, topology), own, PortOf(own, topology),
                        has_lids ? kGroupLid : 0);
  } else if (event.type == EventType::kEstablished) {
    const CmId& own = IdOf(event.id);
    const Gid gid = DestinationOf(own, groups_, topology);
    const std::optional<uint8_t> peer = DeviceWith(topology, gid);
    ud->ah_attr = WayTo(gid, own, PortOf(own, topology),
                        static_cast<uint16_t>(has_lids && peer ? *peer + 1 : 0));
  }
}

Outcome DeviceFile::GetEvent(const Command& c) {
  if (c.out < kOldEvent) return Refused(Errno::kNoSpc);
  if (!Kernel().cma->files.Readable(c.file)) {
    if (c.nonblocking) return Refused(Errno::kAgain);
    return {.answer = {.waits = true}, .what = Awaited::kEvent, .on = c.file.value()};
  }
  const response::Event event = Execute(Kernel(), c.file, command::GetEvent{}).value();
  if (event.type == EventType::kConnectRequest) StartAfresh(event.id);
  rdma_ucm_event_resp answer{};
  answer.uid = event.uid;
  answer.id = event.id;
  answer.event = static_cast<uint32_t>(event.type);
  answer.status = static_cast<uint32_t>(event.status);
  answer.ece = {.vendor_id = event.ece.vendor_id, .attr_mod = event.ece.options};
  const bool datagrams = OfGroup(event) || (Live(event.id) && IsDatagram(IdOf(event.id).space));
  if (event.type == EventType::kUser || event.type == EventType::kInternal)
    std::memcpy(&answer.param, &event.argument, sizeof(event.argument));
  else if (datagrams)
    PutDatagram(event, &answer.param.ud);
  else
    answer.param.conn = ConnectionOf(event);
  return Give(BytesOf(answer), c.out, c.written);
}

}  // namespace cm::sim::uapi
