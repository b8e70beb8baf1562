// The main loop of a worker process: makes the requested calls, and answers.
#ifndef CONFORMANCE_ADAPTERS_DL_SERVE_H_
#define CONFORMANCE_ADAPTERS_DL_SERVE_H_

#include "conformance/adapters/dl/api.h"
#include "model/conversation/conversation.h"
#include "model/vocabulary/profile.h"

namespace cm {

// For a library that waits: each lane is a thread, so that a call that does not return does not
// block other lanes. Returns when the session has closed the connection.
void ServeLanes(int connection, const RdmaCmApi& api, const Conversation& conversation);

// For a library with hooks: all lanes on this thread, in the library's own time.
void ServeVirtualTime(int connection, const LoadedObject& object, const Conversation& conversation,
                      const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_SERVE_H_
