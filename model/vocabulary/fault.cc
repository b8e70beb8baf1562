#include "model/vocabulary/fault.h"

#include <array>

namespace cm {
namespace {

constexpr std::array<std::string_view, kFaultKindCount> kFaultNames = {
    "drop",    "delay",         "duplicate",  "reorder",           "link-down",
    "link-up", "remove-device", "add-device", "fail-over",         "neighbour-change",
    "exit",    "silence-sm",    "corrupt",    "duplicate-address", "link-flap",
    "crash",   "restart",
};

constexpr std::array<std::string_view, kCapabilityCount> kCapabilityNames = {
    "drop",          "drop-nth",   "delay",     "duplicate",   "reorder",     "link",
    "remove-device", "add-device", "fail-over", "neighbour",   "exit",        "time",
    "races",         "lanes",      "crashes",   "misuse",      "later-calls", "data",
    "silence-sm",    "corrupt",    "direction", "delay-range", "late-start",  "duplicate-address",
    "link-flap",     "host-crash", "tester",
};

constexpr std::array<Capability, kFaultKindCount> kNeeded = {
    Capability::kDrop,         Capability::kDelay,
    Capability::kDuplicate,    Capability::kReorder,
    Capability::kLink,         Capability::kLink,
    Capability::kRemoveDevice, Capability::kAddDevice,
    Capability::kFailOver,     Capability::kNeighbour,
    Capability::kExit,         Capability::kSilenceSm,
    Capability::kCorrupt,      Capability::kDuplicateAddress,
    Capability::kFlap,         Capability::kHostCrash,
    Capability::kHostCrash,
};

}  // namespace

std::string_view ToString(FaultKind kind) { return kFaultNames[static_cast<size_t>(kind)]; }

std::optional<FaultKind> ParseFaultKind(std::string_view name) {
  for (size_t i = 0; i < kFaultNames.size(); ++i)
    if (kFaultNames[i] == name) return static_cast<FaultKind>(i);
  return std::nullopt;
}

std::string AllFaultKinds() {
  std::string all;
  for (const std::string_view name : kFaultNames) {
    if (!all.empty()) all += ", ";
    all += name;
  }
  return all;
}

std::string ToString(MadKinds kinds) {
  if (kinds == MadKinds::All()) return "any";
  std::string text;
  for (int i = 0; i < kMadKindCount; ++i) {
    if (!kinds.Has(static_cast<MadKind>(i))) continue;
    if (!text.empty()) text += ",";
    text += ToString(static_cast<MadKind>(i));
  }
  return text;
}

std::optional<MadKinds> ParseMadKinds(std::string_view name) {
  if (name == "any") return MadKinds::All();
  const std::optional<MadKind> kind = ParseMadKind(name);
  if (!kind) return std::nullopt;
  return MadKinds(*kind);
}

std::string_view ToString(Capability capability) {
  return kCapabilityNames[static_cast<size_t>(capability)];
}

std::optional<Capability> ParseCapability(std::string_view name) {
  for (size_t i = 0; i < kCapabilityNames.size(); ++i)
    if (kCapabilityNames[i] == name) return static_cast<Capability>(i);
  return std::nullopt;
}

std::string ToString(Capabilities capabilities) {
  std::string text;
  for (int i = 0; i < kCapabilityCount; ++i) {
    if (!capabilities.Has(static_cast<Capability>(i))) continue;
    if (!text.empty()) text += " ";
    text += ToString(static_cast<Capability>(i));
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

Capabilities Needs(const Fault& fault) {
  Capabilities needed = Capabilities().With(kNeeded[static_cast<size_t>(fault.kind)]);
  const bool counted = fault.first != 1 || fault.last != 0 || fault.window != Duration::Max();
  if (fault.OnPackets() && counted) needed = needed.With(Capability::kDropNth);
  if (!fault.OnPackets()) return needed;
  if (fault.side == kAnySide || fault.to != kAnySide) needed = needed.With(Capability::kDirection);
  if (fault.MostLate() > fault.by) needed = needed.With(Capability::kDelayRange);
  if (fault.after > Duration()) needed = needed.With(Capability::kLateStart);
  return needed;
}

}  // namespace cm
