#include "model/vocabulary/capability.h"

namespace cm {

std::string_view ToString(Capability capability) {
  return kCapabilities[static_cast<size_t>(capability)].name;
}

std::optional<Capability> ParseCapability(std::string_view name) {
  for (const CapabilityRow& row : kCapabilities)
    if (row.name == name) return row.capability;
  return std::nullopt;
}

std::string ToString(Capabilities capabilities) {
  std::string text;
  for (const CapabilityRow& row : kCapabilities) {
    if (!capabilities.Has(row.capability)) continue;
    if (!text.empty()) text += " ";
    text += row.name;
  }
  return text.empty() ? "none" : text;
}

std::optional<Capabilities> ParseCapabilities(std::string_view text) {
  Capabilities all;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
    if (word.empty() || word == "none") continue;
    const std::optional<Capability> one = ParseCapability(word);
    if (!one) return std::nullopt;
    all = all.With(*one);
  }
  return all;
}

}  // namespace cm
