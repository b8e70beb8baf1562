// Alters one observation of a history: a good oracle refuses the result.
//
// Only what was observed is altered, never what the application asked for. Calls without an
// observed answer, and numbers that the provider draws, are not altered.
#ifndef CONFORMANCE_SHARPNESS_HISTORY_ALTERATIONS_H_
#define CONFORMANCE_SHARPNESS_HISTORY_ALTERATIONS_H_

#include <cstddef>
#include <vector>

#include "conformance/sharpness/alteration.h"
#include "conformance/sharpness/kinds.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"

namespace cm {

// Every alteration of this kind of these records, by index. A name is "12 rdma_connect reply
// 0 -> -1 EINVAL", with the number of the record, from 1. `over`: the transport of the profile.
void AlterHistory(const AlterationKind& kind, const History& history,
                  const std::vector<size_t>& records, Transport over, const OnAlteredHistory& each);

// Records that the oracle permits; none where it refuses one or does not decide.
std::vector<size_t> PermittedRecords(const History& history, const Profile& profile);

// Whether the oracle permits all of it, in some order of concurrent calls.
bool Admits(const History& history, const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_SHARPNESS_HISTORY_ALTERATIONS_H_
