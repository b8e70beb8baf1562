#include "model/oracle/questions.h"

namespace cm::model {

Question QuestionForRoute(const Knowledge& knowledge, const Surroundings& surroundings,
                          const IdState& id) {
  const IdInfo& info = knowledge.id(id.name);
  // The kernel uses the timeout as an unsigned number.
  const Duration patience = Duration::Milliseconds(static_cast<uint32_t>(info.timeout_ms));
  // There is no path to a group that does not exist.
  return {.query = surroundings.QueryOf(id.device, id.resolving, patience),
          .since = id.resolving,
          .in_all = Timing::AskPatience(patience),
          .refused = info.destination.kind == AddressKind::kGroup};
}

Question QuestionForGroup(const Knowledge& knowledge, const Surroundings& surroundings,
                          const IdState& id, uint16_t membership) {
  const IdInfo& info = knowledge.id(id.name);
  const Span since = info.memberships[membership - 1].since;
  const Duration patience = knowledge.profile().timing.group_reply;
  Question question{.query = surroundings.QueryOf(id.device, since, patience),
                    .since = since,
                    .in_all = Timing::AskPatience(patience)};
  Surroundings::Query& query = question.query;
  question.waits = knowledge.SharesGroup(info, membership);
  if (!question.waits || !query.silenced) return question;
  // The port may be in the group already, or another query for it may be outstanding.
  query = {.answered_from = since.earliest, .prompt = false, .unheard = true, .silenced = true};
  return question;
}

}  // namespace cm::model
