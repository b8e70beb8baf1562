// Data transfer: the bytes, and the work requests.
#include "conformance/properties/counterexamples.h"

namespace cm::counterexamples {
namespace {

// A and P are connected, and have regions.
std::string Joined(std::string_view rest) {
  return Connected(std::string(R"(active rdma_reg_msgs a id=A length=64
active rdma_reg_write aw id=A length=64
passive rdma_reg_msgs p id=P length=64
passive rdma_reg_write pw id=P length=64
passive rdma_reg_read pr id=P length=64
)") + std::string(rest));
}

}  // namespace

std::vector<Counterexample> Data() {
  return {
      {"DATA-1", "a byte of a message is altered",
       Joined(R"(passive rdma_post_recv P context=1 sge=p:0+16
active rdma_post_send A context=2 sge=a:0+16
passive rdma_get_recv_comp P
)"),
       "send-corrupts"},
      {"DATA-2", "completions come in another order",
       Joined(R"(active rdma_post_write A context=1 sge=a:0+8 remote=pw:0
active rdma_post_write A context=2 sge=a:8+8 remote=pw:8
settle
active rdma_get_send_comp A
active rdma_get_send_comp A
)"),
       "completions-reversed"},
      {"DATA-2", "receives are met in another order",
       Joined(R"(passive rdma_post_recv P context=1 sge=p:0+16
passive rdma_post_recv P context=2 sge=p:16+16
active rdma_post_send A context=3 sge=a:0+16
passive rdma_get_recv_comp P
)"),
       "receives-reversed"},
      {"DATA-3", "a receive is not flushed", Joined(R"(passive rdma_post_recv P context=1 sge=p:0+16
passive rdma_disconnect P
passive rdma_get_recv_comp P
)"),
       "flush-forgets-receives"},
      {"DATA-4", "a request is flushed twice", Joined(R"(active rdma_disconnect A
active rdma_post_send A context=3 sge=a:0+16
active rdma_get_send_comp A
active/2 rdma_get_send_comp A
)"),
       "flush-twice"},
      {"DATA-5", "a write changes the byte behind its range",
       Joined(R"(active rdma_post_write A context=1 sge=a:0+8 remote=pw:0
active rdma_get_send_comp A
passive rdma_dereg_mr pw
)"),
       "write-beyond"},
      {"DATA-5", "a write changes what allows none",
       Joined(R"(active rdma_post_write A context=1 sge=a:0+8 remote=pr:0
active rdma_get_send_comp A
passive rdma_dereg_mr pr
)"),
       "write-ignores-key"},
      {"DATA-6", "a queue that was armed once reports two completions",
       Joined(R"(active ibv_req_notify_cq A
active rdma_post_write A context=1 sge=a:0+8 remote=pw:0
active rdma_post_write A context=2 sge=a:8+8 remote=pw:8
settle
active ibv_get_cq_event A
active ibv_get_cq_event A
)"),
       "cq-stays-armed"},
  };
}

}  // namespace cm::counterexamples
