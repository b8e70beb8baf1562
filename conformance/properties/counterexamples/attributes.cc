// Attributes for queue pairs, rdma_notify, ECE options, ports.
#include "conformance/properties/counterexamples.h"
#include "conformance/properties/mutate_history.h"

namespace cm::counterexamples {
namespace {

Output& OutputAt(History& history, size_t record) {
  return *std::get<seen::Answered>(history.records[record].seen).output;
}

}  // namespace

std::vector<Counterexample> Attributes() {
  return {
      {"ATTR-1", "the attributes are those for another state",
       Connected("active rdma_init_qp_attr A state=2\n"), "",
       [](History& h) {
         OutputAt(h, Makes(h, CallKind::kInitQpAttr)) = QpAttrs{.mask = 0x39, .state = 2};
       }},
      {"ATTR-1", "there are attributes for ERR", Asked("active rdma_init_qp_attr A state=1\n"), "",
       [](History& h) {
         const size_t at = Makes(h, CallKind::kInitQpAttr);
         OutputAt(h, at) = QpAttrs{.mask = 0x39, .state = 6};
       }},
      {"ATTR-2", "there are attributes for a connection that is over",
       Connected(R"(active rdma_disconnect A
passive taking S
passive rdma_disconnect P
active taking C
active rdma_init_qp_attr A state=1
)"),
       "attrs-in-timewait"},
      {"NOT-1", "RTU is reported once more", Asked(R"(passive accepting P on=S
passive rdma_notify P
active taking C
settle
passive taking S
passive rdma_get_cm_event S
passive/2 wait S within=1s
)"),
       "notice-doubled"},
      {"NOT-1", "nothing comes of a notice", Asked(R"(passive accepting P on=S
passive rdma_notify P
settle
passive rdma_get_cm_event S
passive/2 wait S within=1s
)"),
       "", [](History& h) { HearsNothing(h, Hears(h, EventType::kEstablished)); }},
      {"ECE-1", "options are taken although there is a queue pair",
       Asked("active rdma_set_local_ece A vendor_id=713 options=1\n"), "ece-over-qp"},
      {"ECE-2", "the options are lost", Listening(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_resolve_addr A dst=passive:7471
active taking C
active rdma_resolve_route A
active taking C
active rdma_set_local_ece A vendor_id=713 options=5
active rdma_connect A qp_num=4101
passive taking S id=P
passive rdma_get_remote_ece P
)"),
       "", [](History& h) { OutputAt(h, Makes(h, CallKind::kGetRemoteEce)) = EceOptions{}; }},
      {"PORT-7", "a port is not that of the address",
       Listening("passive rdma_get_src_port L\npassive show L\n"), "",
       [](History& h) { OutputAt(h, Makes(h, CallKind::kGetSrcPort)) = PortOutput{7472}; }},
      {"REJ-9", "a refusal for the options says otherwise",
       Asked("passive taking S id=P\npassive rdma_reject_ece P\nactive taking C\n"),
       "reject-ece-is-consumer"},
      {"NOT-2", kHappens, Asked("passive accepting P on=S\npassive rdma_notify P\n")},
  };
}

}  // namespace cm::counterexamples
