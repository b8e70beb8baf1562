// Queries of ids to the SA of their subnet, over InfiniBand: routes and groups.
#ifndef MODEL_ORACLE_MACHINE_SA_QUERIES_H_
#define MODEL_ORACLE_MACHINE_SA_QUERIES_H_

#include <cstdint>

#include "model/base/duration.h"
#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/fault_model.h"
#include "model/oracle/belief/state.h"

namespace cm::model {

struct SaQuery {
  FaultModel::Query query;
  Span since;
  Duration in_all;       // timeout in total
  bool waits = false;    // it may be queued behind others
  bool refused = false;  // the response may be an error
};

SaQuery QueryForRoute(const ConversationFacts& facts, const FaultModel& fault_model,
                      const IdState& id);
// `membership`: its number.
SaQuery QueryForGroup(const ConversationFacts& facts, const FaultModel& fault_model,
                      const IdState& id, uint16_t membership);

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_SA_QUERIES_H_
