// Conversations with a loaded object.
#ifndef CONFORMANCE_ADAPTERS_DL_SESSION_H_
#define CONFORMANCE_ADAPTERS_DL_SESSION_H_

#include <memory>
#include <optional>
#include <string>

#include "conformance/adapters/dl/api.h"
#include "conformance/adapters/dl/messages.h"
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
// Who answers what a session in virtual time asks.
class Counterpart {
 public:
  virtual ~Counterpart() = default;
  // Empty when nobody answers any more.
  virtual std::optional<Answer> Ask(const Request& request) = 0;
  // Nobody answered in time, and so nobody will.
  virtual bool Hangs() const = 0;
  // Nobody is asked after this. False when a process could not be reaped.
  virtual bool End() = 0;
};
std::unique_ptr<Session> StartVirtualSession(std::unique_ptr<Counterpart> counterpart);
// Unsupported: nothing can be done in it.
std::unique_ptr<Session> RefuseSession(std::string why);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_SESSION_H_
