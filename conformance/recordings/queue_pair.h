// What a query of a queue pair must show, which the tables do not say.
#ifndef CONFORMANCE_RECORDINGS_QUEUE_PAIR_H_
#define CONFORMANCE_RECORDINGS_QUEUE_PAIR_H_

#include <optional>

#include "conformance/recordings/recording.h"
#include "model/vocabulary/profile.h"

namespace cm {

// The attributes follow from those of the connection, which the calls and events of the id have
// said before. In a state that was not observed any attributes are permitted.
std::optional<Contradiction> WhatIsWrong(const Recording& recording, const ShownQueuePair& shown,
                                         const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_QUEUE_PAIR_H_
