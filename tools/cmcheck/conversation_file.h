// A conversation file given to a verb.
#ifndef TOOLS_CMCHECK_CONVERSATION_FILE_H_
#define TOOLS_CMCHECK_CONVERSATION_FILE_H_

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/runner/campaign.h"
#include "conformance/runner/verdict.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "tools/cmcheck/command.h"

namespace cm {

struct ConversationFile {
  std::string path;
  Conversation conversation;
  std::string text;
  // The complete history in the file, if it has one.
  std::optional<History> history;
};

// Empty, or the reason why the text of a file is incomplete: it is empty, or its last line has no
// end.
std::string CutOff(const std::string& path, const std::string& text);

// The conversation, or an error in one line: the file, the line, what was given and what would be
// accepted.
std::variant<ConversationFile, std::string> ReadConversationFile(const std::string& path);

// Uses the profile of the file unless --profile gives another one. Empty, or the file, the line and
// the error.
std::string TakeItsProfile(const std::string& path, const Conversation& conversation,
                           std::string_view text, std::string* asked);

// The capability that a file needs beyond --capabilities; empty when there is none, or when
// --capabilities was not given.
std::string WhyBeyond(const std::string& capabilities, const std::string& path,
                      const Conversation& conversation);

// A conversation that was carried out by the implementation under test.
struct CarriedOut {
  Answering answering;
  SequenceRun run;
};
// Carries out the conversation of a file, under the profile of the file unless --profile gives
// another one; or the error, in one line: the profile, a capability that --capabilities lacks, the
// implementation, or what it does not support.
std::variant<CarriedOut, std::string> CarryOut(const std::string& path,
                                               const Conversation& conversation,
                                               std::string_view text, Asked asked);

// Empty, or the error in reading the folder.
std::string WhyUnreadable(const std::string& path);
// The .conv files below the folder, in the order of their names; the path itself where it is a
// file.
std::vector<std::string> ConversationFilesIn(const std::string& path);

// Three lines for a reader: saw, permitted, rule.
std::string Describe(const Finding& finding);

}  // namespace cm

#endif  // TOOLS_CMCHECK_CONVERSATION_FILE_H_
