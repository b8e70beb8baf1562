// Reads conversations and histories; the inverse is print.h.
//
// Besides the canonical lines a conversation may hold macros for people, which are expanded while
// reading, one line a C call:
//   SIDE listening ID on=CHANNEL port=N [backlog=N]
//   SIDE resolving ID on=CHANNEL to=ADDRESS            until the route is resolved
//   SIDE connecting ID on=CHANNEL to=ADDRESS [noqp] [CONNECTION PARAMETERS]
//   SIDE accepting ID on=CHANNEL [noqp] [CONNECTION PARAMETERS]
//   SIDE taking CHANNEL [as=EVENT] [id=ID]             wait, fetch, acknowledge
//
// Where there is a tester, it sends messages that are made by hand:
//   tester sends KIND to=SIDE [local=N] [remote=ID] [qp=N] [FIELDS]
// What is not said is as Linux fills it in. A communication id and a number of a queue pair may be
// that of an id, by its name; a plain number in the place of the receiver's is nobody's.
#ifndef MODEL_CONVERSATION_PARSE_H_
#define MODEL_CONVERSATION_PARSE_H_

#include <string>
#include <string_view>
#include <variant>

#include "model/conversation/conversation.h"
#include "model/conversation/history.h"

namespace cm {

// Why a text could not be read: the line, from 1, what was given and what would be accepted.
struct TextProblem {
  int line = 0;
  std::string what;
};

// A file with only a conversation, or with a history: then its conversation alone.
std::variant<Conversation, TextProblem> ParseConversation(std::string_view text);

// A file with a history; one that ends early is a problem.
std::variant<History, TextProblem> ParseHistory(std::string_view text);

}  // namespace cm

#endif  // MODEL_CONVERSATION_PARSE_H_
