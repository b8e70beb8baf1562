// A golden conversation: what is said and done, a line of dashes, and what came of it when somebody
// read it last and found it true.
//
//   1. The first half is kept as it was written: comments, macros, blank lines.
//   2. The second half is a history of the simulator, one line per record, as print.h writes it.
//   3. On other implementations times, messages and what the provider draws are nobody's business;
//      so one file serves all of them.
#ifndef CONFORMANCE_SCENARIOS_GOLDEN_H_
#define CONFORMANCE_SCENARIOS_GOLDEN_H_

#include <string>
#include <string_view>
#include <variant>

#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/conversation/parse.h"

namespace cm {

struct Golden {
  std::string written;  // up to the dashes, as it stands in the file
  Conversation conversation;
  std::string expected;  // behind the dashes; empty in a file that is new
};

// How much of a history has to agree.
enum class GoldenView : uint8_t {
  kExact,    // all of it: for the simulator
  kVisible,  // calls, answers and events, without times, messages and volatile fields
};

std::variant<Golden, TextProblem> ReadGolden(std::string_view text);

// The file again, with what came of it now.
std::string Rewritten(const Golden& golden, const History& history);

// Empty when the history is as expected; else the first line that is not, in words.
std::string Difference(const Golden& golden, const History& history, GoldenView view);

}  // namespace cm

#endif  // CONFORMANCE_SCENARIOS_GOLDEN_H_
