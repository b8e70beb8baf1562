// For alterations: a second, small reading of the protocol, of message sequences only. It uses
// neither the table nor the judge: it counts earlier messages, and reports what is missing.
//
// Each rule is a sentence of the protocol's description, cited in the code. A sequence that no
// sentence forbids is legal here.
#ifndef MODEL_CAPTURE_FACTS_READER_H_
#define MODEL_CAPTURE_FACTS_READER_H_

#include <string>

#include "model/capture/altered.h"

namespace cm::wire {

// The reason why a capture that is complete from its first REQ on is impossible; empty if it is
// possible.
std::string WhyImpossible(const Capture& capture);

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_FACTS_READER_H_
