// Judges a recording: its records by the oracle, and its lines by their consistency.
#ifndef CONFORMANCE_RECORDINGS_JUDGE_H_
#define CONFORMANCE_RECORDINGS_JUDGE_H_

#include <functional>
#include <optional>
#include <string>

#include "conformance/recordings/recording.h"
#include "model/oracle/judge.h"
#include "model/vocabulary/profile.h"

namespace cm {

// The first line that is refused.
struct RefusedLine {
  int line = 0;      // of the file, from 1
  std::string text;  // the observation, the permitted ones, their rules and sources
};

struct RecordingResult {
  std::optional<RefusedLine> refusal;
  bool inconclusive = false;
  size_t judged = 0;        // records that the oracle permitted
  size_t out_of_scope = 0;  // lines that it cannot judge, unknown ones included
  model::RuleBits reached;
  model::RuleBits confirmed;
};

using OnVerdict = std::function<void(size_t record, const model::Verdict& verdict)>;

// `each`, if given, is called for every record with its verdict.
RecordingResult JudgeRecording(const Recording& recording, const Profile& profile,
                               const OnVerdict& each = nullptr);
// Only whether no line is refused, and none is inconclusive.
bool IsPermitted(const Recording& recording, const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_JUDGE_H_
