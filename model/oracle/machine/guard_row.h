// Rows of predicates: when a guard holds. One header a subject has the rows; guards.cc finds the
// predicate of a guard by them.
#ifndef MODEL_ORACLE_MACHINE_GUARD_ROW_H_
#define MODEL_ORACLE_MACHINE_GUARD_ROW_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "model/cm_id/guard.h"
#include "model/oracle/belief/certainty.h"
#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/fault_model.h"
#include "model/oracle/belief/state.h"
#include "model/rules/transports.h"

namespace cm::model {

// Who else holds the port that a call wants.
struct PortClash {
  Certainty same_address = Certainty::kNo;
  Certainty wildcard = Certainty::kNo;
};

// What a predicate looks at: a call on an id, in one possibility.
struct Situation {
  const Possibility& possibility;
  uint8_t at;         // the id's place in the possibility
  const IdState& id;  // and what stands there
  const IdInfo& info;
  const Call& call;
  const ConversationFacts& facts;
  const FaultModel& fault_model;
  const Window& window;
  const PortClash& clash;

  bool datagram() const { return IsDatagram(info.space); }
};

using Predicate = Certainty (*)(const Situation&);

// The predicate of a guard over some of the transports that the guard can hold over.
struct GuardRow {
  Guard guard;
  Predicate holds;
  Transports over = over::kAll;
};

// By transport and guard; null where the guard cannot hold.
using Predicates = std::array<std::array<Predicate, kGuardCount>, kCountOf<Transport>>;

// A guard that has no predicate over a transport where it can hold, or two.
constexpr std::optional<Guard> FirstWithoutOnePredicate(std::span<const GuardRow> rows) {
  for (int g = 0; g < kGuardCount; ++g) {
    const auto guard = static_cast<Guard>(g);
    Transports covered;
    for (const GuardRow& row : rows) {
      if (row.guard != guard) continue;
      const Transports more = row.over & InfoOf(guard).over;
      if (!(covered & more).empty()) return guard;
      covered = covered | more;
    }
    if (covered != InfoOf(guard).over) return guard;
  }
  return std::nullopt;
}

constexpr Predicates ByTransport(std::span<const GuardRow> rows) {
  Predicates predicates{};
  for (const GuardRow& row : rows)
    for (int t = 0; t < kCountOf<Transport>; ++t)
      if ((row.over & InfoOf(row.guard).over).Has(static_cast<Transport>(t)))
        predicates[t][static_cast<size_t>(row.guard)] = row.holds;
  return predicates;
}

// All rows of some tables.
template <size_t... kRows>
constexpr auto Joined(const std::array<GuardRow, kRows>&... tables) {
  std::array<GuardRow, (kRows + ...)> all{};
  size_t to = 0;
  const auto append = [&](const auto& table) {
    for (const GuardRow& row : table) all[to++] = row;
  };
  (append(tables), ...);
  return all;
}

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_GUARD_ROW_H_
