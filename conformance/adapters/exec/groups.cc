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

bool Includes(const CallGroup& group, std::string_view function) {
  const std::string_view all = group.functions;
  for (size_t at = all.find(function); at != all.npos; at = all.find(function, at + 1)) {
    const size_t end = at + function.size();
    if ((at == 0 || all[at - 1] == ' ') && (end == all.size() || all[end] == ' ')) return true;
  }
  return false;
}

// The group of a function that can be left out; null for others.
const CallGroup* GroupOf(std::string_view function) {
  const auto* const group =
      std::ranges::find_if(kGroups, [&](const CallGroup& one) { return Includes(one, function); });
  return group == kGroups.end() ? nullptr : group;
}

bool OfDatagrams(PortSpace space) { return space == PortSpace::kUdp || space == PortSpace::kIpoib; }

}  // namespace

std::span<const CallGroup> CallGroups() { return kGroups; }

bool LeftOut::Add(std::string_view name) {
  const bool known = GroupOf(name) != nullptr ||
                     std::ranges::find(kGroups, name, &CallGroup::name) != kGroups.end();
  if (known) names_.emplace_back(name);
  return known;
}

bool LeftOut::Has(std::string_view name) const {
  return std::ranges::find(names_, name) != names_.end();
}

std::string LeftOut::WhyUnsupported(const Conversation& conversation) const {
  for (const Line& line : conversation.lines) {
    const auto* calls = std::get_if<line::Calls>(&line);
    if (calls == nullptr) continue;
    const std::string_view function = FunctionName(KindOf(calls->call));
    const CallGroup* const group = GroupOf(function);
    std::string_view needed;
    if (group != nullptr) needed = Has(group->name) ? group->name : function;
    if (const auto* create = std::get_if<call::CreateId>(&calls->call)) {
      if (!create->channel.valid()) needed = kSynchronous;
      if (OfDatagrams(create->space)) needed = kDatagrams;
    }
    if (!needed.empty() && Has(needed)) return fmt::format("the driver leaves out {}", needed);
  }
  return {};
}

}  // namespace cm
