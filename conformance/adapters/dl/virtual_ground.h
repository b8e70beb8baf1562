// What calls in virtual time are made on: a library with hooks, or one whose kernel is simulated.
#ifndef CONFORMANCE_ADAPTERS_DL_VIRTUAL_GROUND_H_
#define CONFORMANCE_ADAPTERS_DL_VIRTUAL_GROUND_H_

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

// Of one conversation. Nothing happens in it but within these functions.
class VirtualGround {
 public:
  virtual ~VirtualGround() = default;

  // Whose calls follow.
  virtual void Enter(Lane lane) = 0;
  // The functions that the entered lane calls.
  virtual const RdmaCmApi& api() const = 0;

  virtual Instant Now() const = 0;
  // When the next thing happens by itself; empty when nothing will.
  virtual std::optional<Instant> NextAt() const = 0;
  // Lets that one thing happen; time moves there.
  virtual void Step() = 0;
  // Lets everything happen that is due until then; time moves there.
  virtual void Advance(Instant until) = 0;

  // Makes a call on the entered lane. False when it has not returned; then what it writes to stays
  // where it is until Continue says that it has.
  virtual bool Make(const Call& call, std::function<void()> made) = 0;
  virtual bool Continue(Products* products) = 0;
  // Which of several threads that are about to call is the first.
  virtual size_t Pick(size_t /*threads*/) { return 0; }
  // rdma_get_cm_event would find something.
  virtual bool Readable(rdma_event_channel* channel) = 0;

  // False when it cannot be done.
  virtual bool Inject(const Fault& fault) = 0;
  virtual bool Heal() = 0;
  // What is in use and was not at the start, in words.
  virtual std::string Leaks() = 0;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_VIRTUAL_GROUND_H_
