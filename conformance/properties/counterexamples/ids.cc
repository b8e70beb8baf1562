// Ids, events, acknowledgements, addresses and ports.

#include "conformance/properties/counterexamples.h"
#include "conformance/properties/mutate_history.h"

namespace cm::counterexamples {
namespace {

constexpr std::string_view kResolving = R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_resolve_addr A src=active:0 dst=passive:7471
)";

std::string Resolving(std::string_view rest) {
  return Alone(std::string(kResolving) + std::string(rest));
}

// No host answers for the address.
std::string InVain(std::string_view rest) {
  return Alone(std::string(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_resolve_addr A src=active:0 dst=silent:7471 timeout_ms=1000
)") + std::string(rest));
}

// The SA does not answer the route query.
std::string OnSubnet(std::string_view rest) {
  return OnInfiniband(std::string(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_resolve_addr A src=active:0 dst=passive:7471 timeout_ms=2000
active taking C
fault silence-sm side=active
active rdma_resolve_route A timeout_ms=2000
)") + std::string(rest));
}

}  // namespace

std::vector<Counterexample> Lifecycle() {
  return {
      {"LIFE-1", "an event is heard after rdma_destroy_id has returned",
       Resolving("active taking C\nactive rdma_destroy_id A\n"), "",
       [](History& h) {
         HearsAgain(h, Hears(h, EventType::kAddrResolved), Makes(h, CallKind::kDestroyId));
       }},
      {"LIFE-2", "an event without an id", Resolving("active taking C\n"), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kAddrResolved)).id = IdRef{}; }},
      {"LIFE-2", "an event on another id's channel", Connected(""), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kEstablished)).id = Listener(h); }},
      {"LIFE-2", "a listener in an event that is no request", Connected(""), "",
       [](History& h) {
         EventAt(h, Hears(h, EventType::kEstablished, 2)).listen_id = Listener(h);
       }},
      {"LIFE-3", "rdma_destroy_id is refused", Listening("passive rdma_destroy_id L\n"), "",
       [](History& h) {
         ReplyAt(h, Makes(h, CallKind::kDestroyId)) = Reply::Refused(Errno::kInval);
       }},
      {"LIFE-4", "a call does not find its id", Listening(""), "",
       [](History& h) { ReplyAt(h, Makes(h, CallKind::kListen)) = Reply::Refused(Errno::kNoEnt); }},
      {"LIFE-5", "an event stays when its id goes",
       Resolving("settle\nactive rdma_destroy_id A\nactive wait C within=1s\n"),
       "destroy-keeps-events"},
      {"LIFE-6", "rdma_create_id is refused", Listening(""), "",
       [](History& h) {
         ReplyAt(h, Makes(h, CallKind::kCreateId)) = Reply::Refused(Errno::kNoMem);
       }},
      {"LIFE-7", kHappens, Asked("active rdma_destroy_id A\n")},
  };
}

std::vector<Counterexample> Events() {
  return {
      {"EV-1", "REJECTED carries no reason",
       Alone("active connecting A on=C to=passive:7471\nactive taking C\n"), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kRejected)).status = 0; }},
      {"EV-1", "ESTABLISHED carries an errno", Connected(""), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kEstablished)).status = -110; }},
      {"EV-1", "DISCONNECTED carries a reason",
       Connected("active rdma_disconnect A\npassive taking S\n"), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kDisconnected)).status = 28; }},
      {"EV-1", "UNREACHABLE carries a positive errno",
       Alone("fault drop REQ from=active\nactive connecting A on=C to=passive:7471\npass 100s\n"
             "active taking C\n"),
       "unreachable-positive"},
      {"EV-2", "the route is found before the address", Asked(""), "",
       [](History& h) {
         Swaps(h, Hears(h, EventType::kAddrResolved), Hears(h, EventType::kRouteResolved));
       }},
      {"EV-3", "the address is found twice", Resolving("active taking C\n"), "",
       [](History& h) { HearsAgain(h, Hears(h, EventType::kAddrResolved)); }},
      {"EV-4", "the route is found twice", Asked(""), "",
       [](History& h) { HearsAgain(h, Hears(h, EventType::kRouteResolved)); }},
      {"EV-5", "a descriptor that does not wait waits",
       Alone("active rdma_create_event_channel C nonblocking\nactive rdma_get_cm_event C\n"), "",
       [](History& h) { ReplyAt(h, Makes(h, CallKind::kGetCmEvent)) = Reply::Blocked(); }},
      {"EV-5", "a descriptor that waits does not",
       Alone("active rdma_create_event_channel C\nactive rdma_get_cm_event C\n"), "",
       [](History& h) {
         ReplyAt(h, Makes(h, CallKind::kGetCmEvent)) = Reply::Refused(Errno::kAgain);
       }},
      {"EV-6", "a readable channel has nothing", Resolving("active taking C\n"), "",
       [](History& h) { HearsNothing(h, Hears(h, EventType::kAddrResolved)); }},
      {"EV-7", "nothing comes of rdma_resolve_addr",
       Resolving("settle\nactive rdma_get_cm_event C\nactive/2 wait C within=1s\n"), "",
       [](History& h) { HearsNothing(h, Hears(h, EventType::kAddrResolved)); }},
      {"EV-8", kHappens,
       Asked("active rdma_disconnect A\npassive accepting P on=S\nactive taking C\n")},
      {"EV-9", kHappens, Listening(R"(active connecting A on=C to=passive:7471 noqp qp_num=4101
passive accepting P on=S
active taking C
)")},
  };
}

std::vector<Counterexample> Acknowledgement() {
  return {
      {"ACK-1", "rdma_destroy_id does not wait",
       Resolving("active rdma_get_cm_event C as=e\nactive rdma_destroy_id A\n"),
       "destroy-ignores-acks"},
      {"ACK-1", "rdma_destroy_id waits for something else",
       Resolving("active rdma_get_cm_event C as=e\nactive rdma_destroy_id A\n"
                 "active/2 rdma_ack_cm_event e\n"),
       "",
       [](History& h) {
         std::swap(h.records[h.records.size() - 2], h.records[h.records.size() - 1]);
       }},
      {"ACK-2", "rdma_destroy_id waits on",
       Resolving("active rdma_get_cm_event C as=e\nactive rdma_destroy_id A\n"
                 "active/2 rdma_ack_cm_event e\n"),
       "", [](History& h) { h.records.pop_back(); }},
      {"ACK-3", "rdma_ack_cm_event is refused", Resolving("active taking C\n"), "",
       [](History& h) {
         ReplyAt(h, Makes(h, CallKind::kAckCmEvent)) = Reply::Refused(Errno::kInval);
       }},
      {"ACK-4", kHappens, Alone(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_resolve_addr A dst=passive:7471
active rdma_get_cm_event C as=resolved
active rdma_destroy_id A
active/2 rdma_ack_cm_event resolved
)")},
  };
}

std::vector<Counterexample> Addressing() {
  return {
      {"PORT-1", "one address and port is given away twice",
       Listening("passive rdma_create_id M on=S\npassive rdma_bind_addr M addr=passive:7471\n"), "",
       [](History& h) { ReplyAt(h, Makes(h, CallKind::kBindAddr, 2)) = Reply::Returned(); }},
      {"PORT-2", "a port of a wildcard is given away", Alone(R"(passive rdma_create_event_channel S
passive rdma_create_id L on=S
passive rdma_bind_addr L addr=any:7471
passive rdma_create_id M on=S
passive rdma_bind_addr M addr=passive:7471
)"),
       "wildcard-shares-port"},
      {"PORT-3", "a port stays taken",
       Listening("passive rdma_destroy_id L\npassive rdma_create_id M on=S\n"
                 "passive rdma_bind_addr M addr=passive:7471\n"),
       "port-never-freed"},
      {"PORT-3", "a port stays taken that the kernel might draw, and has drawn none",
       Listening("passive rdma_destroy_id L\npassive rdma_create_id M on=S\n"
                 "passive rdma_bind_addr M addr=passive:40000\n"),
       "",
       [](History& h) {
         ReplyAt(h, Makes(h, CallKind::kBindAddr, 2)) = Reply::Refused(Errno::kAddrInUse);
       }},
      {"PORT-4", "an id is bound twice", Listening("passive rdma_bind_addr L addr=passive:7472\n"),
       "", [](History& h) { ReplyAt(h, Makes(h, CallKind::kBindAddr, 2)) = Reply::Returned(); }},
      {"PORT-5", "an id with a destination listens",
       Resolving("active taking C\nactive rdma_listen A\n"), "listen-after-resolve"},
      {"ADDR-1", "an address without a host is found", InVain("active taking C\n"), "",
       [](History& h) {
         CmEvent& event = EventAt(h, Hears(h, EventType::kAddrError));
         event.type = EventType::kAddrResolved;
         event.status = 0;
       }},
      {"ADDR-1", "an address is given up early", InVain("active taking C\n"), "",
       [](History& h) { Hurries(h, Hears(h, EventType::kAddrError), Duration::Milliseconds(1)); }},
      {"ADDR-2", "an address is never given up",
       InVain("pass 5s\nactive rdma_get_cm_event C\nactive/2 wait C within=1s\n"), "",
       [](History& h) { HearsNothing(h, Hears(h, EventType::kAddrError)); }},
      {"ADDR-3", "an address without a route is looked for",
       Alone(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_resolve_addr A dst=unroutable:7471
)"),
       "", [](History& h) { ReplyAt(h, Makes(h, CallKind::kResolveAddr)) = Reply::Returned(); }},
      {"ADDR-5", "a route is given up early", OnSubnet("pass 3s\nactive taking C\n"), "",
       [](History& h) {
         Hurries(h, Hears(h, EventType::kRouteError), Duration::Milliseconds(1500));
       }},
      {"LIS-1", "more wait than the backlog holds", Listening(R"(passive rdma_destroy_id L
passive listening M on=T port=7471 backlog=1
active connecting A on=C to=passive:7471 private="first"
active connecting B on=D to=passive:7471 private="second"
settle
passive rdma_get_cm_event T id=P
passive rdma_get_cm_event T id=Q
)"),
       "backlog-ignored"},
      {"PORT-6", kHappens, Listening(R"(passive rdma_create_id M on=S
passive rdma_bind_addr M addr=passive:7471
)")},
      {"ADDR-4", kHappens, Alone(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_resolve_addr A src=active:0 dst=silent:7471 timeout_ms=100
active taking C
)")},
  };
}

}  // namespace cm::counterexamples
