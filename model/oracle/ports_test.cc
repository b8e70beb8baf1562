// Ports and families: what an id has after a call that was refused, and ports that the kernel
// draws.
#include <gtest/gtest.h>

#include <string>

#include "model/oracle/told.h"

namespace cm::model {
namespace {

// The kernel binds the id before it looks for the route. source: linux 6.1 cma.c
// resolve_prepare_src
TEST(ASynchronousCall, HasTakenItsPortWhereItIsRefused) {
  const Told refused = {
      "active rdma_create_event_channel C -> 0", "active rdma_create_id A on=null -> 0",
      "active rdma_create_id B on=C -> 0",
      "active rdma_resolve_addr A src=active:7000 dst=passive.v6:1 timeout_ms=2000 -> -1 EINVAL"};
  const std::string binds = "active rdma_bind_addr B addr=active:7000 -> ";
  ExpectPermitted(refused + Told{binds + "-1 EADDRINUSE"});
  RefusalOfTheLast(refused + Told{binds + "0"});
}

TEST(ASynchronousCall, HasTakenItsFamilyWhereItIsRefused) {
  const Told refused = {
      "active rdma_create_id A on=null -> 0",
      "active rdma_resolve_addr A dst=unroutable.v6:1 timeout_ms=2000 -> -1 ENETUNREACH"};
  const std::string again = "active rdma_resolve_addr A dst=foreign.v6:1 timeout_ms=2000 -> ";
  ExpectPermitted(refused + Told{again + "-1 ENETUNREACH"});
  RefusalOfTheLast(refused + Told{again + "-1 EINVAL"});
}

// Which port the kernel draws is open, and another id may ask for the same.
TEST(ADrawnPort, MayBeTheOneThatAnotherIdAsksFor) {
  const Told drawn = {
      "active rdma_create_event_channel C -> 0", "active rdma_create_id A on=C -> 0",
      "active rdma_bind_addr A addr=active:0 -> 0", "active rdma_create_id B on=C -> 0"};
  const auto binds = [](const std::string& address, const std::string& reply) {
    return Told{"active rdma_bind_addr B addr=" + address + " -> " + reply};
  };
  for (const std::string address : {"active:32768", "any:32768"})
    ExpectPermitted(drawn + binds(address, "0"));
  ExpectPermitted(drawn + binds("active:32768", "-1 EADDRINUSE"));
  ExpectPermitted(drawn + binds("any:32768", "-1 EADDRNOTAVAIL"));
  RefusalOfTheLast(drawn + binds("active:32768", "-1 EADDRNOTAVAIL"));
  RefusalOfTheLast(drawn + binds("active:7000", "-1 EADDRINUSE"));
  const Told destroyed = {"active rdma_destroy_id A -> 0"};
  RefusalOfTheLast(drawn + destroyed + binds("active:32768", "-1 EADDRINUSE"));
}

// Of the same range, but asked for.
TEST(APortOfTheRange, IsTheOneThatWasAskedFor) {
  const auto binds = [](const std::string& port) {
    return kIdle + Told{"active rdma_bind_addr A addr=active:" + port + " -> 0"};
  };
  const auto shows = [](const std::string& port) {
    return Told{"active show A -> 0  device=rxe0 port_num=1 src=active:" + port +
                " dst=any:0 num_paths=0 qp=none"};
  };
  const auto says = [](const std::string& port) {
    return Told{"active rdma_get_src_port A -> 0  port=" + port};
  };
  ExpectPermitted(binds("40000") + shows("40000") + says("40000"));
  RefusalOfTheLast(binds("40000") + shows("40001"));
  RefusalOfTheLast(binds("40000") + says("50000"));
  ExpectPermitted(binds("0") + shows("40000") + says("40000"));
  RefusalOfTheLast(binds("0") + says("7000"));
}

}  // namespace
}  // namespace cm::model
