// For tests: histories altered as a broken implementation would have made them.
#ifndef CONFORMANCE_PROPERTIES_DAMAGE_H_
#define CONFORMANCE_PROPERTIES_DAMAGE_H_

#include <cstddef>

#include "model/conversation/history.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/reply.h"

namespace cm::damage {

// The n-th record, from 1, of an event of the type, or of a call of the kind. Aborts when there is
// no such record.
size_t Hears(const History& history, EventType type, int n = 1);
size_t Makes(const History& history, CallKind kind, int n = 1);

CmEvent& EventAt(History& history, size_t record);
Reply& ReplyAt(History& history, size_t record);

// The event is heard a second time, right behind the record `after`.
CmEvent& HearsAgain(History& history, size_t record, size_t after);
CmEvent& HearsAgain(History& history, size_t record);
// The fetch finds nothing and waits.
void HearsNothing(History& history, size_t record);
// Two fetches find each other's events.
void Swaps(History& history, size_t one, size_t other);
// It happens that much earlier.
void Hurries(History& history, size_t record, Duration by);

}  // namespace cm::damage

#endif  // CONFORMANCE_PROPERTIES_DAMAGE_H_
