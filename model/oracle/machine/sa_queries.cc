#include "model/oracle/machine/sa_queries.h"

namespace cm::model {

SaQuery QueryForRoute(const ConversationFacts& facts, const FaultModel& fault_model,
                      const IdState& id) {
  const IdInfo& info = facts.id(id.name);
  // The kernel uses the timeout as an unsigned number.
  const Duration patience = Duration::Milliseconds(static_cast<uint32_t>(info.timeout_ms));
  // There is no path to a group that does not exist.
  return {.query = fault_model.QueryOf(id.device, id.resolving, patience),
          .since = id.resolving,
          .in_all = Timing::AskPatience(patience),
          .refused = info.destination.kind == AddressKind::kGroup};
}

SaQuery QueryForGroup(const ConversationFacts& facts, const FaultModel& fault_model,
                      const IdState& id, uint16_t membership) {
  const IdInfo& info = facts.id(id.name);
  const Span since = info.memberships[membership - 1].since;
  const Duration patience = facts.profile().timing.group_reply;
  SaQuery asked{.query = fault_model.QueryOf(id.device, since, patience),
                .since = since,
                .in_all = Timing::AskPatience(patience)};
  FaultModel::Query& query = asked.query;
  asked.waits = facts.SharesGroup(info, membership);
  if (!asked.waits || !query.silenced) return asked;
  // The port may be in the group already, or another query for it may be outstanding.
  query = {.answered_from = since.earliest, .prompt = false, .unheard = true, .silenced = true};
  return asked;
}

}  // namespace cm::model
