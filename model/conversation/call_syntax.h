// The syntax of calls in a conversation, for documents and lists: from call_table.h.
#ifndef MODEL_CONVERSATION_CALL_SYNTAX_H_
#define MODEL_CONVERSATION_CALL_SYNTAX_H_

#include <string>

#include "model/vocabulary/call.h"

namespace cm {

// "rdma_listen ID [backlog=INT]": names in capitals are placeholders, arguments in brackets have a
// default.
std::string SyntaxOf(CallKind kind);
// "backlog=8": the defaults of the arguments in brackets, if they have a value.
std::string DefaultsOf(CallKind kind);
// "returns void; may block; map 1.4": traits that hold, "" for none.
std::string TraitsText(CallKind kind);

}  // namespace cm

#endif  // MODEL_CONVERSATION_CALL_SYNTAX_H_
