// For tests: histories written by hand.
#ifndef CONFORMANCE_FIDELITY_TEST_HISTORIES_H_
#define CONFORMANCE_FIDELITY_TEST_HISTORIES_H_

#include <string>
#include <vector>

#include "model/conversation/history.h"

namespace cm {

// "LINE -> ANSWER" or "returned LINE -> ANSWER", in order, each 1 ms after the one before; "@70s"
// sets the clock.
using HistoryText = std::vector<std::string>;
HistoryText operator+(HistoryText a, const HistoryText& b);

// The file of a drawn sequence, on one kernel with two devices.
std::string FileOf(const HistoryText& text);
// Aborts when the text is no history.
History HistoryOf(const HistoryText& text);

// The passive side listens with L on channel S.
HistoryText Listening();
// The active side has channel C and an id with a resolved route.
HistoryText Ready(const std::string& id);

}  // namespace cm

#endif  // CONFORMANCE_FIDELITY_TEST_HISTORIES_H_
