// What follows from the conversation alone: who exists where, bound to what, resolved to where.
#ifndef MODEL_ORACLE_KNOWLEDGE_H_
#define MODEL_ORACLE_KNOWLEDGE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/errno.h"
#include "model/conversation/conversation.h"
#include "model/oracle/ledger.h"
#include "model/oracle/state.h"
#include "model/oracle/tri.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/reply.h"

namespace cm::model {

// What a message or an event carries.
struct Payload {
  ConnFields conn;
  uint32_t qkey = 0;
  std::optional<uint32_t> qp_num;  // where the one that sent it has chosen it
  PrivateData data;
  EceOptions ece;  // without a mask
  Address group;   // of a membership, as are the rest
  uint16_t context = 0;
  uint16_t membership = 0;  // its number within the id, from 1; 0: of none
  uint64_t argument = 0;    // of USER
  friend bool operator==(const Payload&, const Payload&) = default;
};

// Payloads by small numbers; equal ones have the same.
class Payloads {
 public:
  uint16_t Intern(const Payload& payload);
  // What is said of a membership that this would have said the best of; it is interned as well.
  uint16_t FailureOf(uint16_t number) const;
  const Payload& operator[](uint16_t number) const { return payloads_[number]; }

 private:
  std::vector<Payload> payloads_;
};

// Where a destination is found, when it is looked for.
enum class Resolution : uint8_t { kFound, kSilent, kLoopback };

// What rdma_join_multicast has made.
struct Membership {
  Address address;
  Span since;  // when it was asked for
  bool joined = true;
  bool send_only = false;
  int unacked = 0;       // events fetched and not acknowledged
  bool blurred = false;  // an event may have been of it, or of another one
};

// Who sends a message of the tester: nobody's id, and yet known by a communication id.
struct TesterPeer {
  uint32_t cid = 0;
  uint8_t response_timeout = 0;  // that it has asked its peer to wait for
  uint8_t max_retries = 0;
  uint8_t ack_timeout = 0;
  uint8_t ack_delay = 0;  // or has told it
};

// A message that the tester sends in some line of the conversation.
struct TesterMessage {
  uint32_t line = 0;
  const TesterMad* mad = nullptr;
  uint8_t from_device = kNoDevice;
  uint8_t to_device = kNoDevice;
  IdRef sender;  // a peer of its own, unless it speaks for an id of the conversation
};

struct IdInfo {
  bool exists = false;
  bool in_scope = true;  // nobody has disowned it
  bool owns_port = false;
  bool connected = false;  // rdma_connect has succeeded
  bool tracked = false;    // its peer's hardware address is watched
  bool knew_wrong_neighbour = false;
  bool gives_qps = false;          // a passive endpoint: its requests come with queue pairs
  std::optional<QpType> qps_type;  // of this type
  PortSpace space = PortSpace::kTcp;
  uint8_t side = 0;
  uint8_t kernel = 0;
  uint8_t interface = kNoDevice;  // sticks from the first bind or resolution on
  uint32_t peer_fail_overs = 0;   // of the destination's bond, when the route was resolved
  uint32_t fail_overs = 0;        // of that interface's bond, when it was met
  // Of the device's bond when the id took the device and its GID: at least and at most so many.
  std::optional<uint32_t> source_from;
  uint32_t source_to = 0;
  ChannelRef channel;
  Address bound;        // address and port; port 0 stands for one that the kernel chose
  Address destination;  // of rdma_resolve_addr, or where a request came from
  Resolution resolution = Resolution::kFound;
  int32_t timeout_ms = 0;
  EceOptions ece;                      // what the library will send
  bool shares_port = false;            // REUSEADDR
  bool path_given = false;             // IB_PATH: nobody knows where it leads
  std::optional<bool> family_only;     // AFONLY
  bool left_requests = false;          // it has left requests on another channel
  uint8_t ack_timeout = 0;             // ACK_TIMEOUT; 0: that of the path
  std::optional<int> packet_lifetime;  // of its route, if it is not that of all routes
  std::optional<ConnFields> depths;    // that a connecting or accepting call has named at last
  bool asks_unjudged = false;          // rdma_connect was called on it when nobody judged it
  bool reply_unguarded = false;        // over iWARP: nothing waits for a reply any more
  uint64_t qp_key = 0;                 // equal for equal QP numbers; 0 before connecting
  uint32_t boot = 0;                   // how often its kernel had restarted by then
  uint16_t request_payload = kNoPayload;
  int unacked = 0;                      // events fetched and not acknowledged
  int acked = 0;                        // and those that were acknowledged, ever
  std::vector<Membership> memberships;  // all that it ever had, by number
  IdRef holds;  // the listener that waits for this id's request to be acknowledged
  uint32_t component = 0;
  std::optional<call::GetAddrInfo> looked_up;  // what rdma_resolve_addrinfo asked for at last
  Shown shown;                       // what the library has filled in so far, without the QP
  std::optional<TesterPeer> tester;  // it is none, but what a message of the tester comes from
  bool synchronous() const { return !channel.valid(); }
  // The number of the membership that rdma_leave_multicast would leave; 0 for none.
  uint16_t JoinedAs(const Address& address) const;
};

struct ChannelInfo {
  bool exists = false;
  bool nonblocking = false;
  uint8_t side = 0;
  // When something was fetched for the first time since nothing lay there.
  std::optional<int64_t> fetched;
};

struct PortOwner {
  IdRef id;
  uint8_t kernel = 0;
  PortSpace space = PortSpace::kTcp;
  Address address;  // port 0: some ephemeral one, which nobody else asks for
  bool family_only = true;
};

// Keys from here on are of queue pairs that the library has made.
inline constexpr uint64_t kFirstLibraryQp = uint64_t{1} << 40;

class Knowledge {
 public:
  Knowledge(const Conversation& conversation, const Profile& profile);

  const Topology& topology() const { return *topology_; }
  const Profile& profile() const { return profile_; }
  IdInfo& id(IdRef ref) { return ids_[ref.index]; }
  const IdInfo& id(IdRef ref) const { return ids_[ref.index]; }
  ChannelInfo& channel(ChannelRef ref) { return channels_[ref.index]; }
  const ChannelInfo& channel(ChannelRef ref) const { return channels_[ref.index]; }
  IdRef& CreditOf(EventRef ref) { return credits_[ref.index]; }
  // The membership of that id that the event is counted on as well; 0 for none.
  uint16_t& MembershipOf(EventRef ref) { return memberships_[ref.index]; }
  size_t id_count() const { return ids_.size(); }

  // The device with the address, if it belongs to the kernel.
  uint8_t LocalDevice(const Address& address, uint8_t kernel) const;
  uint8_t DeviceOf(const Address& address) const;
  uint8_t KernelOf(uint8_t device) const { return topology_->devices[device].kernel; }
  // The channel adapter that the port is of, by its first port; kNoDevice for none.
  uint8_t CaOf(uint8_t device) const {
    return device == kNoDevice ? kNoDevice : topology_->FirstPortOf(device);
  }
  // The address that a device's interface has.
  // `towards`: whom it answers to, or asks.
  Address AddressOf(uint8_t device, const Address& towards, uint16_t port) const;
  // The address that a port is owned with: an id that was bound to the wildcard has that of its
  // interface once its destination is resolved. source: linux 6.1 cma.c addr_handler
  Address OwnedAddress(const PortOwner& owner, const IdState& id) const;
  // The interface that leads to `destination` from the id's kernel; empty when no route does.
  std::optional<uint8_t> RouteTo(const IdInfo& id, const Address& destination) const;

  // Whether the queue pairs of both have the same number. Those that the library makes are numbered
  // anew when their kernel restarts.
  Tri SameQpNumber(IdRef a, IdRef b) const;
  // The port space of the id, or of the one that a request came from.
  PortSpace SpaceOf(const IdState& id) const;
  // Over InfiniBand: whether the group of the membership may be one that the device is in or asks
  // for already, for another membership.
  bool SharesGroup(const IdInfo& id, uint16_t membership) const;
  // The device at the other end; kNoDevice when none has the destination's address.
  uint8_t PeerDeviceOf(const IdState& id) const;
  // The same communication id at the same place.
  bool SamePeer(IdRef a, IdRef b) const;
  // The same as far as a kernel knows who asks for datagrams: over RoCE only by that number.
  bool SameAsker(IdRef a, IdRef b) const;
  // The timers of the id's connection: they are those of the path that its request went.
  Timing TimingOf(const IdState& id) const;
  // How often the device's bond had failed over when the id took its GID.
  uint8_t SourceOf(const IdState& id) const;

  Ledger ledger;
  bool numbers_name_qps = false;  // that the application has made without the library
  Payloads payloads;
  uint16_t empty_rejection;  // what REJECTED carries when nobody gave it data
  uint16_t empty_refusal;    // and UNREACHABLE of a datagram service
  std::vector<PortOwner> ports;
  std::vector<uint8_t> fail_overs;  // by device: of its bond, so far
  std::vector<uint32_t> boots;      // by kernel: how often it has restarted
  std::vector<TesterMessage> tester_messages;

 private:
  void MeetTester(const Conversation& conversation);

  const Topology* topology_;
  const Profile& profile_;
  std::vector<IdInfo> ids_;  // those of the conversation, and then the peers that the tester is
  std::vector<ChannelInfo> channels_;
  std::vector<IdRef> credits_;         // by event: the id that its acknowledgement counts for
  std::vector<uint16_t> memberships_;  // by event
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_KNOWLEDGE_H_
