// Guards of posting work requests and of what takes them.
#ifndef MODEL_ORACLE_MACHINE_QUEUE_GUARDS_H_
#define MODEL_ORACLE_MACHINE_QUEUE_GUARDS_H_

#include <array>
#include <variant>

#include "model/oracle/machine/guard_row.h"

namespace cm::model::guards {

inline const QueuesInfo& QueuesOf(const Situation& s) { return s.facts.work.of(IdOf(s.call)); }

inline Certainty InlineTooLong(const Situation& s) {
  const call::Work& work = *WorkOf(s.call);
  return Of((work.flags & kInline) != 0 && LengthOf(work.sges) > QueueLimits::kInline);
}

// Of the queue that the call names, as it was brought up to date by DataPath.
inline Certainty NoCqEvent(const Situation& s) {
  return QueuesOf(s).events[std::get<call::GetCqEvent>(s.call).receives ? 1 : 0].Missing();
}

inline constexpr auto kOfQueues = std::to_array<GuardRow>({
    {Guard::kSrqUntyped,
     [](const Situation& s) { return Of(!std::get<call::CreateSrqEx>(s.call).typed); }},
    {Guard::kSrqAbsent, [](const Situation& s) { return Of(!QueuesOf(s).srq); }},
    {Guard::kQueueAbsent,
     [](const Situation& s) { return Of(!QueuesOf(s).srq && s.id.qp == QpPhase::kNone); }},
    {Guard::kServiceUnknown, [](const Situation& s) { return Of(!QueuesOf(s).service); }},
    {Guard::kPiecesTooMany,
     [](const Situation& s) { return Of(WorkOf(s.call)->sges.size() > QueueLimits::kSges); }},
    {Guard::kInlineTooLong, InlineTooLong},
    {Guard::kQueueFull, [](const Situation& s) { return s.facts.work.QueueFull(s.id, s.call); }},
    {Guard::kQpNotReady, [](const Situation& s) { return Of(kBeforeRts.Has(s.id.qp)); }},
    {Guard::kNoCqEvent, NoCqEvent},
    {Guard::kCqEventsUnacked, [](const Situation& s) { return Of(QueuesOf(s).CqEventsUnacked()); }},
    // Decided over all possibilities at once, by DataPath::NothingCompleted.
    {Guard::kNothingCompleted, [](const Situation& /*any*/) { return Certainty::kNo; }},
});

}  // namespace cm::model::guards

#endif  // MODEL_ORACLE_MACHINE_QUEUE_GUARDS_H_
