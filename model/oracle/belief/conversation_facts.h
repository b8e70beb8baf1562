// Facts that follow from the conversation alone: existing ids, their bindings and destinations.
#ifndef MODEL_ORACLE_BELIEF_CONVERSATION_FACTS_H_
#define MODEL_ORACLE_BELIEF_CONVERSATION_FACTS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "model/conversation/conversation.h"
#include "model/oracle/belief/certainty.h"
#include "model/oracle/belief/neighbours.h"
#include "model/oracle/belief/state.h"
#include "model/oracle/belief/work_tracker.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/reply.h"

namespace cm::model {

// The contents of a message or an event.
struct Payload {
  ConnFields conn;
  uint32_t qkey = 0;
  std::optional<uint32_t> qp_num;  // if its sender has chosen it
  PrivateData data;
  EceOptions ece;  // without a mask
  Address group;   // of a membership, like the rest
  uint16_t context = 0;
  uint16_t membership = 0;  // its number within the id, from 1; 0: of none
  uint64_t argument = 0;    // of USER
  friend bool operator==(const Payload&, const Payload&) = default;
};

// Payloads by small numbers; equal ones have the same.
class Payloads {
 public:
  uint16_t Intern(const Payload& payload);
  // For a membership's JOIN the payload of its ERROR; interned as well.
  uint16_t FailureOf(uint16_t number) const;
  const Payload& operator[](uint16_t number) const { return payloads_[number]; }

 private:
  std::vector<Payload> payloads_;
};

// A membership created by rdma_join_multicast.
struct Membership {
  Address address;
  Span since;  // time of the join
  bool joined = true;
  bool send_only = false;
  int unacked = 0;       // events fetched and not acknowledged
  bool blurred = false;  // an event may belong to it, or to another one
};

// A message that the tester sends in a line of the conversation.
struct TesterMessage {
  uint32_t line = 0;
  const TesterMad* mad = nullptr;
  uint8_t from_device = kNoDevice;
  uint8_t to_device = kNoDevice;
  IdRef sender;  // a peer of its own, unless it speaks for an id of the conversation
};

// Those that ask a listener and are judged apart from it.
struct Crowd {
  bool apart = false;     // there may be such
  bool together = false;  // and never will be any more
  bool too_many = false;  // more are asking than its queue has room for
  int asking = 0;         // how many requests of theirs may be in its queue, or come there
  Since full;             // when that may have been more than it has room for; latest 0: never
};

struct IdInfo {
  bool exists = false;
  bool in_scope = true;  // it is judged
  bool owns_port = false;
  bool connected = false;  // rdma_connect has succeeded, or may have
  bool listens = false;    // rdma_listen has succeeded
  bool tracked = false;    // the kernel follows its peer's hardware address
  bool knew_wrong_neighbour = false;
  bool gives_qps = false;          // a passive endpoint: its requests come with queue pairs
  std::optional<QpType> qps_type;  // with queue pairs of this type
  PortSpace space = PortSpace::kTcp;
  uint8_t side = 0;
  uint8_t kernel = 0;
  uint8_t interface = kNoDevice;  // sticks from the first bind or resolution on
  uint32_t peer_fail_overs = 0;   // of the destination's bond, when the route was resolved
  uint32_t fail_overs = 0;        // of that interface's bond, when the id got the interface
  // Minimum and maximum fail-overs of the device's bond when the id got the device and its GID.
  std::optional<uint32_t> source_from;
  uint32_t source_to = std::numeric_limits<uint32_t>::max();  // all that come, while it has none
  ChannelRef channel;
  Address bound;                // address and port; port 0: chosen by the kernel
  Address destination;          // of rdma_resolve_addr, or the source of a request
  Address other_destination;    // of one that is not judged: it may be that as well
  bool has_no_family = false;   // that destination, which a refused call has cleared
  uint8_t path_to = kNoDevice;  // where the route leads that was resolved last
  bool resolves_loopback = false;
  Asking asking;  // of the last resolution
  int32_t timeout_ms = 0;
  EceOptions ece;                       // what the library will send
  bool shares_port = false;             // REUSEADDR
  bool path_given = false;              // IB_PATH: its destination is unknown
  std::optional<bool> family_only;      // AFONLY
  bool left_requests = false;           // it has left requests on another channel
  uint8_t ack_timeout = 0;              // ACK_TIMEOUT; 0: that of the path
  std::optional<int> packet_lifetime;   // of its route, if it differs from the default
  std::optional<ConnFields> depths;     // given by the last connecting or accepting call
  bool reply_unguarded = false;         // over iWARP: no timer waits for the reply any more
  uint64_t qp_key = 0;                  // equal for equal QP numbers; 0 before connecting
  uint32_t boot = 0;                    // number of restarts of its kernel by then
  int unacked = 0;                      // events fetched and not acknowledged
  int acked = 0;                        // and those that were acknowledged, ever
  std::vector<Membership> memberships;  // all that it ever had, by number
  IdRef holds;  // the listener that waits for this id's request to be acknowledged
  uint32_t component = 0;
  uint64_t seen = 0;      // equal where the same calls, replies and events were
  int64_t seen_last = 0;  // when the last was
  uint16_t alike = 0;     // as in what may be so of it
  bool never_alike = false;
  bool lazy = false;  // more may be so of its component than is followed
  IdRef apart_from;   // one of a crowd: the listener that it asks, and is judged apart from
  Crowd crowd;        // of a listener: those that are
  std::optional<call::GetAddrInfo> looked_up;  // the last query of rdma_resolve_addrinfo
  Shown shown;  // fields that the library has filled in, without the QP
  // Of the sender of a tester's message: that one. It is no id, but known by a communication id.
  const TesterMad* tester = nullptr;
  bool synchronous() const { return !channel.valid(); }
  // The membership that rdma_leave_multicast would leave, by number; 0 for none.
  uint16_t JoinedAs(const Address& address) const;
};

struct ChannelInfo {
  bool exists = false;
  bool nonblocking = false;
  uint8_t side = 0;
  bool unjudged = false;  // events of ids that are not judged may be on it
  // Time of the first fetch since the channel was empty.
  std::optional<int64_t> fetched;
};

struct PortOwner {
  IdRef id;
  uint8_t kernel = 0;
  PortSpace space = PortSpace::kTcp;
  Address address;  // port 0: one that the kernel has drawn
  bool family_only = true;
};

// Keys from here on are of queue pairs that the library has created.
inline constexpr uint64_t kFirstLibraryQp = uint64_t{1} << 40;

class ConversationFacts {
 public:
  ConversationFacts(const Conversation& conversation, const Profile& profile);

  const Topology& topology() const { return *topology_; }
  const Profile& profile() const { return *profile_; }
  bool over_iwarp() const { return profile().transport == Transport::kIwarp; }
  bool over_infiniband() const { return profile().transport == Transport::kInfiniband; }
  IdInfo& id(IdRef ref) { return ids_[ref.index]; }
  const IdInfo& id(IdRef ref) const { return ids_[ref.index]; }
  ChannelInfo& channel(ChannelRef ref) { return channels_[ref.index]; }
  const ChannelInfo& channel(ChannelRef ref) const { return channels_[ref.index]; }
  IdRef& CreditOf(EventRef ref) { return credits_[ref.index]; }
  // The membership of that id that the event counts for as well; 0 for none.
  uint16_t& MembershipOf(EventRef ref) { return memberships_[ref.index]; }
  size_t id_count() const { return ids_.size(); }
  // How many turns a port needs for one message of each of its kernel's ids, where the number of
  // those that wait for an answer is limited. source: linux 7.2 mad.c get_sol_fc_max_outstanding
  int64_t Turns() const;

  // Nothing is certain of the id any more.
  void LeaveJudgement(IdRef id);

  // An event of the id is acknowledged.
  void Acknowledge(IdRef id);
  // Acknowledges the request that the id keeps, if it keeps one.
  void ReleaseRequestOf(IdRef id);
  // The id owns no port any more.
  void ReleasePortsOf(IdRef id);

  // The device with the address, if it belongs to the kernel.
  uint8_t LocalDevice(const Address& address, uint8_t kernel) const;
  uint8_t DeviceOf(const Address& address) const;
  uint8_t KernelOf(uint8_t device) const { return topology_->devices[device].kernel; }
  // The channel adapter of the port, by its first port; kNoDevice for none.
  uint8_t CaOf(uint8_t device) const {
    return device == kNoDevice ? kNoDevice : topology_->FirstPortOf(device);
  }
  // The address of a device's interface.
  // `towards`: the address of its peer.
  Address AddressOf(uint8_t device, const Address& towards, uint16_t port) const;
  // The address of a port's ownership: for an id that was bound to the wildcard that of its
  // interface once its destination is resolved. source: linux 6.1 cma.c addr_handler
  Address OwnedAddress(const PortOwner& owner, const IdState& id) const;
  // The interface of the route to `destination` from the id's kernel; empty without a route.
  std::optional<uint8_t> RouteTo(uint8_t kernel, uint8_t interface,
                                 const Address& destination) const;

  // Whether the queue pairs of both have the same number. Those that the library creates are
  // numbered anew when their kernel restarts.
  Certainty SameQpNumber(IdRef a, IdRef b) const;
  // Whether any other may have the number of its queue pair.
  bool MayShareQpNumber(IdRef id) const;
  // The port space of the id, or of the sender of a request.
  PortSpace SpaceOf(const IdState& id) const;
  // Over InfiniBand: whether the group of the membership may be one that the device is in or has an
  // outstanding query for, through another membership.
  bool SharesGroup(const IdInfo& id, uint16_t membership) const;
  // The owners of the port that the id asks for.
  std::vector<IdRef> OwnersAskedBy(IdRef id) const;
  // Where its messages go before it has a peer; kNoDevice: nowhere.
  uint8_t DeviceAskedBy(IdRef id) const;
  // The device at the other end; kNoDevice when none has the destination's address.
  uint8_t PeerDeviceOf(const IdState& id) const;
  // The same communication id at the same place.
  bool SamePeer(IdRef a, IdRef b) const {
    return a == b || (!tester_messages.empty() && SameTester(a, b, true));
  }
  // The same as far as a kernel can distinguish senders of SIDR_REQs: over RoCE only by that
  // number. source: linux 6.1 cm.c cm_insert_remote_sidr
  bool SameAsker(IdRef a, IdRef b) const { return a == b || SameTester(a, b, over_infiniband()); }
  // The timers of the id's connection: those of the path of its request.
  Timing TimingOf(const IdState& id) const;
  // Between two transmissions of its outstanding message, if no MRA comes.
  Duration IntervalOf(const IdState& id) const;
  // Minimum and maximum fail-overs of the device's bond when the id got its GID.
  uint8_t EarliestSourceOf(const IdState& id) const;
  uint8_t LatestSourceOf(const IdState& id) const;

  WorkTracker work;
  Hits allowances{};          // messages that each counted rule may hit; 0: no rule
  size_t faults_to_come = 0;  // lines of the conversation that inject one, and are not made yet
  bool any_lazy = false;      // not all is followed: nothing can be refused for certain
  uint16_t last_alike = 0;    // the number that ids that look alike got last; 0: there are none
  bool no_crowds = false;     // all that ask a listener are judged together with it
  bool any_apart = false;     // of some crowd each is judged apart from the listener
  size_t crowd = 9;           // so many ids of a component, or more, are a crowd
  bool answers_may_be_late = false;  // a REP may be, or messages are made by hand
  // A REP may be, or comes later by what is known, or its receiver has abandoned its request.
  bool answers_may_be_lost = false;
  bool requests_may_be_late = false;  // one may come when its sender asks no more
  bool numbers_name_qps = false;      // created by the application without the library
  bool shows_numbers = false;         // an event has shown that of a queue pair
  Payloads payloads;
  uint16_t empty_rejection;  // payload of REJECTED without private data
  uint16_t empty_refusal;    // and of UNREACHABLE of a datagram service
  std::vector<PortOwner> ports;
  std::vector<uint8_t> fail_overs;  // by device: of its bond, so far
  std::vector<uint32_t> boots;      // by kernel: number of restarts
  std::vector<TesterMessage> tester_messages;

 private:
  void MeetTester(const Conversation& conversation);
  bool SameTester(IdRef a, IdRef b, bool at_one_place) const;

  const Topology* topology_;
  const Profile* profile_;
  std::vector<IdInfo> ids_;  // those of the conversation, then the tester's peers
  std::vector<ChannelInfo> channels_;
  std::vector<IdRef> credits_;         // by event: the id that its acknowledgement counts for
  std::vector<uint16_t> memberships_;  // by event
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_CONVERSATION_FACTS_H_
