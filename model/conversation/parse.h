// Parses conversations and histories; the inverse is print.h.
//
// Besides the canonical lines a conversation may have macros, which are expanded by the parser to
// one line per C call:
//   SIDE listening ID on=CHANNEL port=N [backlog=N]
//   SIDE resolving ID on=CHANNEL to=ADDRESS            until the route is resolved
//   SIDE connecting ID on=CHANNEL to=ADDRESS [noqp] [CONNECTION PARAMETERS]
//   SIDE accepting ID on=CHANNEL [noqp] [CONNECTION PARAMETERS]
//   SIDE taking CHANNEL [as=EVENT] [id=ID]             wait, fetch, acknowledge
//
// A tester sends messages that are given by hand:
//   tester sends KIND to=SIDE [local=N] [remote=ID] [qp=N] [FIELDS]
// Fields that are not given are as in Linux. A communication id and a queue pair number may be
// those of an id, by its name; a plain number in the place of the receiver's belongs to no id.
#ifndef MODEL_CONVERSATION_PARSE_H_
#define MODEL_CONVERSATION_PARSE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "model/conversation/conversation.h"
#include "model/conversation/history.h"

namespace cm {

// An error: the line, from 1, the given text and the accepted ones.
struct TextProblem {
  int line = 0;
  std::string what;
};

// The line of dashes between a conversation and its history, with its end.
struct Dashes {
  size_t begin = 0;
  size_t end = 0;
};
// Empty when the text has no such line; blanks around it and a carriage return count as none.
std::optional<Dashes> FindDashes(std::string_view text);

// A file with only a conversation, or with a history: then its conversation alone.
std::variant<Conversation, TextProblem> ParseConversation(std::string_view text);

// A file with a history; a truncated one is an error.
std::variant<History, TextProblem> ParseHistory(std::string_view text);

}  // namespace cm

#endif  // MODEL_CONVERSATION_PARSE_H_
