// Multicast groups.
#include "conformance/properties/counterexamples.h"
#include "conformance/properties/mutate_history.h"

namespace cm::counterexamples {
namespace {

// A is in a group.
std::string Member(std::string_view rest) {
  return Alone(std::string(R"(active rdma_create_event_channel C
active rdma_create_id A on=C ps=RDMA_PS_UDP
active rdma_bind_addr A addr=active:0
active rdma_join_multicast A addr=group1:0 context=5
)") + std::string(rest));
}

// The SA is silent first: only the second rdma_resolve_route finds the route. A is in group1.
std::string RouteAtLast() {
  return OnInfiniband(R"(active rdma_create_event_channel C
active rdma_create_id A on=C ps=RDMA_PS_UDP
active rdma_resolve_addr A src=active:0 dst=passive:7471
active taking C
active rdma_join_multicast A addr=group1:0
active taking C
fault silence-sm side=active
active rdma_resolve_route A timeout_ms=500
active taking C
heal
active rdma_resolve_route A
active taking C
active rdma_join_multicast A addr=group2:0
)");
}

}  // namespace

std::vector<Counterexample> Multicast() {
  return {
      {"MC-1", "a membership is reported twice",
       Member("settle\nactive taking C\nactive rdma_get_cm_event C\n"), "join-reported-twice"},
      {"MC-1", "a membership is reported after it was left",
       Member(R"(active rdma_join_multicast A addr=group2:0
settle
active rdma_leave_multicast A addr=group2:0
active taking C
active rdma_get_cm_event C
)"),
       "leave-keeps-events"},
      {"MC-2", "a group has no queue pair", Member("active taking C\n"), "group-without-qp-number"},
      {"MC-2", "another group is reported", Member("active taking C\n"), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kMulticastJoin)).group.group = 2; }},
      {"MC-2", "the context is lost", Member("active taking C\n"), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kMulticastJoin)).context = 0; }},
      {"MC-2", "the context is lost, and another join was synchronous",
       Alone(R"(active rdma_create_event_channel C
active rdma_create_id A on=C ps=RDMA_PS_UDP
active rdma_bind_addr A addr=active:0
active rdma_migrate_id A to=null
active rdma_join_multicast A addr=group1:0 context=1
active rdma_migrate_id A to=C
active rdma_join_multicast A addr=group2:0 context=2
active taking C
)"),
       "", [](History& h) { EventAt(h, Hears(h, EventType::kMulticastJoin)).context = 0; }},
      {"MC-3", "a join is not reported",
       Member("settle\nactive rdma_get_cm_event C\nactive/2 wait C within=1s\n"), "",
       [](History& h) { HearsNothing(h, Hears(h, EventType::kMulticastJoin)); }},
      {"MC-4", "a group is left that was never joined",
       Member("active rdma_leave_multicast A addr=group2:0\n"), "leave-unknown-group"},
      {"MC-4", "a group is not left that was joined",
       Member("active rdma_leave_multicast A addr=group1:0\n"), "",
       [](History& h) {
         ReplyAt(h, Makes(h, CallKind::kLeaveMulticast)) = Reply::Refused(Errno::kAddrNotAvail);
       }},
      {"MC-5", "a group is left with its event in hand",
       Member("active rdma_get_cm_event C\nactive rdma_leave_multicast A addr=group1:0\n"),
       "leave-ignores-acks"},
      {"MC-6", "a group is joined by an id that has its route", Member(R"(active taking C
active rdma_resolve_addr A dst=passive:7471
active taking C
active rdma_resolve_route A
active taking C
active rdma_join_multicast A addr=group2:0
)"),
       "join-with-route"},
      {"MC-6", "a group is joined by an id that has found its route at last", RouteAtLast(), "",
       [](History& h) { ReplyAt(h, Makes(h, CallKind::kJoinMulticast, 2)) = Reply::Returned(); }},
      {"MC-7", kHappens, Member("active taking C\n")},
  };
}

}  // namespace cm::counterexamples
