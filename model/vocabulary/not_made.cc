#include "model/vocabulary/not_made.h"

#include <algorithm>

#include "model/base/enumeration.h"

namespace cm {
namespace {

constexpr auto kNotMadeNames = NamesByValue<NotMade>({
    {NotMade::kNeverMade, "never-made"},
    {NotMade::kGone, "gone"},
    {NotMade::kOfAnotherSide, "of-another-side"},
    {NotMade::kLaneWaits, "lane-waits"},
    {NotMade::kChannelInUse, "channel-in-use"},
    {NotMade::kIdInUse, "id-in-use"},
    {NotMade::kQueueInUse, "queue-in-use"},
    {NotMade::kWouldCrash, "would-crash"},
    {NotMade::kExited, "exited"},
    {NotMade::kCrashed, "crashed"},
    {NotMade::kContends, "contends"},
    {NotMade::kCannotBeMade, "cannot-be-made"},
});

}  // namespace

std::string_view ToString(NotMade why) { return kNotMadeNames[static_cast<size_t>(why)].name; }

std::optional<NotMade> ParseNotMade(std::string_view name) {
  const auto* const found = std::ranges::find(kNotMadeNames, name, &NamedValue<NotMade>::name);
  if (found == kNotMadeNames.end()) return std::nullopt;
  return found->value;
}

}  // namespace cm
