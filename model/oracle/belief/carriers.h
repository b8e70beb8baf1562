// Links without a carrier, and the devices that a send over one has made mute.
#ifndef MODEL_ORACLE_BELIEF_CARRIERS_H_
#define MODEL_ORACLE_BELIEF_CARRIERS_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "model/oracle/belief/certainty.h"
#include "model/oracle/belief/fixed.h"
#include "model/oracle/belief/state.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace cm::model {

// When a fault was injected, among the times and among the lines of the conversation.
struct Moment {
  // A change that follows a fault by itself has no place among the lines.
  static constexpr uint8_t kByItself = std::numeric_limits<uint8_t>::max();

  int64_t at = -1;             // nanoseconds; before everything else
  uint8_t number = kByItself;  // of the fault, from 1

  // Whether the message was sent later, for certain. A call behind the fault has sent it later also
  // at the same instant.
  bool Precedes(const Flight& flight) const {
    return flight.since.earliest > at || flight.faults >= number;
  }
};

// The end of what has not ended yet, in ns.
inline constexpr int64_t kStill = std::numeric_limits<int64_t>::max();

struct CarrierPlaces {
  const Topology& topology_;
  const Dialect& dialect_;
};

// Where a send over a link without a carrier makes a device mute, nothing that it sends later gets
// out, and it hears nothing. source: Dialect::link_down_mutes
class Carriers : Fixed<CarrierPlaces> {
 public:
  // The references outlive it.
  Carriers(const Topology& topology, const Dialect& dialect)
      : Fixed<CarrierPlaces>({topology, dialect}), devices_(topology.devices.size()) {}

  // The interface of the device goes down or up; twice the same is once.
  void Turn(uint8_t device, bool up, Moment now);
  bool IsUp(uint8_t device) const;
  bool AnyDown() const;
  // Messages of other components may have made the device mute, or have certainly.
  void NoteMute(uint8_t device, Certainty mute);
  // The device is registered anew, or its host has stopped.
  void Renew(uint8_t device) { devices_[device].mute = Certainty::kNo; }

  // Whether it was sent while its link had no carrier.
  Certainty Missed(const Flight& flight) const;
  // Whether its sender is mute from then on.
  Certainty Mutes(const Flight& flight) const;
  // Whether its sender's device was mute when it was sent.
  Certainty SentByMute(const Flight& flight, const Possibility& p) const;
  // Whether its receiver's device is mute, and does not hear it: certain where a link was down
  // before it was sent.
  Certainty SentToMute(const Flight& flight, const Possibility& p) const;
  // Whether the device silently keeps a message that was sent over the link to its peer.
  Certainty Keeps(uint8_t device, uint8_t peer, Span sent, const Possibility& p) const;

 private:
  struct Down {
    Moment from;
    int64_t until;
  };
  struct Device {
    std::vector<Down> downs;  // of its interface
    Certainty mute = Certainty::kNo;
  };
  bool OnOneLink(uint8_t a, uint8_t b) const;
  // Either end of its link was down at some time before it was sent.
  bool WasDownBefore(const Flight& flight) const;
  Certainty IsMute(uint8_t device, const Possibility& p) const {
    return p.IsMute(device) ? Certainty::kYes : devices_[device].mute;
  }

  std::vector<Device> devices_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_CARRIERS_H_
