#include "conformance/properties/registry.h"

#include <algorithm>
#include <vector>

namespace cm {
namespace {

std::vector<Property> AllFamilies() {
  std::vector<Property> all;
  const auto add = [&all](std::string_view title, std::span<const Property> family) {
    for (const Property& property : family) all.emplace_back(property).family = title;
  };
#define CM_FAMILY(name, title) add(title, families::name());
  CM_PROPERTY_FAMILIES(CM_FAMILY)
#undef CM_FAMILY
  return all;
}

}  // namespace

std::span<const Property> Properties() {
  static const std::vector<Property> all = AllFamilies();
  return all;
}

const Property* FindProperty(std::string_view id) {
  const auto found = std::ranges::find(Properties(), id, &Property::id);
  return found != Properties().end() ? &*found : nullptr;
}

}  // namespace cm
