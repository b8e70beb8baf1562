// Commands of librdmacm to its kernel as the calls that made them, and events as programs see them.
#ifndef TOOLS_APP_COMMAND_CALLS_H_
#define TOOLS_APP_COMMAND_CALLS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "model/vocabulary/call.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/reply.h"
#include "model/vocabulary/topology.h"
#include "sim/uapi/layout.h"
#include "sim/uapi/request.h"

namespace cm::app {

// The id that the command is about; empty for one about none. For LEAVE_MCAST a membership.
std::optional<uint32_t> IdIn(const sim::uapi::Command& command);

// The call on `id`, which has a queue pair of the library or not. Empty where the language cannot
// say it: an address that the topology lacks, a long option, a newer command. Commands that create
// or look at something are no calls.
std::optional<Call> CallOf(const sim::uapi::Command& command, IdRef id, bool has_qp,
                           const Topology& topology);

// The active side also uses ACCEPT, to report that it has processed the reply.
bool Establishes(const sim::uapi::Command& command);

// An event without its ids: `type` is what the library made of it.
CmEvent EventOf(std::span<const uint8_t> answer, EventType type, bool datagrams,
                const Topology& topology);

Reply ReplyOf(const sim::uapi::Answer& answer);

}  // namespace cm::app

#endif  // TOOLS_APP_COMMAND_CALLS_H_
