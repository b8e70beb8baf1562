#include "conformance/adapters/exec/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "model/vocabulary/call.h"

namespace cm {
namespace {

constexpr std::string_view kDatagrams = "datagrams";
constexpr std::string_view kSynchronous = "synchronous";

constexpr auto kGroups = std::to_array<CallGroup>({
    {kDatagrams, "ids of the port spaces UDP and IPOIB", ""},
    {kSynchronous, "ids without an event channel, whose calls wait", ""},
    {"establish", "the end of a connection's setup by hand", "rdma_establish"},
    {"notify", "events of a queue pair, passed on by the application", "rdma_notify"},
    {"qp-attributes", "attributes for a queue pair of the application's own", "rdma_init_qp_attr"},
    {"ece", "options of enhanced connection establishment",
     "rdma_set_local_ece rdma_get_remote_ece rdma_reject_ece"},
    {"options", "options of an id", "rdma_set_option"},
    {"migration", "ids that change their channel", "rdma_migrate_id"},
    {"endpoints", "endpoints, and requests that are waited for",
     "rdma_create_ep rdma_destroy_ep rdma_get_request"},
    {"multicast", "groups", "rdma_join_multicast rdma_join_multicast_ex rdma_leave_multicast"},
    {"lookup", "addresses by name or by hints",
     "rdma_getaddrinfo rdma_freeaddrinfo rdma_resolve_addrinfo rdma_query_addrinfo"},
    {"devices", "the list of devices", "rdma_get_devices rdma_free_devices"},
    {"written-events", "events of the application's own", "rdma_write_cm_event"},
    {"shared-queues", "shared receive queues, and queue pairs with more attributes",
     "rdma_create_qp_ex rdma_create_srq rdma_create_srq_ex rdma_destroy_srq"},
    {"data", "registered memory, work requests and completions",
     "rdma_reg_msgs rdma_reg_read rdma_reg_write rdma_dereg_mr rdma_post_recv rdma_post_recvv "
     "rdma_post_send rdma_post_sendv rdma_post_read rdma_post_readv rdma_post_write "
     "rdma_post_writev rdma_post_ud_send rdma_get_send_comp rdma_get_recv_comp ibv_req_notify_cq "
     "ibv_get_cq_event ibv_ack_cq_events"},
});

template <typename Visit>
void EachFunction(const CallGroup& group, Visit visit) {
  std::string_view rest = group.functions;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(' '));
    visit(name);
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
}

bool OfDatagrams(PortSpace space) { return space == PortSpace::kUdp || space == PortSpace::kIpoib; }

}  // namespace

std::span<const CallGroup> CallGroups() { return kGroups; }

bool LeftOut::Add(std::string_view name) {
  bool known = false;
  for (const CallGroup& group : kGroups) {
    const bool whole = group.name == name;
    known |= whole;
    EachFunction(group, [&](std::string_view function) {
      if (!whole && function != name) return;
      functions_.push_back(function);
      known = true;
    });
  }
  if (!known) return false;
  datagrams_ |= name == kDatagrams;
  synchronous_ |= name == kSynchronous;
  names_.emplace_back(name);
  return true;
}

std::string LeftOut::WhyUnsupported(const Conversation& conversation) const {
  for (const Line& line : conversation.lines) {
    const auto* calls = std::get_if<line::Calls>(&line);
    if (calls == nullptr) continue;
    const std::string_view function = FunctionName(KindOf(calls->call));
    if (std::ranges::find(functions_, function) != functions_.end())
      return fmt::format("the driver leaves out {}", function);
    const auto* create = std::get_if<call::CreateId>(&calls->call);
    if (create == nullptr) continue;
    if (datagrams_ && OfDatagrams(create->space)) return "the driver leaves out datagrams";
    if (synchronous_ && !create->channel.valid())
      return "the driver leaves out ids without a channel";
  }
  return {};
}

}  // namespace cm
