#include "model/qp/rules.h"

#include "model/base/enumeration.h"

namespace cm::model {
namespace {

constexpr auto kPhases = NamesByValue<QpPhase>({
    {QpPhase::kNone, "none"},
    {QpPhase::kInit, "INIT"},
    {QpPhase::kRtr, "RTR"},
    {QpPhase::kRts, "RTS"},
    {QpPhase::kErr, "ERR"},
    {QpPhase::kSame, "same"},
});

constexpr auto kStimuli = NamesByValue<QpStimulus>({
    {QpStimulus::kCreate, "create"},
    {QpStimulus::kBringUp, "bring up"},
    {QpStimulus::kError, "error"},
    {QpStimulus::kDestroy, "destroy"},
    {QpStimulus::kCreateDatagram, "create for datagrams"},
    {QpStimulus::kHalfUp, "bring half up"},
});

}  // namespace

std::string_view ToString(QpPhase phase) { return kPhases[static_cast<size_t>(phase)].name; }
std::string_view ToString(QpStimulus on) { return kStimuli[static_cast<size_t>(on)].name; }

const QpRule* FindQpRule(QpPhase phase, QpStimulus on) {
  for (const QpRule& rule : rules::kQps)
    if (rule.on == on && rule.from.Has(phase)) return &rule;
  return nullptr;
}

}  // namespace cm::model
