#include "model/conversation/conversation.h"

namespace cm {

size_t EndOfTogether(const Conversation& conversation, size_t first) {
  const auto calls = [&](size_t i) { return std::get_if<line::Calls>(&conversation.lines[i]); };
  size_t end = first + 1;
  if (calls(first) == nullptr) return end;
  for (; end < conversation.lines.size(); ++end) {
    const auto* next = calls(end);
    if (next == nullptr || !next->meanwhile) break;
    bool lane_taken = false;
    for (size_t i = first; i < end; ++i) lane_taken |= calls(i)->lane == next->lane;
    if (lane_taken) break;
  }
  return end;
}

bool IsTogether(const Conversation& conversation, size_t line) {
  const auto meanwhile = [&](size_t i) {
    const auto* calls =
        i < conversation.lines.size() ? std::get_if<line::Calls>(&conversation.lines[i]) : nullptr;
    return calls != nullptr && calls->meanwhile;
  };
  return meanwhile(line) || meanwhile(line + 1);
}

std::array<IdRef, 3> IdsIn(const TesterMad& mad) {
  return {mad.local.of, mad.remote.of, mad.qp.of};
}

int CallCount(const Conversation& conversation) {
  int count = 0;
  for (const Line& line : conversation.lines) {
    const auto* calls = std::get_if<line::Calls>(&line);
    if (calls != nullptr && IsFunction(KindOf(calls->call))) ++count;
  }
  return count;
}

}  // namespace cm
