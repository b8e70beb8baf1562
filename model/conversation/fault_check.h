// Detects faults without effect: a removed device or host must be present, an added one must be
// absent; a fail-over needs a bond. Follows the faults of a conversation in order.
#ifndef MODEL_CONVERSATION_FAULT_CHECK_H_
#define MODEL_CONVERSATION_FAULT_CHECK_H_

#include <string>
#include <vector>

#include "model/conversation/conversation.h"
#include "model/vocabulary/capability.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace cm {

class FaultCheck {
 public:
  // Without a profile, faults that only some profiles have are accepted.
  FaultCheck(const Topology& topology, const Profile* profile);

  // The reason why the fault has no effect here; empty when it has one.
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

// Whether the fault can be injected in an environment with the capabilities, between hosts of the
// topology. It may be without effect there after other faults.
bool IsPossible(const Fault& fault, Capabilities capabilities, const Topology& topology);

// The first error of a fault in a conversation written by hand. None in a drawn one: walks draw
// faults without effect as well, to see that nothing happens.
std::string WhyFaultsDoNothing(const Conversation& conversation);

}  // namespace cm

#endif  // MODEL_CONVERSATION_FAULT_CHECK_H_
