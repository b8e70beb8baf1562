#include "model/oracle/judge/judge_context.h"

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

JudgeContext::JudgeContext(const JudgeContext& other)
    : JudgeContext(other.conversation, other.profile) {
  *this = other;
}

// What only refers to the facts and to the fault model stays as it is.
JudgeContext& JudgeContext::operator=(const JudgeContext& other) {
  if (this == &other) return *this;
  JudgeNotes::operator=(other);
  facts = other.facts;
  fault_model = other.fault_model;
  components = other.components;
  search = other.search;
  return *this;
}

std::optional<Window> JudgeContext::WaitedIn(const Record& record) const {
  if (IsTogether(conversation, record.line)) return std::nullopt;
  Window waited = WindowOf(record);
  waited.end -= profile.timing.Latest(profile.timing.prompt).nanoseconds();
  if (waited.end <= waited.begin) return std::nullopt;
  return waited;
}

}  // namespace cm::model
