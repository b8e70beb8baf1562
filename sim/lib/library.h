// The simulated librdmacm of one process: what the user's ids know, the library's own checks, its
// transitions of queue pairs, and which calls wait.
//
// It speaks to the kernel by commands only. source: rdma-core 44 librdmacm/cma.c
#ifndef SIM_LIB_LIBRARY_H_
#define SIM_LIB_LIBRARY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "model/vocabulary/call.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/reply.h"
#include "sim/core/slab.h"
#include "sim/rdma_cm/rdma_cm.h"
#include "sim/verbs/verbs.h"

namespace cm::sim {

// struct rdma_event_channel
struct Channel {
  bool live = false;
  bool nonblocking = false;
  uint32_t file = kNobody;
  friend bool operator==(const Channel&, const Channel&) = default;
};

// struct cma_id_private
struct UserId {
  bool live = false;
  bool connect_error = false;  // the library reported CONNECT_ERROR: it hides what comes later
  bool synchronous = false;    // its channel is its own, and calls wait for their event
  uint8_t device = kNoDevice;  // id->verbs
  uint8_t port_num = 0;
  uint8_t num_paths = 0;
  uint8_t responder_resources = 0;
  uint8_t initiator_depth = 0;
  bool gives_qps = false;              // its requests come with queue pairs
  bool looks_up = false;               // an address info is looked for, or waits
  std::optional<QpType> qps_type;      // of this type; empty: that of the port space
  std::optional<AddrInfoHanded> info;  // that was looked up and is not handed out
  PortSpace space = PortSpace::kTcp;
  uint32_t channel = kNobody;
  uint32_t handle = kNobody;  // the kernel's
  uint32_t qp = kNobody;
  uint32_t srq = kNobody;
  uint32_t service = 0;      // of a datagram id: the queue pair that its ESTABLISHED has named
  uint32_t event = kNobody;  // id->event: what the last synchronous call has left behind
  uint32_t events_completed = 0;
  EceOptions local_ece;   // what is sent
  EceOptions remote_ece;  // what was received
  Address source;
  Address destination;
  friend bool operator==(const UserId&, const UserId&) = default;
};

// struct cma_multicast
struct UserMembership {
  bool live = false;
  bool joined = true;  // it is in the id's list
  bool send_only = false;
  uint16_t context = 0;
  uint32_t id = kNobody;
  uint32_t handle = kNobody;  // the kernel's
  uint32_t order = 0;         // the newest of an id is the first of its list
  uint32_t events_completed = 0;
  Address address;
  friend bool operator==(const UserMembership&, const UserMembership&) = default;
};

// struct cma_event: an event between rdma_get_cm_event and rdma_ack_cm_event
struct FetchedEvent {
  bool live = false;
  uint32_t credits = kNobody;     // the id that the acknowledgement counts for
  uint32_t id = kNobody;          // event->id
  uint32_t listen_id = kNobody;   // event->listen_id
  uint32_t membership = kNobody;  // that it counts for as well
  CmEvent event;                  // without names
  friend bool operator==(const FetchedEvent&, const FetchedEvent&) = default;
};

// What a call that has not returned waits for.
enum class Waiting : uint8_t {
  kNothing,
  kEvent,
  kKernelDestroy,
  kAcks,
  kChannelClose,
  kCompletion,  // a call on a synchronous id, for the next event of the id's own channel
  kLookup,      // rdma_resolve_addrinfo on one, for the same
  kRequest,     // rdma_get_request, for the same
  kMigrationAcks,
  kGroupAcks,     // rdma_leave_multicast
  kEpAddress,     // rdma_create_ep, for the end of its address resolution
  kEpRoute,       // and of its route resolution
  kSentWork,      // rdma_get_send_comp
  kReceivedWork,  // rdma_get_recv_comp
  kReply,         // rdma_disconnect over iWARP, for the reply to the request
};

// The next event of the id's own channel ends it, or is its next step.
constexpr bool WaitsOnOwnChannel(Waiting waiting) {
  return waiting == Waiting::kCompletion || waiting == Waiting::kLookup ||
         waiting == Waiting::kRequest || waiting == Waiting::kEpAddress ||
         waiting == Waiting::kEpRoute;
}

// A call in the middle of its work.
struct Ongoing {
  Waiting waiting = Waiting::kNothing;
  uint32_t id = kNobody;          // of rdma_destroy_id, rdma_migrate_id, calls on synchronous ids
  uint32_t membership = kNobody;  // of rdma_leave_multicast
  uint32_t channel = kNobody;     // of rdma_get_cm_event and rdma_destroy_event_channel
  uint32_t ticket = 0;            // of the kernel's destroy
  uint32_t events_reported = 0;
  bool with_qp = false;        // of rdma_create_ep: attributes of a queue pair are given
  std::optional<QpType> type;  // and its type
  friend bool operator==(const Ongoing&, const Ongoing&) = default;
};

// How far a call came. Blocked exactly while `ongoing` waits for something.
struct Progress {
  Reply reply;
  uint32_t made = kNobody;  // the channel, id or event that the call made
  Ongoing ongoing;
  std::optional<HandedOut> handed;  // what the call hands out besides
  friend bool operator==(const Progress&, const Progress&) = default;
};

class Library {
 public:
  explicit Library(uint8_t kernel) : kernel_(kernel) {}

  struct Context {
    RdmaCm* kernel;
    Verbs* verbs;
    const Profile* profile;
    Verbs::Wires wires{};
  };

  Progress CreateEventChannel(Context c, bool nonblocking);
  Progress DestroyEventChannel(Context c, uint32_t channel);
  Progress CreateId(Context c, uint32_t channel, PortSpace space);
  Progress DestroyId(Context c, uint32_t id);
  Reply BindAddr(Context c, uint32_t id, const Address& address);
  Reply Listen(Context c, uint32_t id, int32_t backlog);
  Reply ResolveAddr(Context c, uint32_t id, const call::ResolveAddr& call);
  Reply ResolveRoute(Context c, uint32_t id, int32_t timeout_ms);
  Reply CreateQp(Context c, uint32_t id, std::optional<QpType> type);
  Reply DestroyQp(Context c, uint32_t id);
  Reply Connect(Context c, uint32_t id, const std::optional<ConnParam>& param);
  Reply Accept(Context c, uint32_t id, const std::optional<ConnParam>& param);
  Reply Reject(Context c, uint32_t id, const PrivateData& data);
  Reply Establish(Context c, uint32_t id);
  // Waits, over iWARP, while a request of the id is not answered; then for its event, as others do.
  Progress DisconnectOrWait(Context c, uint32_t id);
  Progress GetCmEvent(Context c, uint32_t channel);
  Reply AckCmEvent(uint32_t event);
  // attributes.cc
  Reply Notify(Context c, uint32_t id, uint8_t what);
  Progress InitQpAttr(Context c, uint32_t id, uint8_t state);
  Reply SetLocalEce(uint32_t id, const EceOptions& ece);
  Progress GetRemoteEce(uint32_t id) const;
  Reply RejectEce(Context c, uint32_t id, const PrivateData& data);
  Progress EventStr(Context c, uint8_t type) const;
  // multicast.cc
  Reply JoinMulticast(Context c, uint32_t id, const call::JoinMulticast& call);
  Reply JoinMulticastEx(Context c, uint32_t id, const call::JoinMulticastEx& call);
  Progress LeaveMulticast(Context c, uint32_t id, const Address& address);
  // options.cc
  Reply SetOption(Context c, uint32_t id, const call::SetOption& call);
  Progress MigrateId(Context c, uint32_t id, uint32_t channel);
  // synchronous.cc
  // What comes of a call that starts something and was answered with `started`: on a synchronous
  // id it waits for the event.
  Progress Complete(Context c, uint32_t id, Reply started);
  // The same of rdma_accept: for datagrams there is no event to wait for.
  Progress CompleteAccept(Context c, uint32_t id, Reply started);
  Progress GetRequest(Context c, uint32_t listener);
  // endpoints.cc
  Progress CreateEp(Context c, const call::CreateEp& call);
  Progress DestroyEp(Context c, uint32_t id);
  // addrinfo.cc
  Progress GetAddrInfo(const call::GetAddrInfo& call);
  Progress GetDevices(Context c);
  void GiveBack() { --handed_out_; }
  Progress ResolveAddrInfo(Context c, uint32_t id, const call::ResolveAddrInfo& call);
  Progress QueryAddrInfo(uint32_t id);
  Reply WriteCmEvent(Context c, uint32_t id, const call::WriteCmEvent& call);
  Shown Show(Context c, uint32_t id) const;
  // work.cc
  Reply CreateSrq(Context c, uint32_t id, bool typed);
  Reply DestroySrq(Context c, uint32_t id);
  Progress Register(Context c, uint32_t id, const std::vector<uint8_t>& bytes, bool remote_read,
                    bool remote_write);
  Progress Deregister(Context c, uint32_t region);
  Reply PostReceive(Context c, uint32_t id, WorkRequest work);
  Reply PostSend(Context c, uint32_t id, WorkRequest work);
  Progress GetCompletion(Context c, uint32_t id, Waiting which);

  // Goes on with a call that waits.
  Progress Continue(Context c, const Ongoing& ongoing);

  bool Readable(Context c, uint32_t channel) const;
  bool LiveId(uint32_t id) const { return ids_.Live(id); }
  bool LiveChannel(uint32_t channel) const { return channels_.Live(channel); }
  const FetchedEvent& fetched(uint32_t event) const { return fetched_[event]; }
  const Slab<FetchedEvent>& events() const { return fetched_; }
  const Slab<UserMembership>& memberships() const { return memberships_; }
  const UserId& at(uint32_t id) const { return ids_[id]; }
  uint32_t live_ids() const { return ids_.live_count(); }
  uint32_t id_end() const { return ids_.end(); }
  uint32_t live_events() const { return fetched_.live_count(); }
  uint32_t handed_out() const { return handed_out_; }

  // The process exits: the kernel closes its files, and nothing of the library is left.
  void Exit(Context c);
  // Its kernel is gone already.
  void Crash(Context c);

  friend bool operator==(const Library&, const Library&) = default;

 private:
  uint32_t FileOf(uint32_t id) const { return channels_[ids_[id].channel].file; }
  Errno QueryAddr(Context c, uint32_t id);
  Errno QueryPath(Context c, uint32_t id);
  Errno InitQp(Context c, uint32_t id, uint32_t qp);
  bool Misses(uint32_t id, const std::optional<ConnParam>& param) const;
  Errno BringUp(Context c, uint32_t id);
  void QpToError(Context c, uint32_t id);
  // Blocked, over iWARP, while a request of the id is not answered.
  Reply Disconnect(Context c, uint32_t id);
  bool DepthsFit(Context c, uint32_t id, const ConnParam& param) const;
  command::ConnectionParam ParamFor(Context c, uint32_t id, const std::optional<ConnParam>& param);
  void FreeId(Context c, uint32_t id);

  // synchronous.cc
  uint32_t OpenPrivateChannel(Context c);
  void ClosePrivateChannel(Context c, uint32_t channel);
  void AckRetained(uint32_t id);
  void Release(uint32_t event);
  Progress TakeCompletion(Context c, const Ongoing& ongoing);
  Progress TakeRequest(Context c, const Ongoing& ongoing);
  Errno MoveToOwnChannel(Context c, uint32_t id);

  // addrinfo.cc
  Errno StartLookup(Context c, uint32_t id, const call::ResolveAddrInfo& call);
  Progress FinishLookup(Context c, const Ongoing& ongoing);
  void ProcessInfo(Context c, FetchedEvent* fetched);

  // multicast.cc
  Reply Join(Context c, uint32_t id, UserMembership membership);
  static bool TakesIntoGroup(Context c, const Address& group);
  void ProcessMembership(Context c, const response::Event& event, FetchedEvent* fetched);
  Progress FinishLeaving(const Ongoing& ongoing);
  void FreeMemberships(uint32_t id);
  // endpoints.cc
  Progress FailEp(Context c, uint32_t id, Reply reply);
  Progress GoOnWithEp(Context c, const Ongoing& ongoing);
  Progress FinishEp(Context c, const Ongoing& ongoing);

  // events.cc
  bool Process(Context c, uint32_t channel, const response::Event& event, FetchedEvent* fetched);
  bool ProcessRequest(Context c, uint32_t channel, const response::Event& event,
                      FetchedEvent* fetched);
  void ProcessResponse(Context c, FetchedEvent* fetched);

  uint8_t kernel_;
  Slab<Channel> channels_;
  Slab<UserId> ids_;
  Slab<FetchedEvent> fetched_;
  Slab<UserMembership> memberships_;
  uint32_t joins_ = 0;
  std::vector<uint32_t> regions_;  // registered by this process
  uint32_t handed_out_ = 0;        // and not given back: address infos and lists of devices
};

}  // namespace cm::sim

#endif  // SIM_LIB_LIBRARY_H_
