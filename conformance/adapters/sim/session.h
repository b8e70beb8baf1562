// One conversation on the simulated librdmacm and kernel.
#ifndef CONFORMANCE_ADAPTERS_SIM_SESSION_H_
#define CONFORMANCE_ADAPTERS_SIM_SESSION_H_

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
};

// `conversation` must outlive the session.
std::unique_ptr<BranchingSession> StartSession(const Conversation& conversation,
                                               SessionOptions options);

}  // namespace cm::sim

#endif  // CONFORMANCE_ADAPTERS_SIM_SESSION_H_
