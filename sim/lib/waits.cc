// Calls that were blocked, and the end of the process.
#include "sim/lib/waits.h"

#include "sim/lib/calls.h"

namespace cm::sim {

Progress Continue(const Context& c, Library& library, const Ongoing& ongoing) {
  switch (ongoing.waiting) {
    case Waiting::kNothing:
      return {};
    case Waiting::kEvent:
      return GetCmEvent(c, library, ongoing.channel);
    case Waiting::kKernelDestroy:
    case Waiting::kAcks:
      return FinishDestroy(c, library, ongoing);
    case Waiting::kChannelClose:
      return FinishClose(c, library, ongoing);
    case Waiting::kCompletion:
      return TakeCompletion(c, library, ongoing);
    case Waiting::kLookup:
      return FinishLookup(c, library, ongoing);
    case Waiting::kRequest:
      return TakeRequest(c, library, ongoing);
    case Waiting::kMigrationAcks:
      return FinishMigration(library, ongoing);
    case Waiting::kGroupAcks:
      return FinishLeaving(library, ongoing);
    case Waiting::kEpAddress:
    case Waiting::kEpRoute:
      return GoOnWithEp(c, library, ongoing);
    case Waiting::kCqEvent:
      return TakeCqEvent(c, library, ongoing);
    case Waiting::kCqAcks:
    case Waiting::kEpCqAcks:
      return FinishDestroyQp(c, library, ongoing);
    case Waiting::kReply:
      return Disconnect(c, library, ongoing.id);
  }
  return {};
}

void Exit(const Context& c, Library& library) {
  for (const uint32_t channel : library.channels.All())
    CloseFile(c.kernel, library.channels[channel].file);
  Crash(c, library);
}

void Crash(const Context& c, Library& library) {
  for (const uint32_t id : library.ids.All())
    if (library.ids[id].qp != kNobody) c.verbs->Destroy(library.ids[id].qp);
  for (const uint32_t id : library.ids.All())
    if (library.ids[id].srq != kNobody) c.verbs->srqs().Destroy(library.ids[id].srq);
  for (const uint32_t region : library.regions)
    if (c.verbs->regions()[region].live) c.verbs->regions().Deregister(region);
  library = {.kernel = library.kernel};
}

}  // namespace cm::sim
