// Alignment of two histories of one conversation: finds the first difference.
//
// 1. They are aligned per lane and per channel, never globally: the order in which threads ran does
//    not matter as long as each of them observed the same.
// 2. A lane's track has the results of its calls and waits; a channel's track has the events that
//    were fetched from it, by any lane.
// 3. Times, messages on the wire, results of the environment, and volatile fields are ignored.
#ifndef CONFORMANCE_FIDELITY_TRACKS_H_
#define CONFORMANCE_FIDELITY_TRACKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/conversation/history.h"

namespace cm {

// One observation on a track.
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

// The first difference of two tracks. An empty step: that history has nothing more on this track.
struct Parting {
  std::string track;
  uint32_t line = 0;  // the earlier one of the two
  std::optional<Step> kernel;
  std::optional<Step> simulator;
};

// The difference of the earliest line; empty when the histories are equal.
std::optional<Parting> FirstParting(const History& kernel, const History& simulator);

}  // namespace cm

#endif  // CONFORMANCE_FIDELITY_TRACKS_H_
