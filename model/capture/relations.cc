#include "model/capture/relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace cm::wire {
namespace {

using mad::Constraint;
using mad::Relation;

// Applies a row to a message: does it apply, does the message satisfy it, which values would where
// it does not.
struct Tried {
  bool counts = false;
  bool kept = false;
  std::string wanted;
};

Tried TryRange(const Constraint& row, uint64_t value) {
  if (row.low <= value && value <= row.high) return {true, true, {}};
  const bool one = row.low == row.high;
  return {true, false,
          one ? Number(row.low) : fmt::format("{} to {}", Number(row.low), Number(row.high))};
}

Tried TryRelation(const Constraint& row, uint64_t value, const mad::Mad& mad, bool active,
                  std::span<const Spoken> before) {
  Tried tried;
  uint64_t last = 0;
  for (const Spoken& spoken : before) {
    if (spoken.mad.header.kind() != row.of) continue;
    if ((spoken.active == active) != (row.relation != Relation::kEchoes)) continue;
    if (spoken.mad == mad) continue;
    const auto other = mad::ValueOf(mad::LayersOf(spoken.mad), spoken.bytes, row.of_field);
    if (!other) continue;
    const bool same = *other == value;
    if (row.relation == Relation::kNew) {
      tried.kept = (tried.kept || !tried.counts) && !same;
    } else {
      tried.kept = tried.kept || same;
    }
    tried.counts = true;
    last = *other;
  }
  if (!tried.counts || tried.kept) return tried;
  tried.wanted = row.relation == Relation::kNew
                     ? fmt::format("not {}", Number(last))
                     : fmt::format("{} as in the {}", Number(last), ToString(*row.of));
  return tried;
}

// A reserved field that is set, in the message or in RoCE's headers, except those that routers
// change.
std::optional<std::string> ReservedThatIsSet(const FrameFields& fields) {
  constexpr std::array<std::string_view, 6> kOfOthers = {"ethernet", "vlan", "sll",
                                                         "sll2",     "ipv4", "ipv6"};
  for (const mad::Layer& layer : fields.layers()) {
    if (std::find(kOfOthers.begin(), kOfOthers.end(), layer.name) != kOfOthers.end()) continue;
    for (const mad::Field& field : layer.fields) {
      if (field.show != mad::Show::kReserved || !field.is_number()) continue;
      if (layer.name == "bth" && field.name == "reserved_4") continue;
      if (mad::Read(fields.bytes(), {layer.offset, field}) != 0)
        return fmt::format("{}.{}", layer.name, field.name);
    }
  }
  return std::nullopt;
}

// Rows with the same id are alternatives; this is their combined result.
struct Alternatives {
  bool count = false;
  bool kept = false;
  std::vector<std::string> wanted;

  void Add(Tried tried) {
    if (!tried.counts) return;
    count = true;
    if (tried.kept)
      kept = true;
    else
      wanted.push_back(std::move(tried.wanted));
  }
};

}  // namespace

std::optional<uint64_t> FrameFields::operator[](std::string_view path) const {
  return mad::ValueOf(layers_, bytes_.view(), path);
}

bool FrameFields::Hold(const mad::Condition& when) const {
  if (when.field.empty()) return true;
  const auto value = (*this)[when.field];
  return value && when.low <= *value && *value <= when.high;
}

const mad::Mad* FirstOf(std::span<const Spoken> before, MadKind kind) {
  for (const Spoken& spoken : before)
    if (spoken.mad.header.kind() == kind) return &spoken.mad;
  return nullptr;
}

std::optional<Violation> FirstBreach(const CapturedMessage& sighting, const FrameFields& fields,
                                     bool active, std::span<const Spoken> before, bool may_lack,
                                     std::span<const Constraint> table) {
  const MadKind kind = sighting.kind();
  for (size_t i = 0; i < table.size();) {
    const Constraint& row = table[i];
    Alternatives alternatives;
    uint64_t value = 0;
    for (; i < table.size() && table[i].id == row.id; ++i) {
      const Constraint& one = table[i];
      if (one.message != mad::kEveryMessage && one.message != kind) continue;
      if (one.relation == Relation::kReservedZero) {
        if (const auto set = ReservedThatIsSet(fields))
          return Broken(sighting, one, fmt::format("{} is not 0", *set), "0");
        continue;
      }
      const auto found = fields[one.field];
      if (!found || !fields.Hold(one.when)) continue;
      if (one.field == row.field) value = *found;
      const bool range = one.relation == Relation::kRange;
      Tried tried =
          range ? TryRange(one, *found) : TryRelation(one, *found, sighting.mad(), active, before);
      if (!range && !tried.counts && may_lack) alternatives.kept = true;
      if (one.field != row.field && !tried.kept)
        tried.wanted = fmt::format("{} {}", one.field, tried.wanted);
      alternatives.Add(std::move(tried));
    }
    if (!alternatives.count || alternatives.kept) continue;
    return Broken(sighting, row, fmt::format("{} = {}", row.field, Number(value)),
                  fmt::format("{}", fmt::join(alternatives.wanted, ", or ")));
  }
  return std::nullopt;
}

}  // namespace cm::wire
