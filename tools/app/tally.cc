#include "tools/app/tally.h"

#include <fmt/format.h>

namespace cm::app {
namespace {

bool HitsData(const Fault& fault) {
  const bool hits = fault.Loses() || fault.Effect() == PacketEffect::kLate;
  return hits && sim::Fabric::IsOnData(fault);
}

bool Matches(const Fault& fault, const sim::WireNote& note) {
  return note.data == nullptr ? fault.messages.Has(note.mad.kind) : HitsData(fault);
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
  for (Known& known : all_)
    if (Acts(known, note.at, note.from, note.to) && Matches(known.fault, note)) ++known.seen;
}

void Tally::SentOverSocket(Instant at, uint8_t from, uint8_t to) {
  for (Known& known : all_)
    if (Acts(known, at, from, to) && HitsData(known.fault)) ++known.seen;
}

bool Tally::Acts(const Known& known, Instant at, uint8_t from, uint8_t to) const {
  const Fault& fault = known.fault;
  const Instant begins = known.since + fault.after;
  return !known.healed && at >= begins && at - begins < fault.window && Names(fault.side, from) &&
         Names(fault.to, to);
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
