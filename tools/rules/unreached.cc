#include "tools/rules/unreached.h"

#include <algorithm>
#include <array>

namespace cm::ruledoc {
namespace {

constexpr auto kUnreached = std::to_array<Unreached>({
    {"join-multicast-9 join-multicast-ex-11 group-2",
     "no fault takes the GID of an address from an interface that keeps its device, and where "
     "a link is down it stays"},
    {"ib-req-2 sidr-req-2",
     "rdma_cm makes an identifier of the IB CM for each rdma_connect, which is idle then"},
    {"ib-unsent-6",
     "rdma_reject looks for something to reject before it finds that nothing can be sent"},
    {"ib-unknown-3",
     "a reply for an id that is gone is looked up as the first one and then as a repeated "
     "one, and neither finds an id: all of it is `ib-unknown-2`"},
    {"iw-connect-2",
     "rdma_cm makes an identifier of the iWARP CM for each rdma_connect, which is idle then"},
    {"tcp-connect-3 tcp-connect-4",
     "an address of no host is never resolved, so that only a link, a neighbour or a bond"
     " that changes after it was cuts one side off; the profile has none of them, since TCP"
     " over them was never recorded"},
    {"iw-destroy-ep-1",
     "over iWARP only who has a queue pair can await a reply, and rdma_destroy_ep destroys "
     "that first, which is not judged then"},
    {"iw-report-4 fetch-29 iw-reply-3 iw-reply-4",
     "a reply comes in vain where the queue pair was destroyed meanwhile, which waits for the "
     "reply, unless a refused answer has ended the wait: that answer is not made, since a destroy "
     "of the id would stop the kernel"},
    {"resolve-addrinfo-8 write-cm-event-2",
     "no profile has librdmacm 65 on a kernel without the commands that it needs"},
    {"request-6 request-7 request-8 request-9 sidr-request-5 mad-1 mad-2 mad-3 mad-4 mad-5 mad-6 "
     "ib-rej-moved-1 ib-rep-known-1 ib-dreq-received-5 ib-dreq-received-6 ib-lap-1 ib-lap-2 "
     "ib-lap-3 ib-apr-1 "
     "sidr-other-key-1 sidr-other-key-2 sidr-report-4",
     "no connection manager sends such a message: a tester does, in the conversations of "
     "`conformance/scenarios/protocol/tester`, and no walk draws one"},
    {"mad-7", "all that is sent is taken, and so nothing shows it"},
    {"accept-13 qp-up-4",
     "no walk draws a depth beyond the device's for what it accepts outside of RDMA_PS_TCP; "
     "`refusals/depth_beyond_the_queue_pair` does"},
    {"sidr-attr-1",
     "no walk asks for the attributes of a datagram; `attributes/of_a_datagram_listener` does"},
    {"sync-8 sync-9", "a listener hears of nothing that was refused, or that failed"},
});

bool HasId(std::string_view ids, std::string_view id) {
  while (!ids.empty()) {
    const size_t end = std::min(ids.find(' '), ids.size());
    if (ids.substr(0, end) == id) return true;
    ids.remove_prefix(std::min(end + 1, ids.size()));
  }
  return false;
}

}  // namespace

std::span<const Unreached> UnreachedRows() { return kUnreached; }

std::string_view WhyNotSimulated(model::RuleNumber row) {
  const model::RuleInfo& info = model::InfoOf(row);
  if (info.crashes) return "the real library crashes, or may: drawn only where that is asked for";
  for (const Unreached& entry : kUnreached)
    if (HasId(entry.rows, info.id)) return entry.why;
  return {};
}

}  // namespace cm::ruledoc
