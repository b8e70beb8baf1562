// What messages carry, by the calls that send them.
#ifndef MODEL_ORACLE_MACHINE_PAYLOADS_H_
#define MODEL_ORACLE_MACHINE_PAYLOADS_H_

#include <cstdint>
#include <optional>

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/state.h"
#include "model/oracle/machine/machine.h"
#include "model/vocabulary/call.h"

namespace cm::model {

// What CONNECT_REQUEST will carry: depths as the receiver sees them, counts clamped.
Payload RequestPayload(const ConversationFacts& facts, const call::Connect& call, bool has_qp);
// Over iWARP private data has its own length, and of the parameters the depths alone are carried.
Payload IwRequestPayload(const ConversationFacts& facts, const call::Connect& call);
// What the active side's event will carry.
Payload ReplyPayload(const ConversationFacts& facts, const call::Accept& call, const IdState& id);
// The same over iWARP, and what the id itself reports; interned.
Details AgreedOverIwarp(ConversationFacts& facts, const call::Accept& call, const IdState& id);
// A datagram carries private data alone.
Payload DatagramPayload(const std::optional<ConnParam>& param, uint8_t length);
// Where the requested service is: rdma_accept names its queue pair, rdma_establish none.
Payload ServicePayload(const ConversationFacts& facts, const Call& call, const IdState& id);
// What the application gets to see of a tester's message; null for one that no event reports.
std::optional<Payload> TesterPayload(const TesterMad& mad, const Limits& limits);

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_PAYLOADS_H_
