#include "model/vocabulary/call.h"

#include <array>

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

bool ReturnsVoid(CallKind kind) {
  return kind == CallKind::kDestroyEventChannel || kind == CallKind::kDestroyQp;
}

}  // namespace cm
