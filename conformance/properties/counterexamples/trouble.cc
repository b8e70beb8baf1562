// Device removal, address change, message loss.
#include <algorithm>

#include "conformance/properties/counterexamples.h"
#include "conformance/properties/mutate_history.h"

namespace cm::counterexamples {
namespace {

// Moves the first environment line after all other records.
void ComesLast(History& history) {
  const auto first = std::ranges::find_if(history.records, [&](const Record& record) {
    return std::holds_alternative<line::Injects>(history.conversation.lines[record.line]);
  });
  std::rotate(first, first + 1, history.records.end());
}

std::string Removed(std::string_view rest) {
  return Listening(std::string("fault remove-device side=passive\nsettle\n") + std::string(rest));
}

std::string FailedOver(std::string_view rest) {
  return OnBond(std::string(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_bind_addr A addr=active:0
fault fail-over side=active
settle
)") + std::string(rest));
}

std::string EveryRequestLost() {
  return Alone(
      "fault drop REQ from=active\nactive connecting A on=C to=passive:7471\npass 100s\n"
      "active taking C\n");
}

// D requests the service of L.
std::string DatagramAsked(std::string_view rest) {
  return Alone(std::string(R"(passive rdma_create_event_channel S
passive rdma_create_id L on=S ps=RDMA_PS_UDP
passive rdma_bind_addr L addr=passive:7471
passive rdma_listen L
active rdma_create_event_channel C
active rdma_create_id D on=C ps=RDMA_PS_UDP
active rdma_resolve_addr D dst=passive:7471
active taking C
active rdma_resolve_route D
active taking C
active rdma_connect D private="hello"
passive taking S id=P
)") + std::string(rest));
}

std::string DatagramServed() {
  return DatagramAsked(
      "passive rdma_accept P qp_num=4101\nactive taking C\nsettle\n"
      "passive wait S within=1s\n");
}

// A message of the tester to no id, or to another one, excuses nothing.
std::string WithTester(std::string_view rest) {
  return std::string("topology tester\nprofile 6.1-rxe\ncapabilities time tester\n") +
         std::string(rest);
}

std::string TestersRequest(std::string_view rest) {
  return WithTester(std::string("passive listening L on=S port=7471\n"
                                "tester sends REQ to=passive port=7471 response=8 retries=3 "
                                "private=\"hand\"\n") +
                    std::string(rest));
}

std::string TestersRefusal() {
  return WithTester(R"(active rdma_create_event_channel C
active rdma_create_id A on=C ps=RDMA_PS_UDP
active rdma_resolve_addr A dst=tester:7471
active taking C
active rdma_resolve_route A
active taking C
active rdma_connect A
tester sends SIDR_REP to=active remote=A status=3
active taking C
)");
}

}  // namespace

std::vector<Counterexample> BesideATester() {
  const std::string served = DatagramServed();
  const std::string beside = WithTester("tester sends SIDR_REP to=active remote=5 qkey=0x1\n" +
                                        served.substr(served.find("passive")));
  return {
      {"EV-1", "UNREACHABLE has another status than the tester has sent", TestersRefusal(), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kUnreachable)).status = 4; }},
      {"UD-1", "UNREACHABLE has another status than the tester has sent", TestersRefusal(), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kUnreachable)).status = 4; }},
      {"UD-3", "a service has no key though no tester answers it", beside, "service-without-key"},
      {"UD-4", "a tester's request for datagrams carries something else",
       WithTester("passive rdma_create_event_channel S\n"
                  "passive rdma_create_id L on=S ps=RDMA_PS_UDP\n"
                  "passive rdma_bind_addr L addr=passive:7471\npassive rdma_listen L\n"
                  "tester sends SIDR_REQ to=passive ps=RDMA_PS_UDP port=7471 private=\"hand\"\n"
                  "passive taking S id=P\n"),
       "", [](History& h) { EventAt(h, Hears(h, EventType::kConnectRequest)).private_data = {}; }},
      {"EST-3", "a tester's request carries something else",
       TestersRequest("passive taking S id=P\n"), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kConnectRequest)).private_data = {}; }},
      {"EST-3", "a tester's request is heard twice",
       TestersRequest("passive taking S id=P\ntester sends REQ to=passive port=7471 response=8 "
                      "retries=3 private=\"hand\"\nsettle\npassive rdma_get_cm_event S id=Q\n"
                      "passive/2 wait S within=1s\n"),
       "duplicate-request-twice"},
      {"LOSS-1", "a tester that was asked speaks of nothing, and is given up early",
       WithTester("active connecting A on=C to=tester:7471\n"
                  "tester sends MRA to=active remote=5 timeout=8\npass 100s\nactive taking C\n"),
       "",
       [](History& h) { Hurries(h, Hears(h, EventType::kUnreachable), Duration::Seconds(50)); }},
      {"LOSS-1", "a tester's request is given up before the time that it gave",
       TestersRequest("passive accepting P on=S\npass 1s\npassive taking S\n"), "",
       [](History& h) { Hurries(h, Hears(h, EventType::kUnreachable), Duration::Seconds(2)); }},
      {"REJ-1", "there is no listener, and no message of a tester either",
       WithTester("tester sends REJ to=active remote=5 reason=3\n"
                  "active connecting A on=C to=passive:7471\nactive taking C\n"),
       "no-listener-is-consumer"},
  };
}

std::vector<Counterexample> DeviceRemoval() {
  return {
      {"REM-1", "a device is reported that was not removed", Removed("passive taking S\n"), "",
       ComesLast},
      {"REM-2", "a removal is reported twice", Removed("passive taking S\n"), "",
       [](History& h) { HearsAgain(h, Hears(h, EventType::kDeviceRemoval)); }},
      {"REM-2", "a removal is reported twice",
       Connected("fault remove-device side=active\nsettle\nactive taking C\n"
                 "active rdma_get_cm_event C\n"),
       "removal-twice"},
      {"REM-3", "a listener does not hear of a removal",
       Removed("passive rdma_get_cm_event S\npassive/2 wait S within=1s\n"),
       "removal-skips-listener"},
      {"REM-4", "a call on a removed device succeeds",
       Removed("passive taking S\nsettle\npassive rdma_listen L\n"), "",
       [](History& h) { ReplyAt(h, Makes(h, CallKind::kListen, 2)) = Reply::Returned(); }},
      {"REM-5", kHappens, Removed("passive taking S\n")},
  };
}

std::vector<Counterexample> AddressChange() {
  return {
      {"CHG-1", "an address changes without a fail-over", FailedOver("active taking C\n"), "",
       ComesLast},
      {"CHG-2", "an address changes twice", FailedOver("active taking C\n"), "",
       [](History& h) { HearsAgain(h, Hears(h, EventType::kAddrChange)); }},
      {"CHG-3", "an address changes, and its owner is not told",
       FailedOver("active rdma_get_cm_event C\nactive/2 wait C within=1s\n"), "addr-change-lost"},
      {"CHG-4", kHappens, FailedOver("active taking C\n")},
  };
}

std::vector<Counterexample> Loss() {
  return {
      {"LOSS-1", "a request is given up early", EveryRequestLost(), "",
       [](History& h) { Hurries(h, Hears(h, EventType::kUnreachable), Duration::Seconds(50)); }},
      {"LOSS-1", "no request was sent, and UNREACHABLE is reported", EveryRequestLost(), "",
       [](History& h) {
         ReplyAt(h, Makes(h, CallKind::kConnect)) = Reply::Refused(Errno::kInval);
       }},
      {"LOSS-2", "a request times out that was answered",
       Connected("pass 100s\nactive rdma_get_cm_event C\n"), "request-timer-runs-on"},
      {"LOSS-3", kHappens, EveryRequestLost()},
      {"LOSS-4", kHappens, Listening(R"(fault drop REQ from=active nth=1
active connecting A on=C to=passive:7471
pass 7s
passive accepting P on=S
active taking C
)")},
  };
}

std::vector<Counterexample> Datagrams() {
  return {
      {"UD-1", "a refusal is no refusal",
       DatagramAsked("passive rdma_reject P private=\"full\"\nactive taking C\n"),
       "refusal-times-out"},
      {"UD-1", "a refusal comes without data",
       DatagramAsked("passive rdma_destroy_id P\nactive taking C\n"), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kUnreachable)).private_data = {}; }},
      {"UD-2", "an id that accepted a datagram request reports an event",
       DatagramAsked("passive rdma_accept P qp_num=4101\nsettle\n"
                     "passive/2 rdma_get_cm_event S\n"),
       "service-established"},
      {"UD-3", "a service has no key", DatagramServed(), "service-without-key"},
      {"UD-3", "a service has another queue pair", DatagramServed(), "",
       [](History& h) { ++EventAt(h, Hears(h, EventType::kEstablished)).qp_num; }},
      {"UD-4", "a datagram request carries other private data", DatagramAsked(""), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kConnectRequest)).private_data = {}; }},
      {"UD-5", kHappens, DatagramServed()},
  };
}

}  // namespace cm::counterexamples
