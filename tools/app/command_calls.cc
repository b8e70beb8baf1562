#include "tools/app/command_calls.h"

#include <netinet/in.h>
#include <rdma/rdma_user_cm.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "model/base/errno.h"
#include "model/vocabulary/sockaddr.h"
#include "sim/uapi/bytes.h"

namespace cm::app {
namespace {

using sim::uapi::As;
using sim::uapi::BytesOf;
using sim::uapi::Command;

// `field` has one of the header's layouts for an address. An address that the topology lacks has no
// name in the language.
template <typename T>
std::optional<Address> AddressIn(const T& field, const Topology& topology) {
  const auto any = As<sockaddr_storage>(BytesOf(field));
  if (any.ss_family != AF_INET && any.ss_family != AF_INET6 && any.ss_family != AF_UNSPEC)
    return std::nullopt;
  const auto* const raw = reinterpret_cast<const sockaddr*>(&any);
  const Address address = AddressOf(raw, topology);
  if (address.kind != AddressKind::kForeign) return address;
  SockAddr known(address, topology);
  const size_t length = LengthOf(raw);
  return std::memcmp(known.get(), raw, length) == 0 ? std::optional(address) : std::nullopt;
}

template <typename T>
std::optional<Call> BindOf(const T& cmd, IdRef id, const Topology& topology) {
  const std::optional<Address> address = AddressIn(cmd.addr, topology);
  if (!address || address->kind == AddressKind::kNone) return std::nullopt;
  return call::BindAddr{.id = id, .address = *address};
}

template <typename T>
std::optional<Call> ResolveOf(const T& cmd, IdRef id, const Topology& topology) {
  const std::optional<Address> source = AddressIn(cmd.src_addr, topology);
  const std::optional<Address> destination = AddressIn(cmd.dst_addr, topology);
  if (!source || !destination || destination->kind == AddressKind::kNone) return std::nullopt;
  return call::ResolveAddr{.id = id,
                           .source = *source,
                           .destination = *destination,
                           .timeout_ms = static_cast<int32_t>(cmd.timeout_ms)};
}

PrivateData DataIn(const rdma_ucm_conn_param& param) {
  return PrivateData(std::span(param.private_data, param.private_data_len));
}

ConnParam ParamOf(const rdma_ucm_conn_param& param, bool has_qp) {
  return {.responder_resources = param.responder_resources,
          .initiator_depth = param.initiator_depth,
          .flow_control = param.flow_control,
          .retry_count = param.retry_count,
          .rnr_retry_count = param.rnr_retry_count,
          .srq = has_qp ? uint8_t{0} : param.srq,
          .qp_num = has_qp ? 0 : param.qp_num,
          .private_data = DataIn(param)};
}

// source: rdma-core 44 cma.c rdma_reject_ece: the reason is 35
std::optional<Call> RejectOf(const rdma_ucm_reject& cmd, IdRef id) {
  const PrivateData data(std::span(cmd.private_data, cmd.private_data_len));
  if (cmd.reason == static_cast<uint8_t>(RejReason::kVendorOptionNotSupported))
    return call::RejectEce{.id = id, .private_data = data};
  return call::Reject{.id = id, .private_data = data};
}

// The value follows the command; see FindOptionValue.
std::optional<Call> OptionOf(std::span<const uint8_t> body, IdRef id) {
  const auto cmd = As<rdma_ucm_set_option>(body);
  const auto value = body.subspan(std::min(body.size(), sizeof cmd));
  if (cmd.optlen > sizeof(uint32_t) || value.size() < cmd.optlen) return std::nullopt;
  return call::SetOption{.id = id,
                         .option = {.level = static_cast<int32_t>(cmd.level),
                                    .name = static_cast<int32_t>(cmd.optname)},
                         .value = As<uint32_t>(value.first(cmd.optlen)),
                         .length = cmd.optlen};
}

std::optional<Call> NotifyOf(const rdma_ucm_notify& cmd, IdRef id) {
  if (cmd.event > std::numeric_limits<uint8_t>::max()) return std::nullopt;
  return call::Notify{.id = id, .what = static_cast<uint8_t>(cmd.event)};
}

std::optional<Call> JoinOf(const rdma_ucm_join_mcast& cmd, IdRef id, const Topology& topology) {
  const std::optional<Address> group = AddressIn(cmd.addr, topology);
  if (!group || group->kind == AddressKind::kNone) return std::nullopt;
  if (cmd.join_flags == RDMA_MC_JOIN_FLAG_FULLMEMBER)
    return call::JoinMulticast{.id = id, .address = *group};
  return call::JoinMulticastEx{.id = id, .address = *group, .flags = cmd.join_flags};
}

std::optional<Call> JoinOf(const rdma_ucm_join_ip_mcast& cmd, IdRef id, const Topology& topology) {
  const std::optional<Address> group = AddressIn(cmd.addr, topology);
  if (!group || group->kind == AddressKind::kNone) return std::nullopt;
  return call::JoinMulticast{.id = id, .address = *group};
}

// The group of a membership, in whose GID an address of IPv4 is mapped.
Address GroupOf(const rdma_ucm_ud_param& ud, const Topology& topology) {
  if (ud.ah_attr.is_global == 0) return {};
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  std::memcpy(&v6.sin6_addr, ud.ah_attr.grh.dgid, sizeof(v6.sin6_addr));
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  constexpr size_t kMapped = 12;
  std::memcpy(&v4.sin_addr, ud.ah_attr.grh.dgid + kMapped, sizeof(v4.sin_addr));
  const bool mapped = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr);
  return AddressOf(
      mapped ? reinterpret_cast<const sockaddr*>(&v4) : reinterpret_cast<const sockaddr*>(&v6),
      topology);
}

}  // namespace

std::optional<uint32_t> IdIn(const Command& command) {
  const auto at = [&](size_t offset) { return As<uint32_t>(command.body.subspan(offset)); };
  const auto in = [&]<typename T>(T /*layout*/) -> std::optional<uint32_t> {
    if (command.body.size() < offsetof(T, id) + sizeof(uint32_t)) return std::nullopt;
    return at(offsetof(T, id));
  };
  switch (command.number) {
    case RDMA_USER_CM_CMD_CREATE_ID:
    case RDMA_USER_CM_CMD_GET_EVENT:
    case RDMA_USER_CM_CMD_GET_OPTION:
      return std::nullopt;
    case RDMA_USER_CM_CMD_DESTROY_ID:
    case RDMA_USER_CM_CMD_LEAVE_MCAST:
      return in(rdma_ucm_destroy_id{});
    case RDMA_USER_CM_CMD_BIND_IP:
      return in(rdma_ucm_bind_ip{});
    case RDMA_USER_CM_CMD_RESOLVE_IP:
      return in(rdma_ucm_resolve_ip{});
    case RDMA_USER_CM_CMD_CONNECT:
      return in(rdma_ucm_connect{});
    case RDMA_USER_CM_CMD_ACCEPT:
      return in(rdma_ucm_accept{});
    case RDMA_USER_CM_CMD_INIT_QP_ATTR:
      return in(rdma_ucm_init_qp_attr{});
    case RDMA_USER_CM_CMD_SET_OPTION:
      return in(rdma_ucm_set_option{});
    case RDMA_USER_CM_CMD_JOIN_IP_MCAST:
      return in(rdma_ucm_join_ip_mcast{});
    case RDMA_USER_CM_CMD_JOIN_MCAST:
      return in(rdma_ucm_join_mcast{});
    case RDMA_USER_CM_CMD_MIGRATE_ID:
      return in(rdma_ucm_migrate_id{});
    case RDMA_USER_CM_CMD_QUERY_ROUTE:
    case RDMA_USER_CM_CMD_QUERY:
      return in(rdma_ucm_query{});
    default:  // it is the first field
      return command.body.size() < sizeof(uint32_t) ? std::nullopt : std::optional(at(0));
  }
}

std::optional<Call> CallOf(const Command& command, IdRef id, bool has_qp,
                           const Topology& topology) {
  const std::span<const uint8_t> body = command.body;
  switch (command.number) {
    case RDMA_USER_CM_CMD_DESTROY_ID:
      return call::DestroyId{.id = id};
    case RDMA_USER_CM_CMD_BIND_IP:
      return BindOf(As<rdma_ucm_bind_ip>(body), id, topology);
    case RDMA_USER_CM_CMD_BIND:
      return BindOf(As<rdma_ucm_bind>(body), id, topology);
    case RDMA_USER_CM_CMD_RESOLVE_IP:
      return ResolveOf(As<rdma_ucm_resolve_ip>(body), id, topology);
    case RDMA_USER_CM_CMD_RESOLVE_ADDR:
      return ResolveOf(As<rdma_ucm_resolve_addr>(body), id, topology);
    case RDMA_USER_CM_CMD_RESOLVE_ROUTE:
      return call::ResolveRoute{
          .id = id,
          .timeout_ms = static_cast<int32_t>(As<rdma_ucm_resolve_route>(body).timeout_ms)};
    case RDMA_USER_CM_CMD_LISTEN:
      return call::Listen{.id = id,
                          .backlog = static_cast<int32_t>(As<rdma_ucm_listen>(body).backlog)};
    case RDMA_USER_CM_CMD_CONNECT:
      return call::Connect{.id = id,
                           .param = ParamOf(As<rdma_ucm_connect>(body).conn_param, has_qp)};
    case RDMA_USER_CM_CMD_ACCEPT:
      if (Establishes(command)) return call::Establish{.id = id};
      return call::Accept{.id = id, .param = ParamOf(As<rdma_ucm_accept>(body).conn_param, has_qp)};
    case RDMA_USER_CM_CMD_REJECT:
      return RejectOf(As<rdma_ucm_reject>(body), id);
    case RDMA_USER_CM_CMD_DISCONNECT:
      return call::Disconnect{.id = id};
    case RDMA_USER_CM_CMD_SET_OPTION:
      return OptionOf(body, id);
    case RDMA_USER_CM_CMD_NOTIFY:
      return NotifyOf(As<rdma_ucm_notify>(body), id);
    case RDMA_USER_CM_CMD_JOIN_IP_MCAST:
      return JoinOf(As<rdma_ucm_join_ip_mcast>(body), id, topology);
    case RDMA_USER_CM_CMD_JOIN_MCAST:
      return JoinOf(As<rdma_ucm_join_mcast>(body), id, topology);
    default:
      return std::nullopt;
  }
}

bool Establishes(const Command& command) {
  return command.number == RDMA_USER_CM_CMD_ACCEPT &&
         As<rdma_ucm_accept>(command.body).conn_param.valid == 0;
}

// source: rdma-core 44 cma.c rdma_get_cm_event
CmEvent EventOf(std::span<const uint8_t> answer, EventType type, bool datagrams,
                const Topology& topology) {
  const auto got = As<rdma_ucm_event_resp>(answer);
  const auto came = static_cast<EventType>(got.event);
  CmEvent event{.type = type, .status = static_cast<int32_t>(got.status)};
  const bool established = came == EventType::kConnectResponse && type == EventType::kEstablished;
  if (came != type && !established) event.status = -1;  // a step of the library's own has failed
  if (type == EventType::kUser) {
    std::memcpy(&event.argument, &got.param, sizeof(event.argument));
  } else if (type == EventType::kMulticastJoin || type == EventType::kMulticastError) {
    event.qp_num = got.param.ud.qp_num;
    event.qkey = got.param.ud.qkey;
    event.group = GroupOf(got.param.ud, topology);
  } else if (datagrams) {
    const rdma_ucm_ud_param& ud = got.param.ud;
    event.qp_num = ud.qp_num;
    event.qkey = ud.qkey;
    event.private_data = PrivateData(std::span(ud.private_data, ud.private_data_len));
  } else {
    const rdma_ucm_conn_param& conn = got.param.conn;
    event.conn = {.responder_resources = conn.responder_resources,
                  .initiator_depth = conn.initiator_depth,
                  .flow_control = conn.flow_control,
                  .retry_count = conn.retry_count,
                  .rnr_retry_count = conn.rnr_retry_count,
                  .srq = conn.srq};
    event.qp_num = conn.qp_num;
    event.private_data = DataIn(conn);
  }
  return event;
}

Reply ReplyOf(const sim::uapi::Answer& answer) {
  return answer.value < 0 ? Reply::Refused(static_cast<Errno>(-answer.value)) : Reply::Returned();
}

}  // namespace cm::app
