// The frames of a conversation, judged by the judge of captures.
#ifndef CONFORMANCE_RUNNER_FRAMES_H_
#define CONFORMANCE_RUNNER_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/capture/captured_message.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"

namespace cm {

// The first violation of a connection.
struct FrameViolation {
  wire::Violation violation;
  size_t message = 0;  // index in the history's messages
};

struct JudgedFrames {
  uint64_t frames = 0;  // that were judged
  std::vector<FrameViolation> violations;
};

// Judges all frames that were recorded. Where they were tapped and the first is no request, answers
// to messages from before the conversation are permitted. None of a conversation in which a tester
// sends: its messages are made by hand.
JudgedFrames JudgeFrames(const History& history, const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_FRAMES_H_
