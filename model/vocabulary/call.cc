#include "model/vocabulary/call.h"

#include <array>
#include <type_traits>

namespace cm {
namespace {

constexpr std::array<std::string_view, kCallKindCount> kNames = {
    "rdma_create_event_channel",
    "rdma_destroy_event_channel",
    "rdma_create_id",
    "rdma_destroy_id",
    "rdma_bind_addr",
    "rdma_listen",
    "rdma_resolve_addr",
    "rdma_resolve_route",
    "rdma_create_qp",
    "rdma_destroy_qp",
    "rdma_connect",
    "rdma_accept",
    "rdma_reject",
    "rdma_establish",
    "rdma_disconnect",
    "rdma_get_cm_event",
    "rdma_ack_cm_event",
    "show",
    "show-event",
    "rdma_notify",
    "rdma_init_qp_attr",
    "rdma_set_local_ece",
    "rdma_get_remote_ece",
    "rdma_reject_ece",
    "rdma_get_src_port",
    "rdma_get_dst_port",
    "rdma_event_str",
    "rdma_set_option",
    "rdma_migrate_id",
    "rdma_get_request",
    "rdma_create_ep",
    "rdma_destroy_ep",
    "rdma_join_multicast",
    "rdma_join_multicast_ex",
    "rdma_leave_multicast",
    "rdma_getaddrinfo",
    "rdma_freeaddrinfo",
    "rdma_get_devices",
    "rdma_free_devices",
    "rdma_resolve_addrinfo",
    "rdma_query_addrinfo",
    "rdma_write_cm_event",
    "rdma_create_qp_ex",
    "rdma_create_srq",
    "rdma_create_srq_ex",
    "rdma_destroy_srq",
    "rdma_reg_msgs",
    "rdma_reg_read",
    "rdma_reg_write",
    "rdma_dereg_mr",
    "rdma_post_recv",
    "rdma_post_recvv",
    "rdma_post_send",
    "rdma_post_sendv",
    "rdma_post_read",
    "rdma_post_readv",
    "rdma_post_write",
    "rdma_post_writev",
    "rdma_post_ud_send",
    "rdma_get_send_comp",
    "rdma_get_recv_comp",
};

template <typename T>
concept OnId = requires(const T& c) {
  c.id;
};
template <typename T>
concept OnChannel = requires(const T& c) {
  c.channel;
};

}  // namespace

bool IsFunction(CallKind kind) { return kind != CallKind::kShow && kind != CallKind::kShowEvent; }

std::string_view FunctionName(CallKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::optional<CallKind> ParseFunctionName(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<CallKind>(i);
  return std::nullopt;
}

IdRef IdOf(const Call& call) {
  return std::visit(
      [](const auto& c) {
        if constexpr (OnId<std::decay_t<decltype(c)>>)
          return c.id;
        else
          return IdRef{};
      },
      call);
}

ChannelRef ChannelOf(const Call& call) {
  return std::visit(
      [](const auto& c) {
        if constexpr (OnChannel<std::decay_t<decltype(c)>>)
          return c.channel;
        else
          return ChannelRef{};
      },
      call);
}

HeldRef HeldOf(const Call& call) {
  if (const auto* get = std::get_if<call::GetAddrInfo>(&call)) return get->info;
  if (const auto* free = std::get_if<call::FreeAddrInfo>(&call)) return free->info;
  if (const auto* get = std::get_if<call::GetDevices>(&call)) return get->devices;
  if (const auto* free = std::get_if<call::FreeDevices>(&call)) return free->devices;
  if (const auto* query = std::get_if<call::QueryAddrInfo>(&call)) return query->info;
  return {};
}

MrRef RegionOf(const Call& call) {
  if (const auto* reg = std::get_if<call::RegMsgs>(&call)) return reg->mr;
  if (const auto* reg = std::get_if<call::RegRead>(&call)) return reg->mr;
  if (const auto* reg = std::get_if<call::RegWrite>(&call)) return reg->mr;
  if (const auto* dereg = std::get_if<call::DeregMr>(&call)) return dereg->mr;
  return {};
}

const call::Work* WorkOf(const Call& call) {
  return std::visit(
      [](const auto& c) -> const call::Work* {
        if constexpr (std::is_base_of_v<call::Work, std::decay_t<decltype(c)>>)
          return &c;
        else
          return nullptr;
      },
      call);
}

std::optional<call::CreateQp> QpAskedBy(const Call& call) {
  if (const auto* create = std::get_if<call::CreateQp>(&call)) return *create;
  if (const auto* create = std::get_if<call::CreateQpEx>(&call))
    return call::CreateQp{create->id, create->type};
  return std::nullopt;
}

bool CompletesWithEvent(CallKind kind) {
  switch (kind) {
    case CallKind::kResolveAddr:
    case CallKind::kResolveRoute:
    case CallKind::kConnect:
    case CallKind::kAccept:
    case CallKind::kDisconnect:
    case CallKind::kJoinMulticast:
    case CallKind::kJoinMulticastEx:
    case CallKind::kResolveAddrInfo:
      return true;
    default:
      return false;
  }
}

bool ReturnsVoid(CallKind kind) {
  switch (kind) {
    case CallKind::kDestroyEventChannel:
    case CallKind::kDestroyQp:
    case CallKind::kDestroyEp:
    case CallKind::kFreeAddrInfo:
    case CallKind::kFreeDevices:
    case CallKind::kDestroySrq:
      return true;
    default:
      return false;
  }
}

}  // namespace cm
