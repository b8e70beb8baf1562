// An implementation under test, as the suite chooses it.
#ifndef CONFORMANCE_DRIVER_IMPLEMENTATION_H_
#define CONFORMANCE_DRIVER_IMPLEMENTATION_H_

#include <memory>
#include <string>

#include "conformance/driver/driver.h"
#include "model/conversation/conversation.h"
#include "model/vocabulary/profile.h"

namespace cm {

// Makes sessions; an implementation that cannot be made has said why before. Sessions must not
// overlap unless concurrent() is true.
class Implementation {
 public:
  virtual ~Implementation() = default;
  // The name in the results: "sim", "librdmacm 44.0, Linux 6.1.0-42-amd64".
  virtual std::string name() const = 0;
  // The permitted differences by which it is judged.
  virtual const Profile& profile() const = 0;
  // The capabilities of its environment: a conversation that needs others is unsupported.
  virtual Capabilities capabilities() const = 0;
  // What the conversation needs and the implementation does not have, as far as that is known
  // without a session; empty when there is nothing of that kind. Such conversations are not drawn.
  virtual std::string Lacks(const Conversation& /*conversation*/) const { return {}; }
  // True when it lacks something that conversations may need.
  virtual bool LeavesOut() const { return false; }
  // True when sessions may overlap, each on a thread of its own.
  virtual bool concurrent() const { return false; }
  // A session for the conversation, which must outlive it. Never null: an error is the session's
  // Unsupported().
  virtual std::unique_ptr<Session> Start(const Conversation& conversation) = 0;
  // The reason why further sessions would not start from the same state; empty as long as they do.
  virtual std::string Spoiled() const { return {}; }
};

}  // namespace cm

#endif  // CONFORMANCE_DRIVER_IMPLEMENTATION_H_
