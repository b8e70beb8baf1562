// Synchronous ids.
#include <string>

#include "conformance/properties/counterexamples.h"
#include "conformance/properties/mutate_history.h"

namespace cm::counterexamples {
namespace {

std::string Resolved(std::string_view rest) {
  return Alone(std::string(R"(active rdma_create_id A on=null
active rdma_resolve_addr A src=active:0 dst=passive:7471 timeout_ms=2000
active rdma_resolve_route A timeout_ms=2000
)") + std::string(rest));
}

constexpr std::string_view kReceived = R"(passive rdma_create_id L on=null
passive rdma_bind_addr L addr=passive:7471
passive rdma_listen L backlog=4
active/2 rdma_connect A qp_num=4101
passive rdma_get_request L id=P
passive show-event P
)";

}  // namespace

std::vector<Counterexample> Synchronous() {
  return {
      {"SYNC-1", "a rejected connection is taken for one",
       Resolved("active rdma_create_qp A\nactive rdma_connect A\nactive show-event A\n"),
       "sync-ignores-reject"},
      {"SYNC-1", "nothing is left behind", Resolved("active show-event A\n"), "",
       [](History& h) {
         std::get<seen::Answered>(h.records[Makes(h, CallKind::kShowEvent)].seen).event.reset();
       }},
      {"SYNC-2", "the event of the call before is not acknowledged",
       Resolved("active rdma_destroy_id A\n"), "sync-keeps-events"},
      {"SYNC-3", "the request is of another listener", Resolved(kReceived), "",
       [](History& h) { EventAt(h, Makes(h, CallKind::kShowEvent)).listen_id = IdRef{}; }},
  };
}

}  // namespace cm::counterexamples
