#include "tools/rules/exported.h"

#include <array>

namespace cm::ruledoc {
namespace {

constexpr std::string_view kNewer = "newer: map 1.4";

// clang-format off
constexpr auto kExported = std::to_array<Exported>({
    {"rdma_accept", ""}, {"rdma_ack_cm_event", ""}, {"rdma_bind_addr", ""}, {"rdma_connect", ""},
    {"rdma_create_ep", ""}, {"rdma_create_event_channel", ""}, {"rdma_create_id", ""},
    {"rdma_create_qp", ""},
    {"rdma_create_qp_ex", ""},
    {"rdma_create_srq", ""}, {"rdma_create_srq_ex", ""},
    {"rdma_destroy_ep", ""}, {"rdma_destroy_event_channel", ""}, {"rdma_destroy_id", ""},
    {"rdma_destroy_qp", ""}, {"rdma_destroy_srq", ""}, {"rdma_disconnect", ""},
    {"rdma_establish", ""}, {"rdma_event_str", ""}, {"rdma_free_devices", ""},
    {"rdma_freeaddrinfo", ""}, {"rdma_get_cm_event", ""}, {"rdma_get_devices", ""},
    {"rdma_get_dst_port", ""}, {"rdma_get_remote_ece", ""}, {"rdma_get_request", ""},
    {"rdma_get_src_port", ""}, {"rdma_getaddrinfo", ""}, {"rdma_init_qp_attr", ""},
    {"rdma_join_multicast", ""}, {"rdma_join_multicast_ex", ""},
    {"rdma_leave_multicast", ""}, {"rdma_listen", ""}, {"rdma_migrate_id", ""},
    {"rdma_notify", ""}, {"rdma_query_addrinfo", "", kNewer}, {"rdma_reject", ""},
    {"rdma_reject_ece", ""}, {"rdma_resolve_addr", ""}, {"rdma_resolve_addrinfo", "", kNewer},
    {"rdma_resolve_route", ""}, {"rdma_set_local_ece", ""}, {"rdma_set_option", ""},
    {"rdma_write_cm_event", "", kNewer},
});

constexpr auto kInline = std::to_array<std::string_view>({
    "ibv_ack_cq_events", "ibv_get_cq_event", "ibv_req_notify_cq",
    "rdma_dereg_mr", "rdma_get_recv_comp", "rdma_get_send_comp", "rdma_post_read",
    "rdma_post_readv", "rdma_post_recv", "rdma_post_recvv", "rdma_post_send", "rdma_post_sendv",
    "rdma_post_ud_send", "rdma_post_write", "rdma_post_writev", "rdma_reg_msgs", "rdma_reg_read",
    "rdma_reg_write",
});

constexpr auto kRsockets = std::to_array<std::string_view>({
    "raccept", "rbind", "rclose", "rconnect", "repoll_create1", "repoll_ctl", "rfcntl",
    "rgetpeername", "rgetsockname", "rgetsockopt", "riomap", "riounmap", "riowrite", "rlisten",
    "rpoll", "rread", "rreadv", "rrecv", "rrecvfrom", "rrecvmsg", "rselect", "rsend", "rsendmsg",
    "rsendto", "rsetsockopt", "rshutdown", "rsocket", "rwrite", "rwritev",
});
// clang-format on

}  // namespace

std::span<const Exported> ExportedFunctions() { return kExported; }

std::span<const std::string_view> InlineFunctions() { return kInline; }

std::span<const std::string_view> RsocketFunctions() { return kRsockets; }

}  // namespace cm::ruledoc
