// The environment of a real implementation: a machine whose links, devices and addresses can be
// changed, or one where no fault can be injected.
#ifndef CONFORMANCE_ADAPTERS_DL_PLACE_H_
#define CONFORMANCE_ADAPTERS_DL_PLACE_H_

#include <string>
#include <vector>

#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/vocabulary/fault.h"

namespace cm {

class Place {
 public:
  virtual ~Place() = default;
  // The kernel under the library, as in the results: "Linux 6.1.0-42-amd64".
  virtual std::string name() const = 0;
  // The faults that can be injected, without kExit, kLanes and kRaces, which the driver provides
  // itself.
  virtual Capabilities capabilities() const = 0;
  // True when waiting for minutes costs nothing: time is virtual.
  virtual bool patient() const = 0;
  // Called before the first line, before any process of the conversation exists. Empty when this
  // place can serve the conversation's topology; otherwise the reason why it cannot.
  virtual std::string Prepare(const Conversation& conversation) = 0;
  // Faults other than kExit.
  virtual seen::Done Inject(const Fault& fault) = 0;
  virtual seen::Done Heal() = 0;
  // What the place's devices have sent since the last call, or since Prepare, on the clock of
  // RealNow; empty for a place that cannot see it.
  virtual std::vector<WireRecord> TakeWire() { return {}; }
  // Called after the conversation's processes were reaped: restores the initial state. Empty on
  // success, otherwise the remaining differences.
  virtual std::string PutRight() = 0;
  // Whether, since Prepare, a process that is not of this conversation may have stood in the way of
  // a fault, or of what PutRight restores; or messages were missed.
  virtual bool Disturbed() const { return false; }
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_PLACE_H_
