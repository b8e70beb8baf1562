// From rdma_connect to the end of timewait.
#include "conformance/properties/counterexamples.h"
#include "conformance/properties/mutate_history.h"

namespace cm::counterexamples {
namespace {

// P rejects; A has not fetched the event yet.
std::string Refused(std::string_view rest) {
  return Asked(std::string("passive taking S id=P\npassive rdma_reject P private=\"full\"\n") +
               std::string(rest));
}

// A disconnects, P answers, and both reach the end of timewait.
std::string Ended() {
  return Connected(R"(active rdma_disconnect A
passive taking S
passive rdma_disconnect P
active taking C
pass 3s
active taking C
passive taking S
)");
}

}  // namespace

std::vector<Counterexample> Establishment() {
  return {
      {"EST-1", "ESTABLISHED comes twice", Connected("passive wait S within=1s\n"), "",
       [](History& h) { HearsAgain(h, Hears(h, EventType::kEstablished)); }},
      {"EST-1", "ESTABLISHED comes twice",
       Connected("settle\npassive rdma_get_cm_event S as=again\n"), "established-twice"},
      {"EST-2", "a listener is ESTABLISHED", Connected(""), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kEstablished)).id = Listener(h); }},
      {"EST-2", "a request has no listener", Connected(""), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kConnectRequest)).listen_id = IdRef{}; }},
      {"EST-2", "a reply comes to who was asked", Connected(""), "",
       [](History& h) {
         EventAt(h, Hears(h, EventType::kEstablished, 2)).type = EventType::kConnectResponse;
       }},
      {"EST-3", "a request carries other private data", Asked("passive taking S id=P\n"), "",
       [](History& h) {
         EventAt(h, Hears(h, EventType::kConnectRequest)).private_data = PrivateData();
       }},
      {"EST-3", "a request is heard twice",
       Asked("passive taking S id=P\npass 10s\npassive/2 rdma_get_cm_event S id=Q\n"),
       "duplicate-request-twice"},
      {"EST-4", "depths arrive as they were given",
       Listening("active connecting A on=C to=passive:7471 initiator_depth=3\n"
                 "passive taking S id=P\n"),
       "depths-not-swapped"},
      {"EST-5", "a reply carries other private data", Connected(""), "",
       [](History& h) {
         EventAt(h, Hears(h, EventType::kEstablished)).private_data = PrivateData().Resized(196);
       }},
      {"EST-6", "57 bytes are taken",
       Listening("active connecting A on=C to=passive:7471 private=count:57\n"),
       "request-data-too-long"},
      {"EST-7", "197 bytes are taken", Asked("passive accepting P on=S private=count:197\n"),
       "accept-data-too-long"},
      {"EST-8", "a request leaves without a route", Alone(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_resolve_addr A dst=passive:7471
active taking C
active rdma_connect A
)"),
       "connect-without-route"},
      {"EST-9", "the refusal has another errno", Alone(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_bind_addr A addr=active:0
active rdma_connect A
)"),
       "connect-wrong-errno"},
      {"EST-10", "the reply never comes",
       Asked("passive accepting P on=S\nsettle\nactive rdma_get_cm_event C\n"
             "active/2 wait C within=1s\n"),
       "", [](History& h) { HearsNothing(h, Hears(h, EventType::kEstablished)); }},
      {"EST-11", "who accepted is never ESTABLISHED",
       Asked("passive accepting P on=S\nactive taking C\nsettle\npassive rdma_get_cm_event S\n"
             "passive/2 wait S within=1s\n"),
       "", [](History& h) { HearsNothing(h, Hears(h, EventType::kEstablished, 2)); }},
      {"EST-12", "a request is neither answered nor given up",
       Alone("fault drop REQ from=active\nactive connecting A on=C to=passive:7471\npass 2000s\n"
             "active rdma_get_cm_event C\nactive/2 wait C within=1s\n"),
       "", [](History& h) { HearsNothing(h, Hears(h, EventType::kUnreachable)); }},
      {"EST-13", kHappens, Connected("")},
      {"EST-14", "a retry count of 9 arrives as 1",
       Listening("active connecting A on=C to=passive:7471 retry_count=9\npassive taking S id=P\n"),
       "retry-count-wraps"},
  };
}

std::vector<Counterexample> Rejection() {
  return {
      {"REJ-1", "there is no listener, and the reason is another one",
       Alone("active connecting A on=C to=passive:7471\nactive taking C\n"),
       "no-listener-is-consumer"},
      {"REJ-2", "the reasons are lost", Refused("active taking C\n"), "reject-drops-data"},
      {"REJ-3", "REJECTED comes twice", Refused("active taking C\n"), "",
       [](History& h) { HearsAgain(h, Hears(h, EventType::kRejected)); }},
      {"REJ-4", "who was refused is connected", Refused("active taking C\n"), "",
       [](History& h) {
         CmEvent& event = HearsAgain(h, Hears(h, EventType::kRejected));
         event.type = EventType::kEstablished;
         event.status = 0;
       }},
      {"REJ-5", "a connection is rejected", Connected("settle\nactive rdma_reject A\n"),
       "reject-after-established"},
      {"REJ-6", "who was refused is not told",
       Refused("settle\nactive rdma_get_cm_event C\nactive/2 wait C within=1s\n"), "",
       [](History& h) { HearsNothing(h, Hears(h, EventType::kRejected)); }},
      {"REJ-7", kHappens, Refused("active taking C\n")},
      {"REJ-8", kHappens, Alone("active connecting A on=C to=passive:7471\nactive taking C\n")},
  };
}

std::vector<Counterexample> Disconnection() {
  return {
      {"DIS-1", "DISCONNECTED comes twice", Ended(), "",
       [](History& h) { HearsAgain(h, Hears(h, EventType::kDisconnected)); }},
      {"DIS-2", "a listener is DISCONNECTED", Ended(), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kDisconnected)).id = Listener(h); }},
      {"DIS-3", "the peer did not answer, and the status is another one",
       Connected("active rdma_disconnect A\npassive taking S\npass 100s\nactive taking C\n"),
       "disconnect-status-lost"},
      {"DIS-4", "a disconnect is not sent",
       Connected("active rdma_disconnect A\nsettle\npassive wait S within=1s\n"
                 "passive rdma_get_cm_event S\npassive/2 wait S within=1s\n"),
       "disconnect-silent"},
      {"DIS-5", "an exit is not noticed",
       Connected("fault exit side=active\nsettle\npassive rdma_get_cm_event S\n"
                 "passive/2 wait S within=1s\n"),
       "", [](History& h) { HearsNothing(h, Hears(h, EventType::kDisconnected)); }},
      {"TW-1", "timewait ends before the connection", Ended(), "",
       [](History& h) {
         Swaps(h, Hears(h, EventType::kDisconnected, 2), Hears(h, EventType::kTimewaitExit));
       }},
      {"TW-2", "timewait ends twice", Ended(), "",
       [](History& h) { HearsAgain(h, Hears(h, EventType::kTimewaitExit)); }},
      {"TW-3", "timewait ends immediately",
       Connected("active rdma_disconnect A\npassive taking S\npassive rdma_disconnect P\n"
                 "active taking C\nactive rdma_get_cm_event C\n"),
       "timewait-too-short"},
      {"TW-4", "timewait never ends",
       Connected("active rdma_disconnect A\npassive taking S\npassive rdma_disconnect P\n"
                 "active taking C\npass 10s\nactive rdma_get_cm_event C\nactive/2 wait C "
                 "within=1s\n"),
       "forgets-timewait"},
      {"DIS-6", kHappens, Connected("active rdma_disconnect A\npassive taking S\n")},
      {"TW-5", kHappens, Connected(R"(active rdma_disconnect A
passive taking S
passive rdma_disconnect P
active taking C
pass 3s
active taking C
)")},
  };
}

}  // namespace cm::counterexamples
