// Whether faults can do anything: a device or host that goes has to be there, and one that comes
// has to be gone; what fails over is on a bond. Follows the faults of a conversation in their
// order.
#ifndef MODEL_CONVERSATION_FAULT_CHECK_H_
#define MODEL_CONVERSATION_FAULT_CHECK_H_

#include <string>
#include <vector>

#include "model/conversation/conversation.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace cm {

class FaultCheck {
 public:
  // Without a profile nothing is said about what only some profiles have.
  FaultCheck(const Topology& topology, const Profile* profile);

  // Why nothing would come of it where it stands; empty when something does.
  std::string Take(const Fault& fault);

 private:
  // Why the premise does not hold of the side; empty when it does.
  std::string Lacks(uint8_t side, FaultPremise premise) const;
  std::string LacksDevice(uint8_t side, bool present) const;
  std::string LacksHost(uint8_t side, bool running) const;
  // The premise holds from now on.
  void Leave(uint8_t side, FaultPremise premise);
  void SetHost(uint8_t kernel, bool running);

  const Topology& topology_;
  const Profile* profile_;
  std::vector<bool> registered_;  // by device
  std::vector<bool> halted_;      // by kernel
};

// The first problem with a fault of the whole conversation, whoever wrote it down. Of one that was
// drawn none: walks draw what does nothing as well, to see that nothing comes of it.
std::string WhyFaultsDoNothing(const Conversation& conversation);

}  // namespace cm

#endif  // MODEL_CONVERSATION_FAULT_CHECK_H_
