// Histories of permitted behaviour to which a property once objected: it holds in each. Only the
// property is asked, and its conversation shows the behaviour.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/properties/counterexamples.h"
#include "conformance/properties/registry.h"
#include "conformance/scenarios/on_sim.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

using testing::Contains;
using testing::HasSubstr;

struct PermittedHistory {
  std::vector<std::string_view> properties;
  std::string_view name;
  std::string conversation;
  std::string_view shows;  // part of a record: the behaviour
};

void PrintTo(const PermittedHistory& history, std::ostream* out) { *out << history.name; }

std::string On(std::string_view first, std::string_view rest) {
  return std::string(first) + std::string(rest);
}

constexpr std::string_view kService = R"(passive rdma_create_event_channel S
passive rdma_create_id L on=S ps=RDMA_PS_UDP
passive rdma_bind_addr L addr=passive:7471
passive rdma_listen L backlog=1
)";

// source: rdma-core 44 cma.c ucma_complete
std::string RefusedService() {
  return Alone(On(kService, R"(active rdma_create_id B on=null ps=RDMA_PS_UDP
active rdma_resolve_addr B dst=passive:7471
active rdma_resolve_route B
active/2 rdma_connect B
active rdma_create_id A on=null ps=RDMA_PS_UDP
active rdma_resolve_addr A dst=passive:7471
active rdma_resolve_route A
active rdma_connect A
)"));
}

// source: rdma-core 33 cma.c rdma_get_request
std::string StatusOfGetRequest() {
  return "topology one-kernel-two-devices\nprofile 5.10-rxe\ncapabilities none\n" +
         On(kService, R"(active rdma_create_event_channel C
active rdma_create_id A on=C ps=RDMA_PS_UDP
active rdma_resolve_addr A dst=passive:7471
active taking C
active rdma_resolve_route A
active taking C
active rdma_connect A
passive taking S id=P
passive rdma_reject P
settle
active rdma_migrate_id A to=null
active rdma_get_request A id=N
)");
}

// source: linux 6.1 cma.c cma_sidr_rep_handler
std::string RefusedByTester(std::string_view status) {
  return On(R"(topology tester
profile 6.1-rxe
capabilities tester
active rdma_create_event_channel C
active rdma_create_id A on=C ps=RDMA_PS_UDP
active rdma_resolve_addr A dst=tester:7471
active taking C
active rdma_resolve_route A
active taking C
active rdma_connect A
tester sends SIDR_REP to=active remote=A status=)",
            status) +
         "\nactive taking C\n";
}

// source: rdma-core 44 cma.c ucma_free_id, ucma_process_conn_req
std::string ListenerWaitsForChild() {
  return Alone(R"(passive rdma_create_id L on=null
passive rdma_bind_addr L addr=passive:7471
passive rdma_listen L
active connecting A on=C to=passive:7471
passive rdma_get_request L id=P
passive/2 rdma_destroy_id L
)");
}

// The queue pair of A is in the error state when the REP comes. source: rdma-core 44 cma.c
// ucma_process_conn_resp, rdma_get_cm_event
std::string ConnectError(std::string_view rest) {
  return Listening(On(R"(active rdma_create_event_channel D nonblocking
active connecting A on=C to=passive:7471
active rdma_disconnect A
)",
                      rest));
}

std::string DroppedOnAnotherChannel() {
  return ConnectError(R"(passive taking S id=P
passive rdma_accept P qp_num=99
active taking C
active rdma_migrate_id A to=D
passive rdma_reject P
active wait D within=1s
active rdma_get_cm_event D
)");
}

std::string DroppedOfOneThatWasSynchronous() {
  return ConnectError(R"(active rdma_migrate_id A to=null
passive taking S id=P
passive rdma_accept P qp_num=99
settle
active rdma_disconnect A
active rdma_migrate_id A to=D
passive rdma_reject P
active wait D within=1s
active rdma_get_cm_event D
)");
}

std::string TimewaitAfterConnectError() {
  return ConnectError(R"(passive taking S id=P
passive rdma_accept P qp_num=99
active taking C
active rdma_destroy_qp A
active rdma_establish A
passive taking S
passive rdma_disconnect P
settle
active rdma_disconnect A
pass 5s
active rdma_get_cm_event C
)");
}

// A call on A returns DISCONNECTED.
std::string TimewaitOfOneThatWasSynchronous() {
  return Connected(R"(active rdma_migrate_id A to=null
passive rdma_disconnect P
settle
active rdma_disconnect A
active rdma_migrate_id A to=C
pass 5s
active rdma_get_cm_event C
)");
}

// source: linux 6.1 cma.c addr_handler
std::string ResolvedTwice() {
  return R"(topology two-kernels
profile 6.1-rxe
capabilities none
active rdma_create_event_channel C
active rdma_create_event_channel D
active rdma_create_id A on=C
active rdma_bind_addr A addr=loopback:0
active rdma_resolve_addr A dst=active:5
active taking C
active rdma_resolve_addr A dst=active:5
settle
active taking C
active rdma_migrate_id A to=D
active wait D within=1s
)";
}

// source: linux 6.1 cma.c cma_query_handler, rdma_join_multicast
std::string JoinedWithoutRoute(std::string_view channel, std::string_view rest) {
  return OnInfiniband(
      On("active rdma_create_event_channel C\nactive rdma_create_id A on=", channel) +
      " ps=RDMA_PS_UDP\n" + std::string(rest) +
      "heal\nactive rdma_join_multicast A addr=group1:0\n");
}

constexpr std::string_view kRouteError = R"(active rdma_resolve_addr A src=active:0 dst=passive:5
active taking C
fault silence-sm side=active
active rdma_resolve_route A timeout_ms=500
)";

constexpr std::string_view kRouteErrorOfCall =
    R"(active rdma_resolve_addr A src=active:0 dst=passive:5
fault silence-sm side=active
active rdma_resolve_route A timeout_ms=500
pass 5s
)";

// source: linux 6.1 addr.c addr_resolve
std::string EndpointWithInterface() {
  return Alone(R"(active rdma_create_event_channel C
active rdma_create_ep A src=active:7000 passive
active rdma_migrate_id A to=C
active rdma_resolve_addr A dst=unroutable:5
)");
}

// source: linux 6.1 cma.c cma_alloc_any_port, cma_check_port
std::string DrawnPort(std::string_view draws) {
  return Alone(On("active rdma_create_event_channel C\nactive rdma_create_id A on=C\n", draws) +
               "settle\nactive rdma_create_id B on=C\n"
               "active rdma_bind_addr B addr=active:32768\n");
}

// source: rdma-core 44 cma.c rdma_disconnect, ucma_complete
std::string RefusalMetByDisconnect() {
  return Alone(On(kService, R"(active rdma_create_event_channel C
active rdma_create_id A on=C ps=RDMA_PS_UDP
active rdma_resolve_addr A dst=passive:7471
active taking C
active rdma_resolve_route A
active taking C
active rdma_connect A
active rdma_migrate_id A to=null
passive taking S id=P
passive rdma_reject P
settle
active rdma_disconnect A
)"));
}

// The second request arrives after the first was fetched. source: linux 6.1 ucma.c ucma_get_event
std::string RequestsOneByOne() {
  return Alone(R"(passive listening L on=S port=7471 backlog=1
active resolving A on=C to=passive:7471
active resolving B on=D to=passive:7471
active rdma_connect A qp_num=4
pass 5us
active rdma_connect B qp_num=5
passive rdma_get_cm_event S id=P
passive rdma_get_cm_event S id=Q
)");
}

// source: linux 6.1 cma.c addr_handler
std::string ResolvedElsewhere() {
  return R"(topology two-kernels
profile 6.1-rxe
capabilities none
passive listening L on=S port=7471
active rdma_create_event_channel C
active rdma_create_id A on=C
fault neighbour-expires side=active
fault link-down side=passive
active rdma_resolve_addr A dst=passive:9999 timeout_ms=100
active taking C
fault link-up side=passive
active rdma_resolve_addr A dst=passive:7471
active taking C
active rdma_resolve_route A
active taking C
active rdma_connect A qp_num=4
passive taking S id=P
passive rdma_reject P
active taking C
)";
}

// source: rdma-core 44 cma.c rdma_join_multicast2, ucma_complete
std::string JoinedWhileSynchronous() {
  return Alone(R"(active rdma_create_event_channel C
active rdma_create_id A on=C ps=RDMA_PS_UDP
active rdma_bind_addr A addr=active:0
active rdma_migrate_id A to=null
active rdma_join_multicast A addr=group1:0 context=1
active rdma_migrate_id A to=C
active rdma_join_multicast A addr=group2:0 context=2
active taking C
)");
}

// The path migrates before the passive end has fetched ESTABLISHED. source: linux 6.1 cm.c
// cm_migrate
std::string MigratedEarly(std::string_view ends) {
  return Asked(On(R"(passive accepting P on=S
active taking C
settle
active rdma_notify A event=6
passive taking S
)",
                  ends) +
               "settle\npassive wait S within=1s\n");
}

// source: rdma-core 44 cma.c rdma_get_request
std::string ServiceOfEndpoint() {
  return Alone(R"(passive rdma_create_ep L src=passive:7471 passive qp ps=RDMA_PS_UDP
passive rdma_listen L
active rdma_create_event_channel C
active rdma_create_id A on=C ps=RDMA_PS_UDP
active rdma_resolve_addr A dst=passive:7471
active taking C
active rdma_resolve_route A
active taking C
active rdma_connect A
passive rdma_get_request L id=P
passive rdma_accept P
active taking C
)");
}

// source: rdma-core 44 cma.c rdma_create_qp_ex, init_ece
std::string OptionsOfRefusedQp() {
  return Listening(R"(active resolving A on=C to=passive:7471
active rdma_set_local_ece A vendor_id=7 options=9
active rdma_create_qp A type=UD
active rdma_connect A qp_num=50
passive taking S id=P
passive rdma_get_remote_ece P
)");
}

// source: rdma-core 65 cma.c rdma_write_cm_event, ucma_complete
std::string WrittenBeforeConnect() {
  return OnLater(R"(passive listening L on=S port=7471
active rdma_create_event_channel C
active rdma_create_id A on=null
active rdma_resolve_addr A dst=passive:7471
active rdma_resolve_route A
active rdma_create_qp A
active rdma_write_cm_event A status=-5
active rdma_connect A
passive accepting P on=S
active rdma_migrate_id A to=C
active taking C
passive taking S
passive rdma_disconnect P
active taking C
)");
}

std::string WrittenBeforeResolution() {
  return OnLater(R"(active rdma_create_id A on=null
active rdma_write_cm_event A status=-2
active rdma_resolve_addr A dst=passive:7471
)");
}

// source: observed 6.12-rxe 73-link_down_when_resolving
std::string KeptByLink() {
  return R"(topology two-kernels
profile 6.12-rxe
capabilities none
passive listening L on=S port=7471
active resolving A on=C to=passive:7471
fault link-down side=active
active rdma_connect A qp_num=4
active wait C within=3000s
)";
}

// source: linux 6.1 siw_cm.c siw_connect
std::string RefusedByTcp() {
  return R"(topology one-kernel-two-devices
profile 6.1-siw
capabilities none
active rdma_create_id A on=null
active rdma_resolve_addr A dst=passive:7471
active rdma_resolve_route A
active rdma_create_qp A
active rdma_connect A
active rdma_init_qp_attr A state=4
)";
}

// source: linux 6.1 cm.c cm_init_av_by_path, cache.c ib_find_cached_pkey
std::string OverOwnPath() {
  return Listening(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_resolve_addr A dst=passive:7471
active taking C
active rdma_set_option A option=IB_PATH value=43 length=72
active taking C
active rdma_connect A qp_num=4
)");
}

// Of calls that wait, and of what they leave behind.
std::vector<PermittedHistory> OfCallsThatWait() {
  return {
      {{"LIFE-4"}, "RefusalMetByDisconnect", RefusalMetByDisconnect(), "disconnect A -> -1 ENOENT"},
      {{"MC-1", "MC-2"}, "JoinedWhileSynchronous", JoinedWhileSynchronous(), "context=2"},
      {{"UD-3"}, "ServiceOfEndpoint", ServiceOfEndpoint(), "ESTABLISHED id=A qp_num="},
      {{"EST-2", "EST-3", "EST-9", "DIS-2"},
       "WrittenBeforeConnect",
       WrittenBeforeConnect(),
       "rdma_connect A -> -1 EIO"},
      {{"LIFE-4"}, "WrittenBeforeResolution", WrittenBeforeResolution(), "-> -1 ENOENT"},
      {{"ATTR-1"}, "RefusedByTcp", RefusedByTcp(), "mask=0x29"},
  };
}

std::vector<PermittedHistory> OfConnections() {
  return {
      {{"LIS-1"}, "RequestsOneByOne", RequestsOneByOne(), "CONNECT_REQUEST id=Q"},
      {{"REJ-1"}, "ResolvedElsewhere", ResolvedElsewhere(), "REJECTED id=A status=28"},
      {{"DIS-4"},
       "MigratedThenDisconnected",
       MigratedEarly("active rdma_disconnect A\n"),
       "passive wait S within=1s -> quiet"},
      {{"DIS-5"},
       "MigratedThenExited",
       MigratedEarly("fault exit side=active\n"),
       "passive wait S within=1s -> quiet"},
      {{"ECE-2"}, "OptionsOfRefusedQp", OptionsOfRefusedQp(), "vendor_id=0 options=0"},
      {{"EST-12"}, "KeptByLink", KeptByLink(), "active wait C within=3000s -> quiet"},
      {{"LIFE-4", "EST-8", "EST-9"}, "OverOwnPath", OverOwnPath(), "qp_num=4 -> -1 ENOENT"},
  };
}

std::vector<PermittedHistory> OfIds() {
  return {
      {{"LIFE-4", "EST-9"}, "RefusedService", RefusedService(), "rdma_connect A -> -1 ENOENT"},
      {{"LIFE-4"}, "StatusOfGetRequest", StatusOfGetRequest(), "id=N -> -1 ENOENT"},
      {{"EV-1", "UD-1"}, "TestersStatus3", RefusedByTester("3"), "UNREACHABLE id=A status=3"},
      {{"EV-1", "UD-1"}, "TestersStatus5", RefusedByTester("5"), "UNREACHABLE id=A status=5"},
      {{"ACK-2"}, "ListenerWaits", ListenerWaitsForChild(), "rdma_destroy_id L -> blocked"},
      {{"EV-6"}, "DroppedOnAnotherChannel", DroppedOnAnotherChannel(), "-> -1 EAGAIN"},
      {{"EV-6"}, "DroppedOfSynchronous", DroppedOfOneThatWasSynchronous(), "-> -1 EAGAIN"},
      {{"TW-1"}, "TimewaitAfterConnectError", TimewaitAfterConnectError(), "TIMEWAIT_EXIT id=A"},
      {{"TW-1"}, "TimewaitOfSynchronous", TimewaitOfOneThatWasSynchronous(), "TIMEWAIT_EXIT id=A"},
      {{"MIG-4"}, "ResolvedTwice", ResolvedTwice(), "as=e2 -> 0  event RDMA_CM_EVENT_ADDR_ERROR"},
      {{"MC-6"},
       "RouteError",
       JoinedWithoutRoute("C", On(kRouteError, "active taking C\n")),
       "addr=group1:0 -> 0"},
      {{"MC-6"},
       "UnreadRouteError",
       JoinedWithoutRoute("C", On(kRouteError, "pass 5s\n")),
       "addr=group1:0 -> 0"},
      {{"MC-6"},
       "RouteErrorOfCall",
       JoinedWithoutRoute("null", kRouteErrorOfCall),
       "addr=group1:0 -> 0"},
      {{"ADDR-3"},
       "EndpointWithInterface",
       EndpointWithInterface(),
       "dst=unroutable:5 timeout_ms=2000 -> 0"},
      {{"PORT-3"},
       "PortDrawnByBind",
       DrawnPort("active rdma_bind_addr A addr=active:0\n"),
       "addr=active:32768 -> -1 EADDRINUSE"},
      {{"PORT-3"},
       "PortDrawnByResolution",
       DrawnPort("active rdma_resolve_addr A src=active:0 dst=passive:1\n"),
       "addr=active:32768 -> -1 EADDRINUSE"},
  };
}

std::vector<PermittedHistory> Histories() {
  std::vector<PermittedHistory> all = OfIds();
  std::ranges::move(OfCallsThatWait(), std::back_inserter(all));
  std::ranges::move(OfConnections(), std::back_inserter(all));
  return all;
}

class Permitted : public testing::TestWithParam<PermittedHistory> {};

TEST_P(Permitted, BehaviourIsNotObjectedTo) {
  const History history = OnSim(ConversationOf(GetParam().conversation));
  std::vector<std::string> records;
  for (const Record& record : history.records)
    records.push_back(ToString(record, history.conversation));
  EXPECT_THAT(records, Contains(HasSubstr(std::string(GetParam().shows))));
  const HistoryIndex index(history, ProfileOf(history.conversation));
  for (const std::string_view id : GetParam().properties) {
    PropertyResult result;
    FindProperty(id)->check(index, result);
    for (const Violation& violation : result.violations())
      ADD_FAILURE() << id << " saw " << violation.saw << ", permitted " << violation.permitted;
  }
}

INSTANTIATE_TEST_SUITE_P(Histories, Permitted, testing::ValuesIn(Histories()),
                         [](const auto& history) { return std::string(history.param.name); });

}  // namespace
}  // namespace cm
