// What calls look like in a conversation, as a page or a list shows it: from call_table.h.
#ifndef MODEL_CONVERSATION_CALL_SYNTAX_H_
#define MODEL_CONVERSATION_CALL_SYNTAX_H_

#include <string>

#include "model/vocabulary/call.h"

namespace cm {

// "rdma_listen ID [backlog=INT]": names in capitals stand for what is to be written, brackets are
// round what has a default.
std::string SyntaxOf(CallKind kind);
// "backlog=8": the defaults of what stands in brackets, where there is a value to name.
std::string DefaultsOf(CallKind kind);
// "makes an id, uses a channel": what the call does with the names that it speaks of.
std::string NamesOf(CallKind kind);
// "returns void; may block; map 1.4": traits that hold, "" for none.
std::string TraitsText(CallKind kind);

}  // namespace cm

#endif  // MODEL_CONVERSATION_CALL_SYNTAX_H_
