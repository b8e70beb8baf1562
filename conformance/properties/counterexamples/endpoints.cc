// Endpoints, and lookups for them.
#include <string>

#include "conformance/properties/counterexamples.h"
#include "conformance/properties/mutate_history.h"

namespace cm::counterexamples {
namespace {

std::string Failed(std::string_view rest) {
  return Alone(std::string("active rdma_create_ep F src=active:7472 dst=silent:7471\n") +
               std::string(rest));
}

constexpr std::string_view kServed = R"(passive rdma_create_ep L src=passive:7471 passive qp
passive rdma_listen L backlog=4
active rdma_create_ep A dst=passive:7471 qp
active/2 rdma_connect A
passive rdma_get_request L id=P
passive show P
)";

}  // namespace

std::vector<Counterexample> Endpoints() {
  return {
      {"EP-1", "the queue pair is not there",
       Alone("active rdma_create_ep A dst=passive:7471 qp\nactive show A\n"), "",
       [](History& h) {
         std::get<seen::Answered>(h.records[Makes(h, CallKind::kShow)].seen).shown->qp.reset();
       }},
      {"EP-2", "the attributes are forgotten", Alone(kServed), "ep-forgets-qps"},
      {"EP-3", "the port is kept",
       Failed("settle\npass 3s\nactive rdma_create_ep B src=active:7472 passive\n"), "ep-leaks"},
      {"INFO-1", "the service is forgotten",
       Alone("active rdma_getaddrinfo I node=passive service=7471\n"), "addrinfo-drops-service"},
      {"DEV-1", "a device that is gone is named", Alone(R"(active rdma_get_devices D
fault remove-device side=passive
settle
active rdma_get_devices E
)"),
       "devices-cached"},
  };
}

}  // namespace cm::counterexamples
