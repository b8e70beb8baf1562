// For tests: histories written by hand.
#ifndef CONFORMANCE_FIDELITY_TOLD_H_
#define CONFORMANCE_FIDELITY_TOLD_H_

#include <string>
#include <vector>

#include "model/conversation/history.h"

namespace cm {

// "LINE -> ANSWER" or "returned LINE -> ANSWER", in order, each 1 ms after the one before; "@70s"
// sets the clock.
using Told = std::vector<std::string>;
Told operator+(Told a, const Told& b);

// The file of a drawn sequence, on one kernel with two devices.
std::string FileOf(const Told& told);
// Aborts when the text is no history.
History Tell(const Told& told);

// The passive side listens with L on channel S.
Told Listening();
// The active side has channel C and an id with a resolved route.
Told Ready(const std::string& id);

}  // namespace cm

#endif  // CONFORMANCE_FIDELITY_TOLD_H_
