// What holds of the cm_id table, proven while it is compiled.
#ifndef MODEL_CM_ID_PROOFS_H_
#define MODEL_CM_ID_PROOFS_H_

#include <cstddef>
#include <span>

#include "model/cm_id/rules.h"

namespace cm::model {

inline constexpr auto kNoCall = static_cast<CallKind>(kCallKindCount);

// Total over (state, call, guard): some row says what happens. The first call that lacks a row.
constexpr CallKind FirstUnanswered(std::span<const CallRule> table) {
  for (int c = 0; c < kCallKindCount; ++c) {
    const auto call = static_cast<CallKind>(c);
    const std::span<const Guard> guards = GuardsOf(call);
    if (InNoRowOfIds(call)) continue;
    // Its rows stand together: no others are looked at, as compilers count the steps.
    size_t first = table.size();
    size_t end = 0;
    for (size_t i = 0; i < table.size(); ++i) {
      if (table[i].on != call) continue;
      if (first == table.size()) first = i;
      end = i + 1;
    }
    const int states = WithoutId(call) ? 1 : kStateCount;
    for (int s = 0; s < states; ++s) {
      for (size_t g = 0; g <= guards.size(); ++g) {
        const Guard guard = g < guards.size() ? guards[g] : Guard::kFine;
        bool answered = false;
        for (size_t i = first; i < end && !answered; ++i) {
          answered = table[i].on == call && table[i].from.Has(static_cast<State>(s)) &&
                     table[i].when.Has(guard);
        }
        if (!answered) return call;
      }
    }
  }
  return kNoCall;
}
constexpr bool EveryCallIsAnswered(std::span<const CallRule> table) {
  return FirstUnanswered(table) == kNoCall;
}

// The compiler names the call.
template <CallKind kCall>
struct LacksARow {
  static constexpr bool kNone = kCall == kNoCall;
  static_assert(kNone, "no row answers this call in some state and under some guard");
};

// No row speaks of a guard that its call never looks at.
constexpr bool EveryGuardIsLookedAt(std::span<const CallRule> table) {
  for (const CallRule& rule : table) {
    for (int g = 1; g < kGuardCount; ++g) {
      if (!rule.when.Has(static_cast<Guard>(g))) continue;
      bool known = false;
      for (const Guard guard : GuardsOf(rule.on)) known = known || guard == static_cast<Guard>(g);
      if (!known) return false;
    }
  }
  return true;
}

}  // namespace cm::model

#endif  // MODEL_CM_ID_PROOFS_H_
