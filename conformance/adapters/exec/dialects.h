// Two dialects under one judge: where a side's own differs from that of the joint profile.
#ifndef CONFORMANCE_ADAPTERS_EXEC_DIALECTS_H_
#define CONFORMANCE_ADAPTERS_EXEC_DIALECTS_H_

#include <cstddef>
#include <string>

#include "model/conversation/conversation.h"
#include "model/vocabulary/profile.h"

namespace cm {

// Why the calls of a side cannot be judged by `judged_by`: the first one whose answer may show that
// the side's own dialect is another. Empty where none does. What links, neighbours, losses and data
// would show is not looked for: the joint profile has no such capability.
std::string DialectShows(const Conversation& conversation, size_t side, const Dialect& own,
                         const Dialect& judged_by);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_EXEC_DIALECTS_H_
