#include "model/cm_id/rules.h"

#include <cstdint>
#include <span>

#include "model/cm_id/proofs.h"

namespace cm::model {

static_assert(EveryCallIsAnswered(rules::kCalls));
static_assert(EveryGuardIsLookedAt(rules::kCalls));

namespace {

struct Range {
  uint16_t first = 0;
  uint16_t behind = 0;
};

constexpr std::array<Range, kCallKindCount> kRowsOn = [] {
  std::array<Range, kCallKindCount> rows{};
  for (uint16_t i = 0; i < rules::kCalls.size(); ++i) {
    Range& of_kind = rows[static_cast<size_t>(rules::kCalls[i].on)];
    if (of_kind.behind == 0) of_kind.first = i;
    of_kind.behind = i + 1;
  }
  return rows;
}();

// Rows on one call stand together.
static_assert([] {
  size_t rows = 0;
  for (const Range& of_kind : kRowsOn) rows += of_kind.behind - of_kind.first;
  return rows == rules::kCalls.size();
}());

constexpr std::array<std::string_view, kBelowCount> kBelowNames = {
    "address found",     "address times out", "address without device", "address of another link",
    "route found",       "device goes",       "kernel id closed",       "address changes",
    "neighbour changes", "group joined",      "group without GID",      "route times out",
    "route refused",     "group times out"};

}  // namespace

std::span<const CallRule> RowsOn(CallKind call) {
  const Range& rows = kRowsOn[static_cast<size_t>(call)];
  return std::span(rules::kCalls).subspan(rows.first, rows.behind - rows.first);
}

std::string_view ToString(Below below) { return kBelowNames[static_cast<size_t>(below)]; }

}  // namespace cm::model
