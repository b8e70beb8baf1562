// The stimulus of a received message for the id that it arrives at.
#ifndef MODEL_ORACLE_MACHINE_ARRIVALS_H_
#define MODEL_ORACLE_MACHINE_ARRIVALS_H_

#include <cstdint>

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/state.h"

namespace cm::model {

// The live id that a request created, when its sender gives it up; kNoId when there is none.
uint8_t FindAnswering(const Possibility& p, IdRef origin);
// From the message alone.
IbStimulus PlainStimulus(const Flight& flight);
// For an id that the message belongs to.
IbStimulus StimulusOf(const IdState& id, const Flight& flight);
// A tester's message that names its connection by the GUID of its request, not by an id.
inline bool FindsByGuid(const TesterMad& mad) {
  return mad.kind == MadKind::kRej && mad.reason == RejReason::kTimeout;
}
// Whether the communication ids of a message are those that the id knows.
bool Matches(const IdState& id, const Flight& flight);

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_ARRIVALS_H_
