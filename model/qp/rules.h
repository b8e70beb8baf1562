// The queue pair table: the transitions that the library makes on its user's behalf.
#ifndef MODEL_QP_RULES_H_
#define MODEL_QP_RULES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "model/rules/rule.h"
#include "model/rules/transports.h"

namespace cm::model {

// A queue pair between two calls: RESET is passed through, and RTR is rested in where the step to
// RTS is refused.
enum class QpPhase : uint8_t { kNone, kInit, kRtr, kRts, kErr, kSame };
inline constexpr int kQpPhaseCount = static_cast<int>(QpPhase::kSame);
using QpPhases = Set<QpPhase>;
// Nothing can be sent from it yet.
inline constexpr QpPhases kBeforeRts = QpPhases(QpPhase::kInit) | QpPhase::kRtr;

enum class QpStimulus : uint8_t { kCreate, kBringUp, kError, kDestroy, kCreateDatagram, kHalfUp };

struct QpRule {
  std::string_view id;
  QpPhases from;
  QpStimulus on;
  bool possible;
  QpPhase to;
  Evidence evidence;
  Transports over = over::kAll;
};

namespace rules {

extern const std::span<const QpRule> kQps;

}  // namespace rules

std::string_view ToString(QpPhase phase);
std::string_view ToString(QpStimulus stimulus);

// The row for a stimulus in a phase; null where destroying nothing would crash.
const QpRule* FindQpRule(QpPhase phase, QpStimulus on);

}  // namespace cm::model

#endif  // MODEL_QP_RULES_H_
