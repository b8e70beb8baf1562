// For tests: histories altered to those of a broken implementation.
#ifndef CONFORMANCE_PROPERTIES_MUTATE_HISTORY_H_
#define CONFORMANCE_PROPERTIES_MUTATE_HISTORY_H_

#include <cstddef>

#include "model/conversation/history.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/reply.h"

namespace cm::counterexamples {

// The n-th record, from 1, of an event of the type, or of a call of the kind. Aborts when there is
// no such record.
size_t Hears(const History& history, EventType type, int n = 1);
size_t Makes(const History& history, CallKind kind, int n = 1);

// The id L.
IdRef Listener(const History& history);

CmEvent& EventAt(History& history, size_t record);
Reply& ReplyAt(History& history, size_t record);

// Duplicates the event, directly after the record `after`.
CmEvent& HearsAgain(History& history, size_t record, size_t after);
CmEvent& HearsAgain(History& history, size_t record);
// Makes the fetch find nothing and wait.
void HearsNothing(History& history, size_t record);
// Swaps the events of two fetches.
void Swaps(History& history, size_t one, size_t other);
// Moves the record to an earlier time.
void Hurries(History& history, size_t record, Duration by);

}  // namespace cm::counterexamples

#endif  // CONFORMANCE_PROPERTIES_MUTATE_HISTORY_H_
