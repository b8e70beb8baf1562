#include "model/cm_id/state.h"

#include <array>

namespace cm::model {
namespace {

constexpr std::array<std::string_view, kStateCount + 1> kStateNames = {
    "IDLE",    "ADDR_BOUND", "ADDR_QUERY", "ADDR_RESOLVED",  "ROUTE_QUERY", "ROUTE_RESOLVED",
    "CONNECT", "DISCONNECT", "LISTEN",     "DEVICE_REMOVAL", "same"};

struct GuardText {
  std::string_view name;
  std::string_view sentence;
};

constexpr std::array<GuardText, kGuardCount> kGuardTexts = {{
    {"fine", "nothing stands in the way"},
    {"family-unsupported", "the address is null or of a family that the library does not know"},
    {"space-unknown", "there is no such port space"},
    {"device-unknown", "the library does not know a device of the id yet"},
    {"device-removed", "the kernel's id is gone with its device"},
    {"qp-present", "the id has a queue pair"},
    {"qp-absent", "the id has no queue pair"},
    {"no-qp-no-param", "there is neither a queue pair nor parameters"},
    {"depth-too-large", "a depth is above the device's maximum"},
    {"qp-cannot-come-up", "the queue pair is not in INIT, or there are no attributes for it"},
    {"timeout-zero", "the timeout is 0"},
    {"address-not-local", "no interface of the kernel has the address"},
    {"interface-differs", "the id has met another interface before, and that sticks"},
    {"device-gone", "the interface has no RDMA device"},
    {"port-in-use", "another id owns the same address and port"},
    {"port-in-use-by-wildcard", "another id owns the port, and one of the addresses is a wildcard"},
    {"families-differ", "source and destination are of different families"},
    {"no-route", "no route leads to the destination"},
    {"no-device-at-all", "the destination is loopback, and there is no device to serve it"},
    {"no-interface", "the address was resolved without an interface"},
    {"data-too-long", "the private data is longer than the message has room for"},
    {"qp-source-lost", "it has a queue pair, and the GID is gone that this would send from"},
    {"qp-without-route",
     "it has a queue pair, and the interface is down that this would send over"},
    {"from-loopback", "from an IPv4 loopback address to another host"},
    {"source-lost", "the GID that the id was bound to went when its bond failed over"},
    {"init-refused", "the IB CM has no attributes for INIT in its state"},
    {"rep-refused", "the IB CM cannot send REP in its state"},
    {"rtu-refused", "the IB CM cannot send RTU in its state"},
    {"rej-refused", "the IB CM cannot send REJ in its state"},
    {"dreq-possible", "the IB CM can send DREQ"},
    {"drep-possible", "the IB CM can send DREP"},
    {"message-outstanding", "a message that was given up is still being transmitted"},
    {"events-unacked", "events of the id are fetched and not acknowledged"},
}};

constexpr std::array<std::string_view, 23> kEffectNames = {
    "",
    "takes address and port",
    "takes 0.0.0.0 and an ephemeral port",
    "takes the source address and a port",
    "remembers the destination",
    "the interface sticks",
    "sets the backlog",
    "starts address resolution",
    "starts route resolution",
    "QP in INIT",
    "QP destroyed",
    "QP to RTS",
    "QP to ERR",
    "sends REQ",
    "sends REP",
    "sends RTU",
    "sends REJ",
    "rejects what there is to reject",
    "sends DREQ",
    "sends DREP",
    "can send neither DREQ nor DREP",
    "can send no REJ",
    "destroys the kernel's id",
};

}  // namespace

std::string_view ToString(State state) { return kStateNames[static_cast<size_t>(state)]; }
std::string_view ToString(Guard guard) { return kGuardTexts[static_cast<size_t>(guard)].name; }
std::string_view SentenceOf(Guard guard) {
  return kGuardTexts[static_cast<size_t>(guard)].sentence;
}
std::string_view ToString(Effect effect) { return kEffectNames[static_cast<size_t>(effect)]; }

}  // namespace cm::model
