// The simulated librdmacm of one process: the state of its ids, the library's own checks, its
// transitions of queue pairs, and blocked calls.
//
// It calls the kernel by commands only. source: rdma-core 44 librdmacm/cma.c
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
  FileIndex file;
  friend bool operator==(const Channel&, const Channel&) = default;
};

// struct cma_id_private
struct UserId {
  bool live = false;
  bool connect_error = false;  // the library reported CONNECT_ERROR: it hides later events
  bool synchronous = false;    // it has a channel of its own, and calls wait for their event
  uint8_t device = kNoDevice;  // id->verbs
  uint8_t port_num = 0;
  uint8_t num_paths = 0;
  uint8_t responder_resources = 0;
  uint8_t initiator_depth = 0;
  bool gives_qps = false;              // its requests come with queue pairs
  bool looks_up = false;               // an address lookup is outstanding, or its result waits
  std::optional<QpType> qps_type;      // of this type; empty: that of the port space
  std::optional<AddrInfoHanded> info;  // the result, not returned yet
  PortSpace space = PortSpace::kTcp;
  uint32_t channel = kNobody;
  uint32_t handle = kNobody;  // the kernel's
  uint32_t qp = kNobody;
  uint32_t srq = kNobody;
  uint32_t service = 0;      // of a datagram id: the queue pair in its ESTABLISHED
  uint32_t event = kNobody;  // id->event, left by the last synchronous call
  uint32_t events_completed = 0;
  EceOptions local_ece;   // to be sent
  EceOptions remote_ece;  // received
  Address source;
  Address destination;
  friend bool operator==(const UserId&, const UserId&) = default;
};

// struct cma_multicast
struct UserMembership {
  bool live = false;
  bool joined = true;  // in the id's list
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
  uint32_t membership = kNobody;  // it counts for this as well
  CmEvent event;                  // without names
  friend bool operator==(const FetchedEvent&, const FetchedEvent&) = default;
};

// The reason why a call has not returned.
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

// True when the next event of the id's own channel ends the wait, or is its next step.
constexpr bool WaitsOnOwnChannel(Waiting waiting) {
  return waiting == Waiting::kCompletion || waiting == Waiting::kLookup ||
         waiting == Waiting::kRequest || waiting == Waiting::kEpAddress ||
         waiting == Waiting::kEpRoute;
}

// A blocked call.
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

// The progress of a call: blocked exactly while `ongoing` waits.
struct Progress {
  Reply reply;
  uint32_t made = kNobody;  // the channel, id or event that the call created
  Ongoing ongoing;
  std::optional<HandedOut> handed;  // further outputs
  friend bool operator==(const Progress&, const Progress&) = default;
};

// The objects of the names in a call; kNobody for a null pointer.
struct Named {
  uint32_t id = kNobody;  // the call's id
  uint32_t channel = kNobody;
  uint32_t event = kNobody;
  InlineVector<uint32_t, Sges::capacity() + 1> regions;  // of the elements, then the remote one
  std::string_view region_name = {};                     // of the registered one
};

// Each function makes the call of its name, and returns as the C function does: 0, or -1 and errno;
// or it crashes where the real library would. A Progress may also be blocked: Continue goes on with
// it. Errors of the kernel's commands are passed through; see rdma_cm.h. Indices of ids, channels
// and events must be live. Times are virtual; timeouts are in milliseconds.
class Library {
 public:
  explicit Library(uint8_t kernel) : kernel_(kernel) {}

  struct Context {
    KernelContext kernel;
    Verbs* verbs;
    const Profile* profile;
    Verbs::Wires wires{};
  };

  // Makes the call, as rdma-core 44 cma.c makes it. One for each call of the table: those below
  // with what its fields and names say, or, where there is no such function, the call itself.
#define CM_DO(number, type, function, linkage) \
  Progress Do(Context c, const call::type& x, const Named& at);
  CM_CALLS(CM_DO)
#undef CM_DO

  // Opens a file of the device; `made` is the channel. Never fails here.
  Progress CreateEventChannel(Context c, bool nonblocking);
  // Closes the file; blocks while an id of it has an outstanding message. Never refused.
  Progress DestroyEventChannel(Context c, uint32_t channel);
  // `made` is the id; kNobody as channel makes it synchronous. EINVAL for an unknown port space.
  Progress CreateId(Context c, uint32_t channel, PortSpace space);
  // Blocks until the fetched events of the id are acknowledged, and its messages are given up.
  // source: man rdma_destroy_id(3)
  Progress DestroyId(Context c, uint32_t id);
  // EINVAL for an unknown family. source: man rdma_bind_addr(3)
  Reply BindAddr(Context c, uint32_t id, const Address& address);
  // Binds an unbound id first, as the kernel does. source: man rdma_listen(3)
  Reply Listen(Context c, uint32_t id, int32_t backlog);
  // Starts the resolution, which ADDR_RESOLVED or ADDR_ERROR ends. EINVAL for an unknown family.
  Reply ResolveAddr(Context c, uint32_t id, const call::ResolveAddr& call);
  // Starts the resolution, which ROUTE_RESOLVED or ROUTE_ERROR ends. Crashes without a device: the
  // library reads id->verbs. source: rdma-core 44 cma.c rdma_resolve_route
  Reply ResolveRoute(Context c, uint32_t id, int32_t timeout_ms);
  // EINVAL when the id has a queue pair, EOPNOTSUPP for a type that the device lacks; crashes
  // without a device. An empty type is that of the port space. source: rdma-core 44 cma.c
  // rdma_create_qp_ex
  Reply CreateQp(Context c, uint32_t id, std::optional<QpType> type);
  // Crashes without a queue pair.
  Reply DestroyQp(Context c, uint32_t id);
  // Sends the request. EINVAL for depths beyond the device's; crashes without parameters and queue
  // pair. source: man rdma_connect(3), rdma-core 44 cma.c rdma_connect
  Reply Connect(Context c, uint32_t id, const std::optional<ConnParam>& param);
  // Moves the queue pair to RTS and sends the reply; on an error of the kernel the queue pair goes
  // to ERR. EINVAL and crashes as Connect. source: man rdma_accept(3)
  Reply Accept(Context c, uint32_t id, const std::optional<ConnParam>& param);
  // source: man rdma_reject(3)
  Reply Reject(Context c, uint32_t id, const PrivateData& data);
  // EINVAL when the id has a queue pair. source: man rdma_establish(3)
  Reply Establish(Context c, uint32_t id);
  // EINVAL without a device. Over iWARP it blocks while a request of the id is unanswered. On a
  // synchronous id it waits for its event. source: man rdma_disconnect(3)
  Progress DisconnectOrWait(Context c, uint32_t id);
  // `made` is the event. Blocks on an empty channel; EAGAIN on a non-blocking one.
  Progress GetCmEvent(Context c, uint32_t channel);
  // Frees the event; may release a destroy, a migration or a leave. Never refused.
  Reply AckCmEvent(uint32_t event);
  // attributes.cc
  Reply Notify(Context c, uint32_t id, uint8_t what);
  // `handed` are the attributes for the state (attr.qp_state).
  Progress InitQpAttr(Context c, uint32_t id, uint8_t state);
  // EINVAL with a queue pair, without a vendor id, or with a comp_mask.
  Reply SetLocalEce(uint32_t id, const EceOptions& ece);
  // EINVAL with a queue pair.
  Progress GetRemoteEce(uint32_t id) const;
  Reply RejectEce(Context c, uint32_t id, const PrivateData& data);
  Progress EventStr(Context c, uint8_t type) const;
  // multicast.cc
  // Starts the join, which MULTICAST_JOIN or MULTICAST_ERROR ends. EINVAL for an unknown family;
  // of the extended form EOPNOTSUPP for unknown bits of the mask, EINVAL for missing ones.
  Reply JoinMulticast(Context c, uint32_t id, const call::JoinMulticast& call);
  Reply JoinMulticastEx(Context c, uint32_t id, const call::JoinMulticastEx& call);
  // Blocks until the membership's events are acknowledged. EADDRNOTAVAIL without such a membership.
  Progress LeaveMulticast(Context c, uint32_t id, const Address& address);
  // options.cc
  Reply SetOption(Context c, uint32_t id, const call::SetOption& call);
  // Blocks until the events fetched from the old channel are acknowledged. EINVAL when a
  // synchronous id is to be synchronous again. source: man rdma_migrate_id(3)
  Progress MigrateId(Context c, uint32_t id, uint32_t channel);
  // synchronous.cc
  // The result of a call that started an operation with reply `started`: on a synchronous id it
  // waits for the event, and returns its status. source: rdma-core 44 cma.c ucma_complete
  Progress Complete(Context c, uint32_t id, Reply started);
  // The same for rdma_accept: for datagrams there is no event to wait for.
  Progress CompleteAccept(Context c, uint32_t id, Reply started);
  // `made` is the id of the next request; waits for it. EINVAL on an id that is not synchronous,
  // or for an event that is no request; the status of a failure event, or of the queue pair's
  // creation.
  Progress GetRequest(Context c, uint32_t listener);
  // endpoints.cc
  // `made` is the id. Waits for each resolution; returns the error of the step that fails, and then
  // leaves no id. source: rdma-core 44 cma.c rdma_create_ep
  Progress CreateEp(Context c, const call::CreateEp& call);
  // DestroyQp, ignoring its errors, and DestroyId.
  Progress DestroyEp(Context c, uint32_t id);
  // addrinfo.cc
  // `handed` is the result, to be released by GiveBack. EINVAL without node, service and hints; an
  // error number of the resolver where it finds nothing.
  Progress GetAddrInfo(const call::GetAddrInfo& call);
  // `handed` is the list, to be released by GiveBack. ENODEV without a device.
  Progress GetDevices(Context c);
  // rdma_freeaddrinfo or rdma_free_devices.
  void GiveBack() { --handed_out_; }
  // Starts the lookup, which an event ends; EBUSY while an earlier one is outstanding.
  // source: rdma-core 65 cma.c rdma_resolve_addrinfo
  Progress ResolveAddrInfo(Context c, uint32_t id, const call::ResolveAddrInfo& call);
  // Returns the result once; ENOENT without one.
  Progress QueryAddrInfo(uint32_t id);
  // EINVAL for another type than USER. source: rdma-core 65 cma.c rdma_write_cm_event
  Reply WriteCmEvent(Context c, uint32_t id, const call::WriteCmEvent& call);
  // The public fields of the id.
  Shown Show(Context c, uint32_t id) const;
  // work.cc
  // EINVAL without a type in the extended attributes; crashes without a device.
  Reply CreateSrq(Context c, uint32_t id, bool typed);
  // Crashes without one.
  Reply DestroySrq(Context c, uint32_t id);
  // `made` is the region; crashes without a device.
  Progress Register(Context c, uint32_t id, const std::vector<uint8_t>& bytes, bool remote_read,
                    bool remote_write);
  // `handed` is the digest of the final content of the region's buffer.
  Progress Deregister(Context c, uint32_t region);
  // Return the provider's errno; crash without a queue pair (or, to receive, a shared queue).
  Reply PostReceive(Context c, uint32_t id, WorkRequest work);
  Reply PostSend(Context c, uint32_t id, WorkRequest work);
  // Waits for a completion of the sends or the receives; crashes without a queue pair.
  Progress GetCompletion(Context c, uint32_t id, Waiting which);

  // The progress of a blocked call; blocked again when nothing has changed.
  Progress Continue(Context c, const Ongoing& ongoing);

  // True when the channel's descriptor is readable.
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

  // The process exits: the kernel closes its files, and the library's state is dropped.
  void Exit(Context c);
  // The host has crashed: drops the state without commands.
  void Crash(Context c);

  friend bool operator==(const Library&, const Library&) = default;

 private:
  // calls.cc
  Progress DoRegister(Context c, const Named& at, uint32_t length, bool remote_read,
                      bool remote_write);
  static WorkRequest RequestOf(const call::Work& work, const Named& at, WcOpcode opcode);

  FileIndex FileOf(uint32_t id) const { return channels_[ids_[id].channel].file; }
  Errno QueryAddr(Context c, uint32_t id);
  Errno QueryPath(Context c, uint32_t id);
  Errno InitQp(Context c, uint32_t id, uint32_t qp);
  bool Misses(uint32_t id, const std::optional<ConnParam>& param) const;
  Errno BringUp(Context c, uint32_t id);
  void QpToError(Context c, uint32_t id);
  // Blocked over iWARP while a request of the id is unanswered.
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
  uint32_t handed_out_ = 0;        // not released: address infos and lists of devices
};

}  // namespace cm::sim

#endif  // SIM_LIB_LIBRARY_H_
