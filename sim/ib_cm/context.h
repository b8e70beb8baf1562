// What the IB CM works on and reports to.
#ifndef SIM_IB_CM_CONTEXT_H_
#define SIM_IB_CM_CONTEXT_H_

#include <cstdint>

#include "model/vocabulary/profile.h"
#include "sim/core/agenda.h"
#include "sim/fabric/fabric.h"
#include "sim/fabric/mad.h"
#include "sim/ib_cm/ib_id.h"
#include "sim/ib_cm/timer.h"

namespace cm::sim {

// Events of the IB CM for the layer above.
enum class IbEventKind : uint8_t {
  kReqError,
  kRepError,
  kRepReceived,
  kRtuReceived,
  kDreqReceived,
  kDrepReceived,
  kDreqError,
  kTimewaitExit,
  kRejReceived,
  kUserEstablished,
  kSidrRepReceived,
  kSidrReqError,
};

// The decision of the layer above about a request.
enum class RequestVerdict : uint8_t { kTaken, kDropped, kRejected };

// The layer above.
class IbCmUser {
 public:
  virtual ~IbCmUser() = default;
  // True when there is a listener for the service id on the device.
  virtual bool Listens(uint8_t device, const Mad& req) = 0;
  // A request that is neither a duplicate nor stale, with the new id `ib`.
  virtual RequestVerdict OnRequest(IbIndex ib, uint8_t device, const Mad& req) = 0;
  // `mad` is the message that caused the event, or null.
  virtual void OnIbEvent(CmIdIndex user, IbEventKind kind, const Mad* mad) = 0;
  // The destroy of an id has completed.
  virtual void OnIbGone(CmIdIndex user) = 0;
};

// The surroundings of a call; all of them outlive it.
struct IbContext {
  Agenda* agenda;
  Fabric* fabric;
  IbCmUser* user;
  const Profile* profile;

  // When a timer that is armed now fires.
  Instant TimerAt(Duration span) const {
    return FiresAt(agenda->Now(), span, profile->timing.clock);
  }
};

}  // namespace cm::sim

#endif  // SIM_IB_CM_CONTEXT_H_
