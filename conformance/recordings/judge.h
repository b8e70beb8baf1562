// Judges a recording: its records by the oracle, its lines by one another.
#ifndef CONFORMANCE_RECORDINGS_JUDGE_H_
#define CONFORMANCE_RECORDINGS_JUDGE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/recordings/recording.h"
#include "model/oracle/judge.h"
#include "model/vocabulary/profile.h"

namespace cm {

// The first line that is refused.
struct RecordingRefusal {
  int line = 0;      // of the file, from 1
  std::string text;  // what was seen, what was permitted, by which rules, from which sources
};

struct RecordingVerdict {
  std::optional<RecordingRefusal> refusal;
  bool inconclusive = false;
  size_t judged = 0;        // records that the oracle permitted
  size_t out_of_scope = 0;  // lines that it could not judge, foreign ones included
  model::RuleBits reached;
  model::RuleBits confirmed;
};

// `each`, if given, hears of every record with its judgement.
RecordingVerdict JudgeRecording(
    const Recording& recording, const Profile& profile,
    const std::function<void(size_t, const model::Judgement&)>& each = nullptr);

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_JUDGE_H_
