#include "model/cm_id/rules.h"

#include <cstdint>
#include <span>

#include "model/cm_id/proofs.h"
#include "model/rules/enumeration.h"

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

constexpr auto kBelow =
    ByValue(std::to_array<BelowInfo>({
                {Below::kAddressFound, "address found"},
                {Below::kAddressTimesOut, "address times out"},
                {Below::kAddressWithoutDevice, "address without device"},
                {Below::kAddressOfOtherLink, "address of another link", over::kEthernet},
                {Below::kRouteFound, "route found"},
                {Below::kDeviceGoes, "device goes"},
                {Below::kKernelIdClosed, "kernel id closed"},
                {Below::kAddressChanges, "address changes"},
                {Below::kNeighbourChanges, "neighbour changes", over::kEthernet},
                {Below::kGroupJoined, "group joined"},
                {Below::kGroupWithoutGid, "group without GID", over::kEthernet},
                {Below::kRouteTimesOut, "route times out", over::kInfiniband},
                {Below::kRouteRefused, "route refused", over::kInfiniband},
                {Below::kGroupTimesOut, "group times out", over::kInfiniband},
            }),
            &BelowInfo::on);

}  // namespace

std::span<const CallRule> RowsOn(CallKind call) {
  const Range& rows = kRowsOn[static_cast<size_t>(call)];
  return std::span(rules::kCalls).subspan(rows.first, rows.behind - rows.first);
}

const BelowInfo& InfoOf(Below below) { return kBelow[static_cast<size_t>(below)]; }

std::string_view ToString(Below below) { return InfoOf(below).name; }

}  // namespace cm::model
