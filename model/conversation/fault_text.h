// Faults as text in a conversation, and as a part of a history's digest.
#ifndef MODEL_CONVERSATION_FAULT_TEXT_H_
#define MODEL_CONVERSATION_FAULT_TEXT_H_

#include <string>
#include <string_view>

#include "model/base/digest.h"
#include "model/conversation/words.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/topology.h"

namespace cm {

// "active, passive".
std::string SideNames(const Topology& topology);
// The side of that name; an error when the topology has none.
uint8_t SideFrom(std::string_view text, const Topology& topology, Words& words);

// Parses the text after the word `fault`. A fault of a drawn conversation may have no effect.
Fault FaultFrom(Words& words, const Topology& topology, bool drawn);

void PutFault(Digest* d, const Fault& fault);

}  // namespace cm

#endif  // MODEL_CONVERSATION_FAULT_TEXT_H_
