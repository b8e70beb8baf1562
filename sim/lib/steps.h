// Steps that calls of several files have in common.
#ifndef SIM_LIB_STEPS_H_
#define SIM_LIB_STEPS_H_

#include <cstdint>
#include <optional>

#include "model/base/errno.h"
#include "model/vocabulary/address.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/reply.h"
#include "sim/lib/calls.h"
#include "sim/lib/library.h"
#include "sim/rdma_cm/commands.h"

namespace cm::sim {

using Context = Library::Context;

inline Progress Ended(const Reply& reply) { return {.reply = reply}; }
inline Progress Ended(Errno error) {
  return Ended(error == Errno::kNone ? Reply::Returned() : Reply::Refused(error));
}
inline Progress Blocked(const Ongoing& ongoing) {
  return {.reply = Reply::Blocked(), .ongoing = ongoing};
}

// A command about the id, written to its file; the result is that of the command.
template <typename Command>
auto Write(const Context& c, const Library& library, uint32_t id, const Command& command) {
  return Execute(c.kernel, library.FileOf(id), command);
}

// source: rdma-core 44 librdmacm/cma.c ucma_addrlen
inline bool FamilyKnown(const Address& address) {
  return address.kind != AddressKind::kNone && address.kind != AddressKind::kBadFamily;
}
// A step of the library's own has failed: the event becomes this one.
inline void Fail(FetchedEvent* fetched, EventType type) {
  fetched->event.type = type;
  fetched->event.status = -1;
}
inline bool OverIwarp(const Context& c) { return c.profile->transport == Transport::kIwarp; }

// ids.cc
// Take over what the kernel knows: addresses and device, or the number of paths.
Errno QueryAddr(const Context& c, Library& library, uint32_t id);
Errno QueryPath(const Context& c, Library& library, uint32_t id);
Reply ResolveAddr(const Context& c, Library& library, uint32_t id, const call::ResolveAddr& x);
Reply ResolveRoute(const Context& c, Library& library, uint32_t id, int32_t timeout_ms);
Progress DestroyId(const Context& c, Library& library, uint32_t id);
// Frees the id with everything that belongs to it, without a command.
void FreeId(const Context& c, Library& library, uint32_t id);

// connection.cc
Reply CreateQp(const Context& c, Library& library, uint32_t id, std::optional<QpType> type);
Reply DestroyQp(const Context& c, Library& library, uint32_t id);
// Moves the queue pair to RTS, with the kernel's attributes for each step. An id that accepts gives
// it its own depths, and not those of the peer's message. EINVAL where the device cannot ask as
// deep: it stays in RTR then.
Errno BringUp(const Context& c, Library& library, uint32_t id, bool accepts);
void QpToError(const Context& c, Library& library, uint32_t id);

// events.cc
// Frees a fetched event, which counts for its id and its membership.
void Release(Library& library, uint32_t event);

// synchronous.cc
uint32_t OpenPrivateChannel(const Context& c, Library& library);
void ClosePrivateChannel(const Context& c, Library& library, uint32_t channel);
// The id of a request leaves the channel of its listener before rdma_get_request returns.
Errno MoveToOwnChannel(const Context& c, Library& library, uint32_t id);
// Releases the event that the id's last synchronous call has left.
void AckRetained(Library& library, uint32_t id);

// lookups.cc
void ProcessInfo(const Context& c, Library& library, FetchedEvent* fetched);

// multicast.cc
void ProcessMembership(const Context& c, Library& library, const response::Event& event,
                       FetchedEvent* fetched);
void FreeMemberships(Library& library, uint32_t id);

}  // namespace cm::sim

#endif  // SIM_LIB_STEPS_H_
