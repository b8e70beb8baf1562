#include "tools/app/tally.h"

#include <fmt/format.h>

namespace cm::app {
namespace {

bool Matches(const Fault& fault, const sim::WireNote& note) {
  if (note.data == nullptr) return fault.messages.Has(note.mad.kind);
  const bool hits = fault.Loses() || fault.Effect() == PacketEffect::kLate;
  return hits && sim::Fabric::IsOnData(fault);
}

}  // namespace

void Tally::Installed(const Fault& fault, Instant now, const std::string& text) {
  if (fault.OnPackets()) all_.push_back({.fault = fault, .since = now, .text = text});
}

void Tally::Healed() {
  for (Known& known : all_) known.healed = true;
}

void Tally::Sent(const sim::WireNote& note) {
  // A message that stays on its device crosses no link, and matches no fault.
  if (note.from == note.to) return;
  for (Known& known : all_) {
    const Fault& fault = known.fault;
    const Instant begins = known.since + fault.after;
    const bool acts = !known.healed && note.at >= begins && note.at - begins < fault.window;
    if (acts && Names(fault.side, note.from) && Names(fault.to, note.to) && Matches(fault, note))
      ++known.seen;
  }
}

std::vector<std::string> Tally::Idle() const {
  std::vector<std::string> lines;
  for (const Known& known : all_) {
    if (known.seen == 0)
      lines.push_back(fmt::format("{}: matched nothing", known.text));
    else if (known.seen < known.fault.first)
      lines.push_back(fmt::format("{}: only {} matched", known.text, known.seen));
  }
  return lines;
}

}  // namespace cm::app
