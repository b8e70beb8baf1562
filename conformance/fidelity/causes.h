// Causes of differences between two implementations in the same conversation.
//
// The causes are a closed list, decided by rules over the two histories and the conversation, in
// the order given here: the first rule that holds is the cause. For the remaining differences,
// either the tables permit both, by rows that are named, or the tables or the simulator have a gap
// that is named as such.
#ifndef CONFORMANCE_FIDELITY_CAUSES_H_
#define CONFORMANCE_FIDELITY_CAUSES_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "conformance/fidelity/tracks.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"

namespace cm {

enum class Cause : uint8_t {
  kKernelRefused,
  kSimulatorRefused,
  kUndecided,
  kWhichThread,
  kWhoWasFirst,
  kOrderOnChannel,
  kDeafDevice,
  kTimer,
  kAlternative,
};

struct CauseInfo {
  Cause cause;
  std::string_view name;
  std::string_view sentence;
};
// clang-format off
inline constexpr auto kCauses = std::to_array<CauseInfo>({
    {Cause::kKernelRefused, "the tables lack a row",
     "The kernel did what no row permits: a row is missing or wrong, and the simulator reads the world as the tables do."},
    {Cause::kSimulatorRefused, "the simulator does what no row permits",
     "A defect of the simulator."},
    {Cause::kUndecided, "beyond the tables",
     "The oracle could not follow one of the two so far: more than it follows could explain it, or an id that the tables do not know."},
    {Cause::kWhichThread, "which of several waiting threads is served",
     "Two threads wait for events of one channel; who gets the next one is not specified."},
    {Cause::kWhoWasFirst, "who was first: two requests in flight",
     "Two requests to one listener cross; each side took the other one first."},
    {Cause::kOrderOnChannel, "order of independent events on one channel",
     "Events of different ids on one channel, queued at almost the same moment."},
    {Cause::kDeafDevice, "deaf device after a failed send",
     "A send that fails in the driver, over a link that is down or repeated after a fail-over, makes a device deaf on this kernel."},
    {Cause::kTimer, "late or early timer at the edge of a wait",
     "The event comes by a timer, and a look at the channel, or another timer, falls between the two moments: the kernel rounds its timers up to the next step of its timer wheel, the simulator does not."},
    {Cause::kAlternative, "permitted alternative",
     "The tables permit both, by the rows that are named with the example."},
});
// clang-format on
const CauseInfo& InfoOf(Cause cause);

struct Explanation {
  Cause cause = Cause::kAlternative;
  std::string why;  // about these two histories
};

// `parting` is the first of the two histories, which are of the same conversation.
Explanation CauseOf(const History& kernel, const History& simulator, const Parting& parting,
                    const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_FIDELITY_CAUSES_H_
