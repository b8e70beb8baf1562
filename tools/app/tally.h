// Counts the messages that each packet fault has matched: a fault without any is most often a
// mistake in the script.
#ifndef TOOLS_APP_TALLY_H_
#define TOOLS_APP_TALLY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/topology.h"
#include "sim/fabric/fabric.h"

namespace cm::app {

class Tally {
 public:
  // The topology must outlive it.
  explicit Tally(const Topology* topology) : topology_(topology) {}

  // Must have been called for all messages sent before.
  void Installed(const Fault& fault, Instant now, const std::string& text);
  void Healed();
  void Sent(const sim::WireNote& note);
  // What a program's own socket sends to another host: faults that hit data hit it, too.
  void SentOverSocket(Instant at, uint8_t from, uint8_t to);
  // A line for each fault that has matched nothing.
  std::vector<std::string> Idle() const;

 private:
  struct Known {
    Fault fault;
    Instant since;
    std::string text;
    uint32_t seen = 0;  // messages that match
    bool healed = false;
  };

  // The devices are those of both ends.
  bool Acts(const Known& known, Instant at, uint8_t from, uint8_t to) const;
  bool Names(uint8_t side, uint8_t device) const {
    return side == kAnySide || topology_->sides[side].device == device;
  }

  const Topology* topology_;
  std::vector<Known> all_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_TALLY_H_
