// Alters one observation of a recording: a good oracle refuses the result.
//
// Only results of the implementation are altered, never its input: arguments and faults stay.
// Volatile fields (queue pair numbers, ports that the kernel draws) are not altered, except that a
// drawn port may become a requested one. Redundant fields (the name and the number of an event, the
// port in an address and beside it) are altered together, because otherwise the line contradicts
// itself and no oracle is needed.
#ifndef CONFORMANCE_SHARPNESS_RECORDING_ALTERATIONS_H_
#define CONFORMANCE_SHARPNESS_RECORDING_ALTERATIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/sharpness/alteration.h"
#include "conformance/sharpness/kinds.h"
#include "model/vocabulary/profile.h"

namespace cm {

// The lines that contain an observation that the oracle judges, from 1, in order; none when the
// recording cannot be read or is not permitted as it is.
std::vector<int> JudgedLines(std::string_view recording, const Profile& profile);

// Every alteration of this kind of these lines.
std::vector<RecordingAlteration> AlterationsOf(const AlterationKind& kind,
                                               std::string_view recording,
                                               const std::vector<int>& lines);

// The recording with its altered line.
std::string Altered(std::string_view recording, const RecordingAlteration& alteration);

// Whether the altered recording is permitted: it is read without an error, and every line is
// permitted or out of scope.
bool Admits(std::string_view altered, const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_SHARPNESS_RECORDING_ALTERATIONS_H_
