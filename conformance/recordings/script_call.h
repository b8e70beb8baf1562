// Calls of the recorder's scripts, translated into the language of conversations: the parser of
// conversations reads them.
#ifndef CONFORMANCE_RECORDINGS_SCRIPT_CALL_H_
#define CONFORMANCE_RECORDINGS_SCRIPT_CALL_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/recordings/script.h"
#include "model/vocabulary/call.h"

namespace cm {

// What the words of a script stand for at this place of the recording. Each returns the word of a
// conversation, or nothing where there is no such thing; a word that has to be there is then
// missing, and the call cannot be read.
struct ScriptNames {
  std::function<std::optional<std::string>(const std::string&)> id;
  std::function<std::string(const std::string&)> new_id;
  std::function<std::optional<std::string>(const std::string&)> address;
  std::function<std::optional<std::string>(const std::string&)> kept_event;
  std::function<std::string()> new_event;
  std::optional<std::string> source;  // of an address resolution that names none
};

// The library function of a script's word for a call ("route", "qp"); empty when it is none.
std::optional<CallKind> CallOfScriptWord(std::string_view word);

// The arguments of the call as a conversation has them: "A dst=passive:7471 timeout_ms=2000".
// Empty for a call that scripts do not have, or that lacks an argument.
std::optional<std::string> ArgumentsInConversation(CallKind kind, const ScriptWords& words,
                                                   const ScriptNames& names);

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_SCRIPT_CALL_H_
