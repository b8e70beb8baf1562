// Carries out a conversation, line by line.
#ifndef CONFORMANCE_DRIVER_PERFORM_H_
#define CONFORMANCE_DRIVER_PERFORM_H_

#include <optional>

#include "conformance/driver/driver.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"

namespace cm {

// Returns the history: a record for each line. Lines that are not applicable are recorded as such
// and not carried out. Refusals and blocked calls are records, not errors. `over`: the transport of
// the implementation's profile, which decides what would crash; empty: that of the known profile
// that the conversation names.
History Perform(const Conversation& conversation, Session& session,
                std::optional<Transport> over = std::nullopt);

// Carries out one line, and returns what is seen of it.
Observation CarryOut(const Line& line, Session& session);

}  // namespace cm

#endif  // CONFORMANCE_DRIVER_PERFORM_H_
