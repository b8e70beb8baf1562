#include "conformance/properties/counterexamples.h"

namespace cm {
namespace {

std::string On(std::string_view topology, std::string_view rest,
               std::string_view profile = "6.1-rxe") {
  std::string text = "topology ";
  text += topology;
  text += "\nprofile ";
  text += profile;
  text += "\ncapabilities none\n";
  text += rest;
  return text;
}

std::string Behind(std::string_view first, std::string_view rest) {
  return std::string(first) + std::string(rest);
}

constexpr std::string_view kServiceFound = R"(passive rdma_create_event_channel S
passive rdma_create_id L on=S ps=RDMA_PS_UDP
passive rdma_bind_addr L addr=passive:7471
passive rdma_listen L
active rdma_create_event_channel C
active rdma_create_id D on=C ps=RDMA_PS_UDP
active rdma_resolve_addr D dst=passive:7471
active taking C
active rdma_resolve_route D
active taking C
active rdma_connect D
passive taking S id=P
passive rdma_accept P qp_num=4101
active taking C
)";

}  // namespace

std::string Alone(std::string_view rest) { return On("one-kernel-two-devices", rest); }

std::string OnLater(std::string_view rest) { return On("one-kernel-two-devices", rest, "7.2-rxe"); }

std::string OnInfiniband(std::string_view rest) {
  return On("one-kernel-two-devices", rest, "6.1-ib");
}

std::string OnBond(std::string_view rest) { return On("bond", rest); }

std::string Listening(std::string_view rest) {
  return Alone(Behind("passive listening L on=S port=7471\n", rest));
}

std::string Asked(std::string_view rest) {
  return Listening(Behind("active connecting A on=C to=passive:7471 private=\"hello\"\n", rest));
}

std::string Connected(std::string_view rest) {
  return Asked(Behind(R"(passive accepting P on=S private="hi"
active taking C
passive taking S
)",
                      rest));
}

std::vector<Reach> Reaches() {
  return {
      {"LIFE-7", Asked("active rdma_destroy_id A\n")},
      {"EV-8", Asked("active rdma_disconnect A\npassive accepting P on=S\nactive taking C\n")},
      {"EV-9", Listening(R"(active connecting A on=C to=passive:7471 noqp qp_num=4101
passive accepting P on=S
active taking C
)")},
      {"ACK-4", Alone(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_resolve_addr A dst=passive:7471
active rdma_get_cm_event C as=resolved
active rdma_destroy_id A
active/2 rdma_ack_cm_event resolved
)")},
      {"PORT-6", Listening(R"(passive rdma_create_id M on=S
passive rdma_bind_addr M addr=passive:7471
)")},
      {"ADDR-4", Alone(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_resolve_addr A src=active:0 dst=silent:7471 timeout_ms=100
active taking C
)")},
      {"EST-13", Connected("")},
      {"REJ-7", Asked(R"(passive taking S id=P
passive rdma_reject P private="full"
active taking C
)")},
      {"REJ-8", Alone("active connecting A on=C to=passive:7471\nactive taking C\n")},
      {"DIS-6", Connected("active rdma_disconnect A\npassive taking S\n")},
      {"TW-5", Connected(R"(active rdma_disconnect A
passive taking S
passive rdma_disconnect P
active taking C
pass 3s
active taking C
)")},
      {"REM-5", Listening("fault remove-device side=passive\npassive taking S\n")},
      {"NOT-2", Asked("passive accepting P on=S\npassive rdma_notify P\n")},
      {"CHG-4", OnBond(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_bind_addr A addr=active:0
fault fail-over side=active
active taking C
)")},
      {"UD-5", Alone(kServiceFound)},
      ReachOfGroups(),
      ReachOfLookups(),
      {"LOSS-3", Alone("fault drop REQ from=active\nactive connecting A on=C to=passive:7471\n"
                       "pass 100s\nactive taking C\n")},
      {"LOSS-4", Listening(R"(fault drop REQ from=active nth=1
active connecting A on=C to=passive:7471
pass 7s
passive accepting P on=S
active taking C
)")},
  };
}

}  // namespace cm
