#include "tools/cmcheck/app_conversation.h"

#include <fmt/format.h>

#include <variant>

#include "model/conversation/parse.h"
#include "model/conversation/print.h"
#include "tools/app/conversation.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/report.h"

namespace cm {

std::string AppConversation::Write(const app::Setting& setting, const app::Report& report) const {
  std::string comment = command_ + "\n";
  if (profile_.empty()) comment += "its profile is a file: explain and replay need --profile\n";
  for (const std::string& what : report.misbehaviour) comment += "misbehaviour: " + what + "\n";
  for (const std::string& who : report.waiting) comment += "at the end " + who + "\n";
  const History history = app::ConversationOf(
      recorder_, {.comment = comment, .topology = setting.topology, .profile = profile_});
  const std::string text = ToText(history);
  if (std::string problem = WriteFile(FromUsersFolder(path_), text); !problem.empty())
    return problem;
  const auto read = ParseHistory(text);
  if (const auto* problem = std::get_if<TextProblem>(&read))
    return fmt::format("{}:{}: this line of ours cannot be read: {}", path_, problem->line,
                       problem->what);
  fmt::print("{}: {} lines, for `cmcheck explain` and `cmcheck replay`\n", path_,
             history.conversation.lines.size());
  return {};
}

}  // namespace cm
