// Rows of actions: what an effect does to a possibility, and to what is known for certain.
#ifndef MODEL_ORACLE_EFFECT_ROW_H_
#define MODEL_ORACLE_EFFECT_ROW_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "model/cm_id/effect.h"
#include "model/rules/transports.h"

namespace cm::model {

// The action of an effect over some transports: one of the two functions, or both.
template <typename CarryFunction, typename LearnFunction>
struct EffectRow {
  Effect effect;
  CarryFunction carry = nullptr;  // in a possibility
  LearnFunction learn = nullptr;
  Transports over = over::kAll;
};

// An effect without any action, or with two over one transport.
template <typename Row>
constexpr std::optional<Effect> FirstWithoutOneAction(std::span<const Row> rows) {
  for (int e = 0; e < kEffectCount; ++e) {
    const auto effect = static_cast<Effect>(e);
    if (effect == Effect::kNone) continue;
    Transports covered;
    for (const Row& row : rows) {
      if (row.effect != effect) continue;
      const bool acts = row.carry != nullptr || row.learn != nullptr;
      if (!acts || !(covered & row.over).empty()) return effect;
      covered = covered | row.over;
    }
    if (covered.empty()) return effect;
  }
  return std::nullopt;
}

// By transport and effect; null where there is no row.
template <typename Row>
constexpr auto ByTransport(std::span<const Row> rows) {
  std::array<std::array<const Row*, kEffectCount>, kCountOf<Transport>> placed{};
  for (const Row& row : rows)
    for (int t = 0; t < kCountOf<Transport>; ++t)
      if (row.over.Has(static_cast<Transport>(t)))
        placed[t][static_cast<size_t>(row.effect)] = &row;
  return placed;
}

}  // namespace cm::model

#endif  // MODEL_ORACLE_EFFECT_ROW_H_
