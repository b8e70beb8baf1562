#include "model/conversation/conversation.h"

namespace cm {

int CallCount(const Conversation& conversation) {
  int count = 0;
  for (const Line& line : conversation.lines) {
    const auto* calls = std::get_if<line::Calls>(&line);
    if (calls != nullptr && KindOf(calls->call) != CallKind::kShow) ++count;
  }
  return count;
}

}  // namespace cm
