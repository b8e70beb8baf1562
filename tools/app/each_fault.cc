#include "tools/app/each_fault.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "model/vocabulary/mad_kind.h"
#include "sim/fabric/fabric.h"

namespace cm::app {
namespace {

// The instant that begins a line of the conversation.
std::optional<Instant> InstantIn(std::string_view line) {
  const size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::nullopt;
  const auto since = ParseDuration(line.substr(begin, line.find(' ', begin) - begin));
  if (!since) return std::nullopt;
  return Instant() + *since;
}

// The name of the first side at a device; empty where there is none.
std::string SideAt(const Topology& topology, uint8_t device) {
  for (const SideInfo& side : topology.sides)
    if (side.device == device) return side.name;
  return {};
}

}  // namespace

void Steps::Watch(Setting* setting) {
  setting->hears = [](std::string_view, std::string_view) {};
  setting->traces = [this](std::string_view line) {
    if (const auto instant = InstantIn(line)) instants_.insert(*instant);
  };
  setting->on_wire = [this, topology = setting->topology,
                      sent = std::map<std::string, int>()](const sim::WireNote& note) mutable {
    if (note.data != nullptr) return;  // there is no fault of a kind of data
    const std::string side = SideAt(*topology, note.from);
    if (side.empty() || note.from == note.to) return;
    const std::string what = fmt::format("{} from={}", ToString(note.mad.kind), side);
    messages_.push_back(fmt::format("{} nth={}", what, ++sent[what]));
  };
}

std::vector<std::vector<Happening>> Steps::Faults(const Setting& setting) const {
  std::vector<std::string> texts;
  for (const std::string& message : messages_) texts.push_back("fault drop " + message);
  for (const Instant instant : instants_) {
    const std::string pass = "pass " + ToString(instant - Instant()) + "\n";
    for (const SideInfo& side : setting.topology->sides) {
      texts.push_back(fmt::format("{}fault remove-device side={}", pass, side.name));
      texts.push_back(fmt::format("{}fault link-down side={}\npass 1s\nfault link-up side={}", pass,
                                  side.name, side.name));
    }
  }
  std::vector<std::vector<Happening>> scripts;
  for (const std::string& text : texts) {
    auto script = ReadIfPossible(text, setting.topology, setting.profile);
    if (script && !script->empty()) scripts.push_back(std::move(*script));
  }
  return scripts;
}

}  // namespace cm::app
