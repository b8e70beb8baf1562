// Two histories of one conversation, side by side: the first thing that one implementation did
// otherwise than the other.
//
// 1. They are aligned per lane and per channel, never globally: in which order threads were served
//    is nobody's business as long as each of them saw the same.
// 2. A lane's track is what its calls returned and its waits said; a channel's track is the events
//    that were fetched from it, whoever fetched them.
// 3. Times, messages on the wire, what the environment said, and volatile fields do not count.
#ifndef CONFORMANCE_LIKENESS_TRACKS_H_
#define CONFORMANCE_LIKENESS_TRACKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/conversation/history.h"

namespace cm {

// One thing that was seen on a track.
struct Step {
  size_t record = 0;  // of the history
  uint32_t line = 0;  // of the conversation
  std::string says;
};

struct Track {
  std::string name;  // "active/2", "channel c1"
  std::vector<Step> steps;
};

// Lanes first, each in the order of its name; the same tracks for every history of a conversation.
std::vector<Track> TracksOf(const History& history);

// Where two tracks part. A step that is missing: that history has nothing more on this track.
struct Parting {
  std::string track;
  uint32_t line = 0;  // the earlier one of the two
  std::optional<Step> kernel;
  std::optional<Step> simulator;
};

// That of the earliest line; empty when the histories are equal.
std::optional<Parting> FirstParting(const History& kernel, const History& simulator);

}  // namespace cm

#endif  // CONFORMANCE_LIKENESS_TRACKS_H_
