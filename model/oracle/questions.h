// Queries of ids to the SA of their subnet, over InfiniBand: routes and groups.
#ifndef MODEL_ORACLE_QUESTIONS_H_
#define MODEL_ORACLE_QUESTIONS_H_

#include <cstdint>

#include "model/base/duration.h"
#include "model/oracle/conversation_facts.h"
#include "model/oracle/fault_model.h"
#include "model/oracle/state.h"

namespace cm::model {

struct Question {
  FaultModel::Query query;
  Span since;
  Duration in_all;       // timeout in total
  bool waits = false;    // it may be queued behind others
  bool refused = false;  // the response may be an error
};

Question QuestionForRoute(const ConversationFacts& facts, const FaultModel& fault_model,
                          const IdState& id);
// `membership`: its number.
Question QuestionForGroup(const ConversationFacts& facts, const FaultModel& fault_model,
                          const IdState& id, uint16_t membership);

}  // namespace cm::model

#endif  // MODEL_ORACLE_QUESTIONS_H_
