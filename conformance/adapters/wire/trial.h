// Conversations with a peer, one after the other, beside the simulator.
#ifndef CONFORMANCE_ADAPTERS_WIRE_TRIAL_H_
#define CONFORMANCE_ADAPTERS_WIRE_TRIAL_H_

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "conformance/adapters/wire/compare.h"
#include "conformance/adapters/wire/course.h"
#include "conformance/adapters/wire/door.h"
#include "conformance/adapters/wire/tester_end.h"
#include "model/conversation/conversation.h"
#include "model/vocabulary/profile.h"

namespace cm::live {

// The door for one conversation. Doors may lead to the same place; one at a time is used. With
// `by_lines` the peer's application is to carry out the lines of that conversation.
using OpenDoor =
    std::function<std::unique_ptr<Door>(const Ends& ends, const Conversation* by_lines)>;

struct TrialSettings {
  OpenDoor open;
  // But for the side, which is that of each conversation. A peer without a hardware address is the
  // simulator, and has that of its device.
  Ends ends;
  bool with_driver = false;  // the peer's application can carry out lines
  uint16_t service = kService;
  Pace pace;
  Profile profile;
  // Of the first conversation; a GUID of 0 is for a peer that the simulator is.
  Identity first;
};

struct Tried {
  Conversation conversation;
  Course expected;
  Course seen;
  std::vector<Difference> differences;
};

class Trial {
 public:
  explicit Trial(TrialSettings settings);

  Tried Try(const Conversation& conversation);
  // The shortest conversation found that shows a difference of the same cause as the first one.
  Tried Shrink(Tried tried, int attempts_max, const std::atomic<bool>& interrupted);

 private:
  Course CarryOutOn(Door& door, const Conversation& conversation, const Ends& ends,
                    const Identity& identity, uint16_t service, const Course* expected);

  TrialSettings settings_;
  uint32_t number_ = 0;
};

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_TRIAL_H_
