// What a worker process does: makes the calls that it is asked for, and answers.
#ifndef CONFORMANCE_ADAPTERS_DL_SERVE_H_
#define CONFORMANCE_ADAPTERS_DL_SERVE_H_

#include "conformance/adapters/dl/api.h"
#include "model/conversation/conversation.h"
#include "model/vocabulary/profile.h"

namespace cm {

// For a library that waits: each lane is a thread, so that a call which does not return keeps
// nobody else from calling. Returns when nobody asks any more.
void ServeLanes(int connection, const RdmaCmApi& api, const Conversation& conversation);

// For a library with hooks: all lanes on this thread, in the library's own time.
void ServeVirtualTime(int connection, const LoadedObject& object, const Conversation& conversation,
                      const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_SERVE_H_
