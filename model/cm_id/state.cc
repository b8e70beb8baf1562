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
    {"type-differs", "the queue pair is to be of another type than the id"},
    {"datagram", "the id is one of datagrams"},
    {"other-link", "the port space is one of InfiniBand links, and the interface is none"},
    {"events-unacked", "events of the id are fetched and not acknowledged"},
    {"qp-state-unknown", "a queue pair has no such state"},
    {"without-device", "the kernel's id is on no device"},
    {"attrs-refused", "the IB CM has no attributes in its state for the one that is asked for"},
    {"established-already", "it is told of a connection that the IB CM knows of"},
    {"comm-est-possible", "it is told of a connection, and the IB CM takes the word for RTU"},
    {"path-mig-possible", "it is told of another path, and there is a connection"},
    {"ece-malformed", "the options name no vendor, or have a mask"},
    {"asynchronous", "the id has a channel of the application's"},
    {"option-too-long", "the option is longer than the kernel copies anything"},
    {"option-unknown", "there is no option of that level and name"},
    {"option-malformed", "the option has another length, or does not hold what it is to hold"},
    {"reuse-wanted", "the port is to be shared with others"},
    {"reuse-unwanted", "the port is not to be shared with others"},
    {"family-only-wanted", "a wildcard is to be for its own address family alone, or for both"},
    {"timeout-wanted", "the acknowledgement time-out is to be another"},
    {"path-wanted", "the path is to be the application's own"},
    {"synchronous-already", "the id is to have a channel of its own, and has one"},
    {"mask-unknown", "there is more in the mask than anybody knows"},
    {"mask-incomplete", "address or flags are not given, or the flags are unknown"},
    {"not-datagram", "the id is none of datagrams"},
    {"address-zero", "the address is 0.0.0.0 or ::"},
    {"group-v6", "it is an IPv6 group, which RoCE v2 does not take"},
    {"gid-gone", "the interface has lost the GID of the id's address"},
    {"not-joined", "the id is in no group of this address and port"},
    {"group-unacked", "an event of the membership is fetched and not acknowledged"},
    {"nothing-asked", "there is neither a node nor a service, and there are no hints"},
    {"hints-alone", "there are hints, and neither a node nor a service"},
    {"family-foreign", "the hints want a family that the resolver does not know"},
    {"type-against-space", "the hints want a type that their port space is not of"},
    {"node-of-other-family", "the node is of another family than the hints want"},
    {"over-iwarp", "the id's device is one of iWARP"},
    {"type-unsupported", "iWARP has no queue pairs of the type that is wanted"},
    {"no-keys", "the destination is loopback, which is found by a P_Key, and iWARP has none"},
    {"qp-unknown", "the id has no queue pair, and the number given is that of none"},
    {"connection-refused", "nobody listens there, and TCP says so at once"},
    {"peer-unreachable", "nobody is there to accept a TCP connection or to refuse it"},
    {"reply-awaited", "the request is sent, and not answered yet"},
    {"connection-lost", "the request is there, and its connection is gone"},
}};

constexpr std::array<std::string_view, 42> kEffectNames = {
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
    "QP in RTS",
    "sends SIDR_REQ",
    "sends SIDR_REP with the service",
    "sends SIDR_REP without the service",
    "destroys the kernel's id",
    "the connection stands",
    "the empty alternate path takes over",
    "keeps the options for the next message",
    "shares its port with those that do",
    "shares its port with nobody that comes",
    "limits a wildcard to its address family, or not",
    "the route that is resolved next takes its packet lifetime from it",
    "the path is the application's; reports ROUTE_RESOLVED",
    "moves the id and its unread events to the end of the channel",
    "joins the group",
    "joins, and cannot say where the group is",
    "leaves the group, and drops its unfetched events",
    "the library forgets the group",
    "closes the connection",
    "closes the connection as soon as it is answered",
};

}  // namespace

std::string_view ToString(State state) { return kStateNames[static_cast<size_t>(state)]; }
std::string_view ToString(Guard guard) { return kGuardTexts[static_cast<size_t>(guard)].name; }
std::string_view SentenceOf(Guard guard) {
  return kGuardTexts[static_cast<size_t>(guard)].sentence;
}
std::string_view ToString(Effect effect) { return kEffectNames[static_cast<size_t>(effect)]; }

}  // namespace cm::model
