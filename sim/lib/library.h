// The state of librdmacm in one process, as one copyable value: ids, channels, fetched events,
// memberships. calls.h has the functions. source: rdma-core 44 librdmacm/cma.c
#ifndef SIM_LIB_LIBRARY_H_
#define SIM_LIB_LIBRARY_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/vocabulary/address.h"
#include "model/vocabulary/ece.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/reply.h"
#include "sim/core/slab.h"
#include "sim/fabric/fabric.h"
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
  std::optional<AddrInfoOutput> info;  // the result, not returned yet
  PortSpace space = PortSpace::kTcp;
  uint32_t channel = kNobody;
  uint32_t handle = kNobody;  // the kernel's
  uint32_t qp = kNobody;
  uint32_t srq = kNobody;
  uint32_t service = 0;      // of a datagram id: the queue pair in its ESTABLISHED
  uint32_t event = kNobody;  // id->event, left by the last synchronous call
  uint32_t events_completed = 0;
  // Completion events that were read, less those that were acknowledged: of sends, of receives.
  std::array<int64_t, 2> cq_events_unacked{};
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

struct Library {
  // The surroundings of a call.
  struct Context : Verbs::Context {
    KernelContext kernel;
    Verbs* verbs;
  };

  // The file that commands about the id are written to.
  FileIndex FileOf(uint32_t id) const { return channels[ids[id].channel].file; }

  uint8_t kernel = 0;  // of the process
  Slab<Channel> channels;
  Slab<UserId> ids;
  Slab<FetchedEvent> events;
  Slab<UserMembership> memberships;
  uint32_t joins = 0;
  std::vector<uint32_t> regions;  // registered by this process
  uint32_t handed_out = 0;        // not released: address infos and lists of devices
  friend bool operator==(const Library&, const Library&) = default;
};

}  // namespace cm::sim

#endif  // SIM_LIB_LIBRARY_H_
