// The simulated kernel rdma_cm: ids, ports, address and route resolution, event queues.
//
// One object serves all kernels of a world. Each command checks what the kernel checks, in its
// order: handle, removal, device, state. source: linux 6.1 ucma.c, cma.c
#ifndef SIM_RDMA_CM_RDMA_CM_H_
#define SIM_RDMA_CM_RDMA_CM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/result.h"
#include "sim/core/agenda.h"
#include "sim/core/fifo.h"
#include "sim/core/slab.h"
#include "sim/core/slot_table.h"
#include "sim/fabric/fabric.h"
#include "sim/ib_cm/ib_cm.h"
#include "sim/iw_cm/iw_cm.h"
#include "sim/rdma_cm/commands.h"

namespace cm::sim {

// source: linux 6.1 cma_priv.h enum rdma_cm_state
enum class CmState : uint8_t {
  kIdle,
  kAddrQuery,
  kAddrResolved,
  kRouteQuery,
  kRouteResolved,
  kConnect,
  kDisconnect,
  kAddrBound,
  kListen,
  kDeviceRemoval,
  kDestroying,
};

// An SA query with its retries.
struct SmQuery {
  Duration interval;
  int64_t left = 0;       // retries left
  bool answered = false;  // the response is in flight
  friend bool operator==(const SmQuery&, const SmQuery&) = default;
};

// An id of the kernel, with its ucma context.
struct CmId {
  bool live = false;
  bool closed = false;  // its device was removed: every command but destroy returns ENXIO
  bool owns_port = false;
  bool listens_on_device = false;  // it has an IB CM id of its own, in a state of its own
  bool family_only = true;
  bool family_only_given = false;  // by an option
  bool shares_port = false;        // REUSEADDR
  bool path_given = false;         // by an option, without a destination
  uint8_t ack_timeout = 0;         // an exponent; 0: that of the path
  uint8_t packet_lifetime = 0;     // of the path
  bool destroy_wanted = false;     // by its owner, not by a device removal
  bool neighbour_tracked = false;
  bool resolved_wrong_neighbour = false;  // it has a wrong hardware address of its peer
  CmState state = CmState::kIdle;
  PortSpace space = PortSpace::kTcp;
  uint8_t kernel = 0;
  uint8_t device = kNoDevice;
  uint8_t interface = kNoDevice;  // bound_dev_if: sticks, also after a failure
  uint8_t bond_slave = 0;         // of the interface, when it was bound
  uint32_t peer_fail_overs = 0;   // of the destination's bond, when the route was resolved
  uint32_t source_since = 0;      // fail-overs of the device's bond when the id got its GID
  uint8_t num_paths = 0;
  uint8_t addr_change_due = 0;  // reports in progress; not for the next id in this slot
  uint8_t neighbour_due = 0;
  uint32_t file = kNobody;
  uint64_t uid = 0;  // 0 on a request that is not accepted: its events are discarded
  uint32_t ib = kNobody;
  uint32_t iw = kNobody;        // over iWARP, in place of `ib`
  uint32_t listener = kNobody;  // of a request: its listener
  uint32_t attached = 0;        // number of its attachment to a device: the order of removal
  uint32_t took_port = 0;       // number of its port ownership: the newest is the first
  uint32_t events_reported = 0;
  int32_t backlog = 0;  // room for unfetched requests
  Address source;
  Address destination;
  uint8_t resolve_interface = kNoDevice;  // result of the address resolution in progress
  int32_t resolve_status = 0;
  Instant work = Instant::Never();  // when its resolution ends; another event is stale
  SmQuery asking;                   // route query, over InfiniBand
  friend bool operator==(const CmId&, const CmId&) = default;
};

// An id's membership in a group.
struct Membership {
  bool live = false;
  uint32_t id = kNobody;
  uint64_t uid = 0;
  uint32_t events_reported = 0;
  Address address;
  SmQuery asking;  // over InfiniBand
  bool send_only = false;
  bool joined = false;              // and reported
  bool left = false;                // kept until the work is over, which then does nothing
  Instant work = Instant::Never();  // when it is reported
  friend bool operator==(const Membership&, const Membership&) = default;
};

struct QueuedEvent {
  response::Event event;
  uint32_t on = kNobody;          // the id that it counts for
  uint32_t request = kNobody;     // the new id of a connection request
  uint32_t membership = kNobody;  // it counts for this as well
  friend bool operator==(const QueuedEvent&, const QueuedEvent&) = default;
};

// An open file of the rdma_cm device: an event channel.
struct File {
  bool live = false;
  bool closing = false;  // freed with the last of its ids
  uint8_t kernel = 0;
  Fifo<QueuedEvent> queue;
  friend bool operator==(const File&, const File&) = default;
};

// A destroy that waits until a message of the id is given up.
struct PendingDestroy {
  uint32_t ticket = 0;
  uint32_t id = kNobody;
  bool finished = false;
  uint32_t events_reported = 0;
  friend bool operator==(const PendingDestroy&, const PendingDestroy&) = default;
};

// The result of a destroy: finished, or a ticket for TakeDestroyed.
struct Destroyed {
  bool finished = false;
  uint32_t ticket = 0;
  uint32_t events_reported = 0;
};

// Errors of commands: ENOENT for an unknown or destroyed id, EINVAL for an id of another file,
// ENXIO after the id's device was removed; then EINVAL in a state that does not permit the command.
// Further ones are given below. source: linux 6.1 ucma.c ucma_get_ctx, cma.c
class RdmaCm : public IbCmUser, public IwCmUser {
 public:
  struct Context {
    Agenda* agenda;
    Fabric* fabric;
    IbCm* ib;
    IwCm* iw;
    const Profile* profile;
  };
  // Sets the surroundings of commands and events; the world calls it before each.
  void Attend(Context context) { c_ = context; }

  // Opens the device file: a new event channel of the kernel. Never fails.
  uint32_t Open(uint8_t kernel);
  // Destroys the remaining ids; false while one of them has an outstanding message (see Closed).
  bool Close(uint32_t file);
  bool Closed(uint32_t file) const { return !files_.Live(file); }
  // True when GetEvent would return an event.
  bool Readable(uint32_t file) const { return !files_[file].queue.empty(); }

  // Commands; one overload each. `file` is the file that the command is written to; for MigrateId
  // the new one. CreateId: EINVAL for an unknown port space.
  Result<uint32_t> Write(uint32_t file, const command::CreateId& cmd);
  // EADDRINUSE for a port that another id owns with this address; EADDRNOTAVAIL if one of the two
  // is a wildcard, and without such an interface or a free port; ENODEV without a registered
  // device.
  Errno Write(uint32_t file, const command::Bind& cmd);
  // As Bind for an unbound id; EADDRINUSE when the port is shared with another id.
  Errno Write(uint32_t file, const command::Listen& cmd);
  // Start a resolution, which an event ends after at most timeout_ms; 0 tries an address once.
  // ENETUNREACH without a route, ENODEV without a device.
  Errno Write(uint32_t file, const command::ResolveAddr& cmd);
  Errno Write(uint32_t file, const command::ResolveRoute& cmd);
  // EINVAL for private data that does not fit. Over iWARP ECONNREFUSED without a listener,
  // ETIMEDOUT without a host.
  Errno Write(uint32_t file, const command::Connect& cmd);
  // Without parameters it completes the active side. A failed accept rejects the request.
  Errno Write(uint32_t file, const command::Accept& cmd);
  Errno Write(uint32_t file, const command::Reject& cmd);
  // Over iWARP EAGAIN while a request of the id is unanswered: the caller waits and repeats it.
  Errno Write(uint32_t file, const command::Disconnect& cmd);
  Errno Write(uint32_t file, const command::Notify& cmd);
  // EINVAL for kernels without the command.
  Errno Write(uint32_t file, const command::WriteCmEvent& cmd);
  Result<uint32_t> Write(uint32_t file, const command::MigrateId& cmd);
  // ENOSYS for an unknown level or option, EINVAL for a wrong length.
  Errno Write(uint32_t file, const command::SetOption& cmd);
  // ENODEV without an interface; over iWARP ENOSYS.
  Result<uint32_t> Write(uint32_t file, const command::JoinMulticast& cmd);
  Result<uint32_t> Write(uint32_t file, const command::LeaveMulticast& cmd);
  Result<response::QpAttr> Write(uint32_t file, const command::InitQpAttr& cmd);
  Result<response::QueryAddr> QueryAddr(uint32_t file, const command::Query& cmd);
  Result<response::QueryPath> QueryPath(uint32_t file, const command::Query& cmd);
  Errno QueryService(uint32_t file, const command::Query& cmd) const;
  // Takes the next event; EAGAIN when there is none.
  Result<response::Event> GetEvent(uint32_t file);
  // Drops the id's unfetched events; the result counts the fetched ones.
  Result<Destroyed> Write(uint32_t file, const command::DestroyId& cmd);
  // The number of events reported, once the destroy of this ticket is over; empty before. The
  // ticket is invalid then.
  std::optional<uint32_t> TakeDestroyed(uint32_t ticket);

  // Events of the agenda.
  void OnAddressWork(uint32_t id);
  void OnRouteWork(uint32_t id);
  void OnNeighbourWork(uint32_t id);
  void OnAddrChangeWork(uint32_t id);
  void OnCloseWork(uint32_t id);
  void OnMembershipWork(uint32_t membership);

  // Faults.
  void RemoveDevice(uint8_t device);
  // Drops everything of the kernel, without notifications.
  void Crash(uint8_t kernel);
  void FailOver(uint8_t device);
  void NeighbourChanged(uint8_t device, uint32_t before);

  // IbCmUser
  bool Listens(uint8_t device, const Mad& req) override;
  RequestVerdict OnRequest(uint32_t ib, uint8_t device, const Mad& req) override;
  void OnIbEvent(uint32_t user, IbEventKind kind, const Mad* mad) override;
  void OnIbGone(uint32_t user) override;

  // IwCmUser
  IwVerdict OnMpaRequest(uint32_t iw, const Frame& request) override;
  void OnIwEvent(uint32_t user, IwEventKind kind, Depths depths, const Frame* frame) override;
  void OnIwGone(uint32_t user) override;

  // The id's queue pair was destroyed, or is in an error state.
  void QueuePairBreaks(uint32_t id);

  // The registered devices of the kernel: bits by index.
  uint32_t Devices(uint8_t kernel) const;

  uint32_t live_ids() const { return ids_.live_count(); }
  const CmId& at(uint32_t id) const { return ids_[id]; }
  const File& file(uint32_t f) const { return files_[f]; }
  bool Live(uint32_t id) const { return ids_.Live(id); }
  bool LiveFile(uint32_t f) const { return files_.Live(f); }
  uint32_t id_end() const { return ids_.end(); }
  const Slab<Membership>& memberships() const { return memberships_; }
  uint32_t file_end() const { return files_.end(); }

  friend bool operator==(const RdmaCm& a, const RdmaCm& b) {
    return a.ids_ == b.ids_ && a.files_ == b.files_ && a.pending_destroys_ == b.pending_destroys_ &&
           a.memberships_ == b.memberships_;
  }

 private:
  IbCm::Context IbContext() { return {c_.agenda, c_.fabric, this, c_.profile}; }
  IwCm::Context IwContext() { return {c_.agenda, c_.fabric, this, c_.profile}; }
  bool OverIwarp() const { return c_.profile->transport == Transport::kIwarp; }
  bool OverInfiniband() const { return c_.profile->transport == Transport::kInfiniband; }
  // ENOENT, EINVAL or ENXIO, in the order of the kernel's handle lookup.
  Errno Lookup(uint32_t file, uint32_t id) const;
  Errno LookupWithDevice(uint32_t file, uint32_t id) const;

  // ids.cc
  void Queue(uint32_t id, response::Event event);
  void QueueRequest(uint32_t listener, uint32_t request, response::Event event);
  bool DestroyKernelId(uint32_t id);
  bool DestroyTransport(uint32_t id);
  void OnTransportGone(uint32_t id);
  void ReleaseKernelId(uint32_t id);
  void FreeContext(uint32_t id);
  bool FreeIfUnused(uint32_t file);
  void CleanUpEvents(uint32_t id);
  void ForgetRequest(uint32_t id);
  void AttachTo(uint32_t id, uint8_t device);

  // addressing.cc
  Errno BindTo(uint32_t id, const Address& address, const Address* destination);
  Errno TakePort(uint32_t id);
  Errno CheckPort(uint32_t id, bool shares) const;
  bool TakeEphemeralPort(uint32_t id);
  void LeavePort(uint32_t id);
  bool AddressIsUp(const Address& address, uint8_t kernel) const;

  // resolution.cc
  struct Route {
    uint8_t interface = kNoDevice;
    bool neighbour_answers = true;
  };
  Result<Route> FindRoute(const CmId& id, const Address& destination) const;
  Errno StartResolving(uint32_t id, const command::ResolveAddr& cmd);
  Errno ResolveLoopback(uint32_t id);

  // subnet.cc
  enum class Heard : uint8_t { kNothingYet, kAnswer, kNothing };
  static SmQuery QueryFor(Duration patience);
  Heard Ask(uint8_t device, SmQuery* asking, Instant* work) const;
  void QueryRoute(uint32_t id);
  void QueryGroup(uint32_t membership);
  bool AlreadyIn(uint32_t membership) const;

  // options.cc
  Errno SetIdOption(CmId* own, const command::SetOption& cmd);
  Errno SetPath(uint32_t id, const command::SetOption& cmd);

  // connection.cc
  uint32_t FindOwner(uint8_t device, const Mad& req) const;
  Errno AcceptOrEstablish(uint32_t id, const command::Accept& cmd);
  bool SourceLost(const CmId& own) const;

  // iwarp.cc
  uint32_t ListenerFor(uint8_t device, const Frame& request) const;
  Errno ConnectOverTcp(uint32_t id, const command::Connect& cmd);
  Errno AcceptOverTcp(uint32_t id, const command::Accept& cmd);
  Errno DisconnectOverTcp(uint32_t id);
  Result<response::QpAttr> AttributesOverTcp(uint32_t id, QpState state) const;

  // multicast.cc
  Errno CheckJoin(const CmId& own, const Address& address) const;
  void ReportMembership(uint32_t membership, Errno failure);
  void LeaveAll(uint32_t id);
  void DropEventsOf(uint32_t membership);
  void Forget(uint32_t membership);

  // datagram.cc
  Errno ConnectDatagram(uint32_t id, const command::Connect& cmd);
  Errno AnswerDatagram(uint32_t id, const command::Accept& cmd);
  Errno RefuseDatagram(uint32_t id, const PrivateData& data);
  bool ReportDatagram(uint32_t id, IbEventKind kind, const Mad* mad);

  Context c_{};
  Slab<CmId> ids_;
  Slab<File> files_;
  Slab<Membership> memberships_;
  SlotTable port_owners_;  // ids that own a port, by kernel, space and port
  std::vector<PendingDestroy> pending_destroys_;
  uint32_t attach_count_ = 0;
  uint32_t port_count_ = 0;
  uint32_t last_ticket_ = 0;
  uint16_t last_ephemeral_ = 0;
};

}  // namespace cm::sim

#endif  // SIM_RDMA_CM_RDMA_CM_H_
