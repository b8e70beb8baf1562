// Evidence of real kernels' recordings for the rows.
//
//   1. A recording is judged by the oracle. One that is refused, or that cannot be read, is no
//      evidence at all: its other lines may have been explained wrongly too.
//   2. A line shows a row when some explanation of the line uses the row, and every explanation of
//      the recording up to there has used it. So a row without an observation of its own (a timer,
//      a message) is shown by the line that has no other explanation, not when it happens.
//   3. A call whose result was not recorded shows nothing.
#ifndef TOOLS_RULES_RECORDING_EVIDENCE_H_
#define TOOLS_RULES_RECORDING_EVIDENCE_H_

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "model/vocabulary/profile.h"

namespace cm::ruledoc {

// One recording.
struct RecordingEvidence {
  std::string name;                    // "6.1-rxe/33-connect_misuse"
  std::string problem;                 // why it is no evidence; empty when it is
  std::vector<model::RuleBits> shown;  // by line of the file; the first is line 1
};

RecordingEvidence Hear(std::string name, std::string_view text, const Profile& profile);

// Every recording of a folder that is named after the profile of its kernel ("6.1-rxe"), in the
// order of their names.
std::vector<RecordingEvidence> HearFolder(const std::filesystem::path& folder);

// The first line that shows the row, in the format of citations: "6.1-rxe/33-connect_misuse:12"; or
// empty.
std::string FirstShown(model::RuleNumber row, std::span<const RecordingEvidence> testimonies);

// The reason why a row's `observed` is wrong; empty when it is right, or when it is empty.
std::string WhyNotShown(model::RuleNumber row, std::string_view observed,
                        std::span<const RecordingEvidence> testimonies);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_RECORDING_EVIDENCE_H_
