// The interface below calls in virtual time: a library with hooks, or one with a simulated kernel.
#ifndef CONFORMANCE_ADAPTERS_DL_VIRTUAL_BACKEND_H_
#define CONFORMANCE_ADAPTERS_DL_VIRTUAL_BACKEND_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "conformance/adapters/dl/api.h"
#include "conformance/adapters/dl/caller.h"
#include "model/base/duration.h"
#include "model/conversation/conversation.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/names.h"
#include "model/vocabulary/profile.h"

namespace cm {

// The world of one conversation, which changes only within these functions.
class VirtualBackend {
 public:
  virtual ~VirtualBackend() = default;

  // Selects the side and lane of the following calls.
  virtual void Enter(Lane lane) = 0;
  // The functions that the entered lane calls.
  virtual const RdmaCmApi& api() const = 0;

  virtual Instant Now() const = 0;
  // The time of the next event; empty when there will be none.
  virtual std::optional<Instant> NextAt() const = 0;
  // Executes that event; advances the time to it.
  virtual void Step() = 0;
  // Executes all events that are due until then; advances the time.
  virtual void Advance(Instant until) = 0;

  // Makes a call of that kind on the entered lane. False when it has not returned; then its outputs
  // must stay valid until Continue returns true.
  virtual bool Make(CallKind kind, std::function<void()> made) = 0;
  virtual bool Continue(Products* products) = 0;
  // Draws which of several threads with a pending call runs first.
  virtual size_t Pick(size_t /*threads*/) { return 0; }
  // True when rdma_get_cm_event would find an event.
  virtual bool Readable(rdma_event_channel* channel) = 0;

  // False when the fault cannot be injected.
  virtual bool Inject(const Fault& fault) = 0;
  virtual bool Heal() = 0;
  // Objects in use that did not exist at the start, as text.
  virtual std::string Leaks() = 0;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_VIRTUAL_BACKEND_H_
