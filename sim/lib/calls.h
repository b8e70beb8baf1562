// The functions of librdmacm, each a call as data.
//
// A call returns as the C function does: 0, or -1 and errno; or it crashes where the real library
// would. It may also be blocked: Continue goes on with it. The library does what the real one does
// before and after a command to the kernel; errors of the command are passed through (commands.h).
// Times are virtual; timeouts are in milliseconds.
//
//   Progress made = Do(c, library, call::CreateId{.space = PortSpace::kUdp}, {.channel = channel});
//   Progress bound = Do(c, library, call::BindAddr{.address = address}, {.id = made.made});
//
// source: rdma-core 44 librdmacm/cma.c, <rdma/rdma_verbs.h>
#ifndef SIM_LIB_CALLS_H_
#define SIM_LIB_CALLS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/base/inline_vector.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/reply.h"
#include "model/vocabulary/work.h"
#include "sim/core/slab.h"
#include "sim/lib/library.h"

namespace cm::sim {

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
  kGroupAcks,  // rdma_leave_multicast
  kEpAddress,  // rdma_create_ep, for the end of its address resolution
  kEpRoute,    // and of its route resolution
  kCqEvent,    // of a completion queue
  kCqAcks,     // rdma_destroy_qp, for acknowledgements of completion events
  kEpCqAcks,   // and rdma_destroy_ep, which then destroys the id
  kReply,      // rdma_disconnect over iWARP, for the reply to the request
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
  bool receives = false;       // the completion queue: id->recv_cq, or id->send_cq
  bool polls = false;          // it waits for a completion, not for the event itself
  friend bool operator==(const Ongoing&, const Ongoing&) = default;
};

// The progress of a call: blocked exactly while `ongoing` waits.
struct Progress {
  Reply reply;
  uint32_t made = kNobody;  // the channel, id or event that the call created
  Ongoing ongoing;
  std::optional<Output> output;  // further outputs
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

// One function for each call of the table, in the file of its topic, where its errors stand. What
// `at` names must be live; the names in the call itself are not read.
#define CM_DO(number, type, function, linkage) \
  Progress Do(const Library::Context& c, Library& library, const call::type& x, const Named& at);
CM_CALLS(CM_DO)
#undef CM_DO

// The progress of a blocked call; blocked again when nothing has changed. It returns what the call
// would have returned. source: rdma-core 44 cma.c rdma_get_cm_event, ucma_complete, ucma_free_id
Progress Continue(const Library::Context& c, Library& library, const Ongoing& ongoing);

// True when the channel's descriptor is readable: rdma_get_cm_event may still find no event, as the
// library drops some. source: man rdma_get_cm_event(3)
bool Readable(const Library::Context& c, const Library& library, uint32_t channel);

// The public fields of struct rdma_cm_id, and the state of its queue pair.
Shown Show(const Library::Context& c, const Library& library, uint32_t id);

// The process exits: the kernel closes its files, and the library's state is dropped.
void Exit(const Library::Context& c, Library& library);
// The host has crashed: drops the state without commands.
void Crash(const Library::Context& c, Library& library);

}  // namespace cm::sim

#endif  // SIM_LIB_CALLS_H_
