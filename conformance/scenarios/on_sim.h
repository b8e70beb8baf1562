// For tests: conversations carried out by the simulator, and the objections to their histories.
#ifndef CONFORMANCE_SCENARIOS_ON_SIM_H_
#define CONFORMANCE_SCENARIOS_ON_SIM_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"

namespace cm {

// Aborts when the text is no conversation.
Conversation ConversationOf(std::string_view text);
// The profile that the conversation names; the reference if it names none.
const Profile& ProfileOf(const Conversation& conversation);

// With the defect of that name switched on, if one is given.
History OnSim(const Conversation& conversation, std::string_view defect = {});

// The objections of the rows, the properties and the judge of frames, as text; each begins with the
// id of the property or of the frame's rule, or with "rows".
std::vector<std::string> Objections(const History& history);

// The number of messages with another base version that a tester sends in the conversation: the
// codec rejects them.
size_t SentWithAnotherVersion(const Conversation& conversation);

// The files of the folder, sorted, and the text of one. Relative to the root of the repository.
std::vector<std::string> ConversationFiles(const std::string& folder);
std::string TextOf(const std::string& file);

}  // namespace cm

#endif  // CONFORMANCE_SCENARIOS_ON_SIM_H_
