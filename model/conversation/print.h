// Conversations and histories as text; the inverse is parse.h.
#ifndef MODEL_CONVERSATION_PRINT_H_
#define MODEL_CONVERSATION_PRINT_H_

#include <string>

#include "model/conversation/conversation.h"
#include "model/conversation/history.h"

namespace cm {

// The canonical text of one line, with its side: "active rdma_bind_addr A addr=active:0".
std::string ToString(const Line& line, const Conversation& conversation);
// The same without the side.
std::string ToString(const Call& call, const Conversation& conversation);
std::string ToString(Lane lane, const Topology& topology);
// "REP to=active remote=A qp=17".
std::string ToString(const TesterMad& mad, const Conversation& conversation);

// "0", "-1 EINVAL", "blocked", "crashed", "not-applicable".
std::string ToString(const Reply& reply);
// "RDMA_CM_EVENT_REJECTED id=A status=28 private="full"+144".
std::string ToString(const CmEvent& event, const Conversation& conversation);
std::string ToString(const Shown& shown, const Topology& topology);
// "mad passive REJ reason=28 of=REQ".
std::string ToString(const WireRecord& wire, const Topology& topology);
// "mask=0x39 state=1".
std::string ToString(const Output& output, const Topology& topology);
// A line and its result: "active rdma_listen L backlog=8 -> 0".
std::string ToString(const Record& record, const Conversation& conversation);

// Header and lines: a file that parses back to the same conversation.
std::string ToText(const Conversation& conversation);

struct PrintOptions {
  bool times = true;  // begin of each record
  bool wire = true;   // messages, if the driver sees them
};

// The conversation, a line of dashes, and one line per record.
std::string ToText(const History& history, PrintOptions options = {});

}  // namespace cm

#endif  // MODEL_CONVERSATION_PRINT_H_
