// A conversation that a verb is given as a file.
#ifndef TOOLS_CMCHECK_CONVERSATION_FILE_H_
#define TOOLS_CMCHECK_CONVERSATION_FILE_H_

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/runner/verdict.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"

namespace cm {

struct ConversationFile {
  std::string path;
  Conversation conversation;
  std::string text;
  // What the file says came of it, if it says so in full.
  std::optional<History> history;
};

// Empty, or why the text of a file is no more than its beginning: nothing is in it, or its last
// line has no end.
std::string CutOff(const std::string& path, const std::string& text);

// Or one line: the file, the line, what was given and what would be accepted.
std::variant<ConversationFile, std::string> ReadConversationFile(const std::string& path);

// Makes the profile that the file names the one that is asked for, unless another one is. Empty, or
// the file, the line and what is wrong with it.
std::string TakeItsProfile(const std::string& path, const Conversation& conversation,
                           std::string_view text, std::string* asked);

// Why what a file holds goes beyond the capabilities that were asked for; empty when it does not,
// or none were.
std::string WhyBeyond(const std::string& capabilities, const std::string& path,
                      const Conversation& conversation);

// Empty, or why it cannot be looked into the folder.
std::string WhyUnreadable(const std::string& path);
// The .conv below the folder, in the order of their names; the path itself where it is a file.
std::vector<std::string> ConversationFilesIn(const std::string& path);

// Three lines for a person: what was seen, what was permitted, why.
std::string Describe(const Finding& finding);

}  // namespace cm

#endif  // TOOLS_CMCHECK_CONVERSATION_FILE_H_
