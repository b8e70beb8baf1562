// What a message that arrives is for the id that it arrives at.
#ifndef MODEL_ORACLE_ARRIVALS_H_
#define MODEL_ORACLE_ARRIVALS_H_

#include <cstdint>

#include "model/oracle/state.h"

namespace cm::model {

// The live id that a request made, for whoever gives the request up; kNoId when there is none.
uint8_t FindAnswering(const Possibility& p, IdRef origin);
// Of the message alone.
IbStimulus PlainStimulus(const Flight& flight);
// For an id that it is for.
IbStimulus StimulusOf(const IdState& id, const Flight& flight);
// Whether the communication ids of a message are those that the id knows.
bool Matches(const IdState& id, const Flight& flight);

}  // namespace cm::model

#endif  // MODEL_ORACLE_ARRIVALS_H_
