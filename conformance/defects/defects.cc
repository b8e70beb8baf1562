#include "conformance/defects/defects.h"

#include <algorithm>
#include <optional>

#include "model/vocabulary/fault.h"

namespace cm {
namespace {

bool Shows(const Defect& defect, const Profile& profile) {
  if (defect.needs.empty()) return true;
  if (const std::optional<Capability> capability = ParseCapability(defect.needs))
    return profile.capabilities.Has(*capability);
  return defect.needs == "infiniband" && profile.transport == Transport::kInfiniband;
}

}  // namespace

size_t NumberOf(std::string_view name) {
  const auto found = std::ranges::find(Defects(), name, &Defect::name);
  return found == Defects().end() ? 0 : static_cast<size_t>(found - Defects().begin()) + 1;
}

std::string_view WhoShows(std::string_view defect, const Profile& profile) {
  const size_t number = NumberOf(defect);
  if (number == 0) return {};
  const Defect& known = Defects()[number - 1];
  return Shows(known, profile) ? std::string_view() : known.profile;
}

}  // namespace cm
