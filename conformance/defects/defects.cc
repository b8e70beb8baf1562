#include "conformance/defects/defects.h"

#include <fmt/format.h>

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

std::string NamesOfAll() {
  std::vector<std::string_view> names;
  for (const Defect& defect : Defects()) names.push_back(defect.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Of two defects that exist.
std::string WhyNotBoth(const Defect& one, const Defect& other) {
  if (one.name == other.name) return fmt::format("the defect {} is named twice", one.name);
  for (const std::string_view function : one.functions)
    if (std::ranges::find(other.functions, function) != other.functions.end())
      return fmt::format("the defects {} and {} both change {}: only one of them can be on",
                         one.name, other.name, function);
  return {};
}

}  // namespace

size_t NumberOf(std::string_view name) {
  const auto found = std::ranges::find(Defects(), name, &Defect::name);
  return found == Defects().end() ? 0 : static_cast<size_t>(found - Defects().begin()) + 1;
}

std::string WhyNotTogether(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (NumberOf(name) == 0)
      return fmt::format("there is no defect '{}'; defects are {}", name, NamesOfAll());
  for (size_t i = 0; i < names.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (std::string why =
              WhyNotBoth(Defects()[NumberOf(names[j]) - 1], Defects()[NumberOf(names[i]) - 1]);
          !why.empty())
        return why;
  return {};
}

std::string_view WhoShows(std::string_view defect, const Profile& profile) {
  const size_t number = NumberOf(defect);
  if (number == 0) return {};
  const Defect& known = Defects()[number - 1];
  return Shows(known, profile) ? std::string_view() : known.profile;
}

}  // namespace cm
