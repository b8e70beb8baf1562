#include "model/oracle/judge/judge_context.h"

#include <algorithm>

namespace cm::model {

JudgeContext::JudgeContext(const Conversation& conversation_in, const Profile& profile_in)
    : conversation(conversation_in),
      profile(profile_in),
      facts(conversation, profile),
      fault_model(*conversation.topology, profile),
      machine(facts),
      executor(facts, machine),
      delivery(facts, fault_model, machine, executor),
      steps(facts, fault_model, machine, delivery),
      components(facts),
      search(components, steps),
      learning(facts, fault_model, machine, components) {}

std::optional<Window> JudgeContext::WaitedIn(const Record& record) const {
  if (IsTogether(conversation, record.line)) return std::nullopt;
  Window waited = WindowOf(record);
  waited.end -= profile.timing.Latest(profile.timing.prompt).nanoseconds();
  if (waited.end <= waited.begin) return std::nullopt;
  return waited;
}

std::optional<WaitingCall> JudgeContext::TakeWaiting(Lane lane) {
  const auto found = std::ranges::find(waiting, lane, &WaitingCall::lane);
  if (found == waiting.end()) return std::nullopt;
  const WaitingCall call = *found;
  waiting.erase(found);
  return call;
}

}  // namespace cm::model
