// A golden conversation: its lines, a line of dashes, and the expected history, which was reviewed
// when it was last written.
//
//   1. The first half is kept as it was written: comments, macros, blank lines.
//   2. The second half is a history of the simulator, one line per record, as print.h writes it.
//   3. On other implementations times, messages and values that the provider draws are ignored; so
//      one file serves all of them.
//   4. Line ends of Windows, blanks around words, blank lines, comments and the name of the
//      implementation make no difference.
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
  std::string expected;  // after the dashes; empty in a new file
};

// The part of a history that must agree.
enum class GoldenView : uint8_t {
  kExact,    // all of it: for the simulator
  kVisible,  // calls, answers and events, without times, messages and volatile fields
};

std::variant<Golden, TextProblem> ReadGolden(std::string_view text);

// The file with the current history, whose line ends are those of the first half.
std::string Rewritten(const Golden& golden, const History& history);

// Empty when the history is as expected; else the first line that differs, as text, with its number
// in the file.
std::string Difference(const Golden& golden, const History& history, GoldenView view);

}  // namespace cm

#endif  // CONFORMANCE_SCENARIOS_GOLDEN_H_
