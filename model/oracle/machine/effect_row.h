// Rows of actions: what an effect does, over some transports.
#ifndef MODEL_ORACLE_MACHINE_EFFECT_ROW_H_
#define MODEL_ORACLE_MACHINE_EFFECT_ROW_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "model/cm_id/effect.h"
#include "model/rules/transports.h"

namespace cm::model {

template <typename Function>
struct EffectRow {
  Effect effect;
  Function action;
  Transports over = over::kAll;
};

// An effect with two actions over one transport.
template <typename Function>
constexpr std::optional<Effect> FirstWithTwoActions(std::span<const EffectRow<Function>> rows) {
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (rows[i].effect == rows[j].effect && !(rows[i].over & rows[j].over).empty())
        return rows[i].effect;
  return std::nullopt;
}

// An effect without a row, or with two over one transport.
template <typename Function>
constexpr std::optional<Effect> FirstWithoutOneAction(std::span<const EffectRow<Function>> rows) {
  for (int e = 0; e < kEffectCount; ++e) {
    const auto effect = static_cast<Effect>(e);
    bool acts = effect == Effect::kNone;
    for (const EffectRow<Function>& row : rows)
      acts |= row.effect == effect && row.action != nullptr;
    if (!acts) return effect;
  }
  return FirstWithTwoActions(rows);
}

// By transport and effect; null where there is no row.
template <typename Function>
constexpr auto ByTransport(std::span<const EffectRow<Function>> rows) {
  std::array<std::array<Function, kEffectCount>, kCountOf<Transport>> placed{};
  for (const EffectRow<Function>& row : rows)
    for (int t = 0; t < kCountOf<Transport>; ++t)
      if (row.over.Has(static_cast<Transport>(t)))
        placed[t][static_cast<size_t>(row.effect)] = row.action;
  return placed;
}

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_EFFECT_ROW_H_
