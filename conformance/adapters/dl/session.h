// Conversations with a loaded object.
#ifndef CONFORMANCE_ADAPTERS_DL_SESSION_H_
#define CONFORMANCE_ADAPTERS_DL_SESSION_H_

#include <memory>
#include <string>

#include "conformance/adapters/dl/api.h"
#include "conformance/adapters/dl/place.h"
#include "conformance/adapters/dl/worker.h"
#include "conformance/driver/driver.h"
#include "model/conversation/conversation.h"
#include "model/vocabulary/profile.h"

namespace cm {

// What a session stands on; all of it outlives the session.
struct Ground {
  const LoadedObject* object;
  const Profile* profile;
  Place* place;
  LateProcesses* late;
  std::string* spoiled;  // what a session left behind
  Duration patience;     // where waiting costs time: how long a call is waited for
};

// Leaks() ends a session: its processes are killed and reaped and the place is put right, and what
// went wrong with that is part of what it says. Otherwise the destructor does.

// On this machine's clock, in one process, or one for each side should one of them exit.
std::unique_ptr<Session> StartRealSession(const Ground& ground, const Conversation& conversation);
// In the time of a library with hooks.
std::unique_ptr<Session> StartVirtualSession(const Ground& ground,
                                             const Conversation& conversation);
// Unsupported: nothing can be done in it.
std::unique_ptr<Session> RefuseSession(std::string why);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_SESSION_H_
