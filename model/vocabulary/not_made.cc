#include "model/vocabulary/not_made.h"

#include <algorithm>
#include <array>

namespace cm {
namespace {

struct Name {
  NotMade why;
  std::string_view name;
};

constexpr auto kNames = std::to_array<Name>({
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

std::string_view ToString(NotMade why) { return std::ranges::find(kNames, why, &Name::why)->name; }

std::optional<NotMade> ParseNotMade(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &Name::name);
  if (found == kNames.end()) return std::nullopt;
  return found->why;
}

}  // namespace cm
