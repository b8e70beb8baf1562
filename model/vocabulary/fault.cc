#include "model/vocabulary/fault.h"

#include <array>

#include "model/base/enumeration.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

void AppendArgument(std::string* text, const FaultFieldRow& field, std::string_view value) {
  *text += " ";
  if (!field.key.empty()) text->append(field.key).append("=");
  *text += value;
}

std::string NameOf(uint8_t side, const Topology& topology) {
  return side == kAnySide ? "any" : topology.sides[side].name;
}

std::string OccurrencesOf(const Fault& fault) {
  if (fault.first == 1 && fault.last == 0) return {};
  std::string text = std::to_string(fault.first);
  if (fault.last == 0) text += "..";
  if (fault.last > fault.first) text += ".." + std::to_string(fault.last);
  return text;
}

std::string DelayOf(const Fault& fault) {
  std::string text = ToString(fault.by);
  if (fault.MostLate() > fault.by) text += ".." + ToString(fault.at_most);
  return text;
}

constexpr auto kFaultFieldRows = std::to_array<FaultFieldRow>({
    {.field = FaultField::kSide,
     .key = "side",
     .form = "SIDE",
     .text = [](const Fault& f, const Topology& t) { return NameOf(f.side, t); }},
    {.field = FaultField::kEvery,
     .key = "every",
     .form = "DURATION",
     .example = "15us",
     .text = [](const Fault& f, const Topology&) { return ToString(f.by); }},
    {.field = FaultField::kTimes,
     .key = "times",
     .form = "N",
     .example = "1",
     .text = [](const Fault& f, const Topology&) { return std::to_string(f.last); }},
    {.field = FaultField::kMessages,
     .form = "MESSAGE or any",
     .example = "any",
     .text = [](const Fault& f, const Topology&) { return ToString(f.messages); }},
    {.field = FaultField::kFrom,
     .key = "from",
     .form = "SIDE or any",
     .text = [](const Fault& f, const Topology& t) { return NameOf(f.side, t); },
     .asks = [](const Fault& f) { return f.side == kAnySide; },
     .needs = Capability::kDirection},
    {.field = FaultField::kTo,
     .key = "to",
     .form = "SIDE or any",
     .otherwise = "any",
     .text = [](const Fault& f,
                const Topology& t) { return f.to == kAnySide ? "" : NameOf(f.to, t); },
     .asks = [](const Fault& f) { return f.to != kAnySide; },
     .needs = Capability::kDirection},
    {.field = FaultField::kNth,
     .key = "nth",
     .form = "N, N..M or N..",
     .otherwise = "1..",
     .example = "1",
     .text = [](const Fault& f, const Topology&) { return OccurrencesOf(f); },
     .asks = [](const Fault& f) { return f.CountsMessages(); },
     .needs = Capability::kDropNth},
    {.field = FaultField::kBy,
     .key = "by",
     .form = "DURATION or DURATION..DURATION",
     .example = "5s",
     .text = [](const Fault& f, const Topology&) { return DelayOf(f); },
     .asks = [](const Fault& f) { return f.MostLate() > f.by; },
     .needs = Capability::kDelayRange},
    {.field = FaultField::kShape,
     .key = "shape",
     .form = "uniform or tail",
     .otherwise = "uniform",
     .text = [](const Fault& f, const Topology&) -> std::string {
       return f.shape == DelayShape::kTail ? "tail" : "";
     }},
    {.field = FaultField::kAfter,
     .key = "after",
     .form = "DURATION",
     .otherwise = "0s",
     .text = [](const Fault& f,
                const Topology&) { return f.after > Duration() ? ToString(f.after) : ""; },
     .asks = [](const Fault& f) { return f.after > Duration(); },
     .needs = Capability::kLateStart},
    {.field = FaultField::kDuring,
     .key = "during",
     .form = "DURATION",
     .otherwise = "for ever",
     .text = [](const Fault& f,
                const Topology&) { return f.window != Duration::Max() ? ToString(f.window) : ""; },
     .asks = [](const Fault& f) { return f.window != Duration::Max(); },
     .needs = Capability::kDropNth},
});
constexpr auto kFaultFields = ByValue(kFaultFieldRows, &FaultFieldRow::field);

}  // namespace

const FaultFieldRow& RowOf(FaultField field) { return kFaultFields[static_cast<size_t>(field)]; }

std::string_view ToString(FaultKind kind) { return RowOf(kind).name; }

std::optional<FaultKind> ParseFaultKind(std::string_view name) {
  for (const FaultRow& row : kFaultKinds)
    if (row.name == name) return row.kind;
  return std::nullopt;
}

std::string AllFaultKinds() {
  std::string all;
  for (const FaultRow& row : kFaultKinds) {
    if (!all.empty()) all += ", ";
    all += row.name;
  }
  return all;
}

std::string ToString(const Fault& fault, const Topology& topology) {
  const FaultRow& row = RowOf(fault.kind);
  std::string text(row.name);
  for (const FaultField taken : row.takes) {
    const FaultFieldRow& field = RowOf(taken);
    const std::string value = field.text(fault, topology);
    if (value.empty() && !field.otherwise.empty()) continue;
    AppendArgument(&text, field, value);
  }
  return text;
}

std::string ExampleOf(FaultKind kind, std::string_view side) {
  const FaultRow& row = RowOf(kind);
  std::string text(row.name);
  for (const FaultField taken : row.takes) {
    const FaultFieldRow& field = RowOf(taken);
    const bool names_side = taken == FaultField::kSide || taken == FaultField::kFrom;
    const std::string_view value = names_side ? side : field.example;
    if (!value.empty()) AppendArgument(&text, field, value);
  }
  return text;
}

std::string ToString(MadKinds kinds) {
  if (kinds == MadKinds::All()) return "any";
  std::string text;
  for (const MadKind kind : kMads) {
    if (!kinds.Has(kind)) continue;
    if (!text.empty()) text += ",";
    text += ToString(kind);
  }
  return text;
}

std::optional<MadKinds> ParseMadKinds(std::string_view name) {
  if (name == "any") return MadKinds::All();
  const std::optional<MadKind> kind = ParseMadKind(name);
  if (!kind) return std::nullopt;
  return MadKinds(*kind);
}

Capabilities Needs(const Fault& fault) {
  const FaultRow& row = RowOf(fault.kind);
  Capabilities needed{row.needs};
  for (const FaultField taken : row.takes) {
    const FaultFieldRow& field = RowOf(taken);
    if (field.asks != nullptr && field.asks(fault)) needed = needed.With(field.needs);
  }
  return needed;
}

Capabilities NeedsOfPacketFaults() {
  Capabilities all;
  for (const FaultRow& row : kFaultKinds) {
    if (row.packets == PacketEffect::kNone) continue;
    all = all.With(row.needs);
    for (const FaultField taken : row.takes)
      if (RowOf(taken).asks != nullptr) all = all.With(RowOf(taken).needs);
  }
  return all;
}

}  // namespace cm
