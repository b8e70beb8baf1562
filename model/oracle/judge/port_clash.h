// Who else holds the port that a call wants, in what may be so of the others.
#ifndef MODEL_ORACLE_JUDGE_PORT_CLASH_H_
#define MODEL_ORACLE_JUDGE_PORT_CLASH_H_

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/fault_model.h"
#include "model/oracle/judge/components.h"
#include "model/oracle/machine/guard_row.h"

namespace cm::model {

// Follows the hidden steps of each other owner of the port.
PortClash ClashFor(IdRef id, const Call& call, const Window& window, const ConversationFacts& facts,
                   Components& components);

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_PORT_CLASH_H_
