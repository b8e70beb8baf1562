// One conversation on the simulated librdmacm and kernel.
#ifndef CONFORMANCE_ADAPTERS_SIM_SESSION_H_
#define CONFORMANCE_ADAPTERS_SIM_SESSION_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "conformance/driver/driver.h"
#include "model/conversation/conversation.h"
#include "model/vocabulary/profile.h"
#include "sim/fabric/fabric.h"

namespace cm::sim {

struct SessionOptions {
  const Profile* profile = nullptr;  // must outlive the session
  bool watch_wire = true;
  // Called for every message, with all its fields, if `watch_wire` is on.
  std::function<void(const WireNote&)> on_wire;
  // No time passes with a call that waits for acknowledgements by other threads: it is blocked at
  // once, as it is among the threads of a program. Otherwise it waits as long as for an event.
  bool acks_take_no_time = false;
};

// A session whose tester may be elsewhere.
class SimSession : public BranchingSession {
 public:
  // A message of the tester on that side, whole as it came.
  virtual void Deliver(uint8_t from_side, uint8_t to_side, const Mad& mad) = 0;
};

// `conversation` must outlive the session.
std::unique_ptr<SimSession> StartSession(const Conversation& conversation, SessionOptions options);

}  // namespace cm::sim

#endif  // CONFORMANCE_ADAPTERS_SIM_SESSION_H_
