// For tests: a second, small reading of the protocol, of sequences only. It knows neither the table
// nor the judge: it counts what was said before, and says what is missing.
//
// Each rule is a sentence of the protocol's description; the row behind it stands with it in the
// code. What no sentence forbids is legal here.
#ifndef MODEL_WIRE_FACTS_READER_H_
#define MODEL_WIRE_FACTS_READER_H_

#include <string>

#include "model/wire/altered.h"

namespace cm::wire {

// Why a capture that has everything from its first REQ on cannot be; empty if it can.
std::string WhyImpossible(const Capture& capture);

}  // namespace cm::wire

#endif  // MODEL_WIRE_FACTS_READER_H_
