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

// What a session is made of; all of it must outlive the session.
struct SessionSetup {
  const LoadedObject* object;
  const Profile* profile;
  Place* place;
  LateProcesses* late;
  std::string* spoiled;  // set when a session could not be cleaned up
  Duration patience;     // without virtual time: limit of waiting for a call
};

// Leaks() ends a session: kills and reaps its processes and restores the place; errors of that are
// part of the result. Otherwise the destructor does it.

// On this machine's clock, in one process, or in one for each side if one of them exits.
std::unique_ptr<Session> StartRealSession(const SessionSetup& setup,
                                          const Conversation& conversation);
// In the time of a library with hooks.
std::unique_ptr<Session> StartVirtualSession(const SessionSetup& setup,
                                             const Conversation& conversation);
// Answers the requests of a session in virtual time.
class Counterpart {
 public:
  virtual ~Counterpart() = default;
  // Empty when there will be no further answer.
  virtual std::optional<Answer> Ask(const Request& request) = 0;
  // True when an answer did not arrive in time, and so none will.
  virtual bool Hangs() const = 0;
  // Nothing may be called after this. False when a process could not be reaped.
  virtual bool End() = 0;
};
std::unique_ptr<Session> StartVirtualSession(std::unique_ptr<Counterpart> counterpart);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_SESSION_H_
