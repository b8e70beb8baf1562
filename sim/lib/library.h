// The simulated librdmacm of one process: what the user's ids know, the library's own checks, its
// transitions of queue pairs, and which calls wait.
//
// It speaks to the kernel by commands only. source: rdma-core 44 librdmacm/cma.c
#ifndef SIM_LIB_LIBRARY_H_
#define SIM_LIB_LIBRARY_H_

#include <cstdint>
#include <optional>

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
  uint8_t device = kNoDevice;  // id->verbs
  uint8_t port_num = 0;
  uint8_t num_paths = 0;
  uint8_t responder_resources = 0;
  uint8_t initiator_depth = 0;
  PortSpace space = PortSpace::kTcp;
  uint32_t channel = kNobody;
  uint32_t handle = kNobody;  // the kernel's
  uint32_t qp = kNobody;
  uint32_t events_completed = 0;
  Address source;
  Address destination;
  friend bool operator==(const UserId&, const UserId&) = default;
};

// struct cma_event: an event between rdma_get_cm_event and rdma_ack_cm_event
struct FetchedEvent {
  bool live = false;
  uint32_t credits = kNobody;    // the id that the acknowledgement counts for
  uint32_t id = kNobody;         // event->id
  uint32_t listen_id = kNobody;  // event->listen_id
  CmEvent event;                 // without names
  friend bool operator==(const FetchedEvent&, const FetchedEvent&) = default;
};

// What a call that has not returned waits for.
enum class Waiting : uint8_t { kNothing, kEvent, kKernelDestroy, kAcks, kChannelClose };

// A call in the middle of its work.
struct Ongoing {
  Waiting waiting = Waiting::kNothing;
  uint32_t id = kNobody;       // of rdma_destroy_id
  uint32_t channel = kNobody;  // of rdma_get_cm_event and rdma_destroy_event_channel
  uint32_t ticket = 0;         // of the kernel's destroy
  uint32_t events_reported = 0;
  friend bool operator==(const Ongoing&, const Ongoing&) = default;
};

// How far a call came. Blocked exactly while `ongoing` waits for something.
struct Progress {
  Reply reply;
  uint32_t made = kNobody;  // the channel, id or event that the call made
  Ongoing ongoing;
};

class Library {
 public:
  explicit Library(uint8_t kernel) : kernel_(kernel) {}

  struct Context {
    RdmaCm* kernel;
    Verbs* verbs;
    const Profile* profile;
    Defect defect;
  };

  Progress CreateEventChannel(Context c, bool nonblocking);
  Progress DestroyEventChannel(Context c, uint32_t channel);
  Progress CreateId(Context c, uint32_t channel, PortSpace space);
  Progress DestroyId(Context c, uint32_t id);
  Reply BindAddr(Context c, uint32_t id, const Address& address);
  Reply Listen(Context c, uint32_t id, int32_t backlog);
  Reply ResolveAddr(Context c, uint32_t id, const call::ResolveAddr& call);
  Reply ResolveRoute(Context c, uint32_t id, int32_t timeout_ms);
  Reply CreateQp(Context c, uint32_t id);
  Reply DestroyQp(Context c, uint32_t id);
  Reply Connect(Context c, uint32_t id, const std::optional<ConnParam>& param);
  Reply Accept(Context c, uint32_t id, const std::optional<ConnParam>& param);
  Reply Reject(Context c, uint32_t id, const PrivateData& data);
  Reply Establish(Context c, uint32_t id);
  Reply Disconnect(Context c, uint32_t id);
  Progress GetCmEvent(Context c, uint32_t channel);
  Reply AckCmEvent(uint32_t event);
  Shown Show(Context c, uint32_t id) const;

  // Goes on with a call that waits.
  Progress Continue(Context c, const Ongoing& ongoing);

  bool Readable(Context c, uint32_t channel) const;
  bool LiveId(uint32_t id) const { return ids_.Live(id); }
  bool LiveChannel(uint32_t channel) const { return channels_.Live(channel); }
  const FetchedEvent& fetched(uint32_t event) const { return fetched_[event]; }
  const UserId& at(uint32_t id) const { return ids_[id]; }
  uint32_t live_ids() const { return ids_.live_count(); }
  uint32_t live_events() const { return fetched_.live_count(); }

  // The process exits: the kernel closes its files, and nothing of the library is left.
  void Exit(Context c);

  friend bool operator==(const Library&, const Library&) = default;

 private:
  uint32_t FileOf(uint32_t id) const { return channels_[ids_[id].channel].file; }
  Errno QueryAddr(Context c, uint32_t id);
  Errno QueryPath(Context c, uint32_t id);
  Errno BringUp(Context c, uint32_t id);
  void QpToError(Context c, uint32_t id);
  bool DepthsFit(Context c, uint32_t id, const ConnParam& param) const;
  command::ConnectionParam ParamFor(Context c, uint32_t id, const std::optional<ConnParam>& param);
  void FreeId(Context c, uint32_t id);

  // events.cc
  bool Process(Context c, uint32_t channel, response::Event event, FetchedEvent* fetched);
  bool ProcessRequest(Context c, uint32_t channel, const response::Event& event,
                      FetchedEvent* fetched);
  void ProcessResponse(Context c, FetchedEvent* fetched);

  uint8_t kernel_;
  Slab<Channel> channels_;
  Slab<UserId> ids_;
  Slab<FetchedEvent> fetched_;
};

}  // namespace cm::sim

#endif  // SIM_LIB_LIBRARY_H_
