// Which states the two ends of an id's queue pair may be in.
#ifndef MODEL_ORACLE_JUDGE_QUEUE_ENDS_H_
#define MODEL_ORACLE_JUDGE_QUEUE_ENDS_H_

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/work_tracker.h"
#include "model/oracle/judge/components.h"

namespace cm::model {

QpPhases PhasesOf(IdRef id, Components& components);
// Learns the peer and the device of the id's queue pair, as soon as they are certain.
void MeetPeer(IdRef id, ConversationFacts& facts, Components& components);
// The same, and then the phases of both.
Ends EndsOf(IdRef id, ConversationFacts& facts, Components& components);

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_QUEUE_ENDS_H_
