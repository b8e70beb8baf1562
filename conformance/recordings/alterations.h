// Recordings with one observed field said differently: what an oracle that is worth its name
// refuses.
//
// Only what an implementation did is altered, never what was asked of it: arguments, faults, waits
// and times stay. What is volatile (queue pair numbers, ports that the kernel draws) is left alone,
// but a port that it draws may become one that somebody asks for. Fields that say the same thing
// twice (the name and the number of an event, the port in an address and beside it) are altered
// together, as otherwise the line contradicts itself and no oracle is needed.
#ifndef CONFORMANCE_RECORDINGS_ALTERATIONS_H_
#define CONFORMANCE_RECORDINGS_ALTERATIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary/profile.h"

namespace cm {

struct Alteration {
  int line = 0;       // of the file, from 1
  std::string field;  // "reply", "type", "conn.rr", "qp", ...
  std::string was;
  std::string is;
  std::string text;  // the whole line as it reads now

  // "12 reply 0 -> -1 EINVAL"
  std::string Name() const;
};

// The lines that carry an observation which the oracle judges, from 1, in order; none when the
// recording cannot be read or is not permitted as it is.
std::vector<int> JudgedLines(std::string_view recording, const Profile& profile);

// Every alteration of these lines.
std::vector<Alteration> AlterationsOf(std::string_view recording, const std::vector<int>& lines);

// The recording with the line in place of the one that it alters.
std::string Altered(std::string_view recording, const Alteration& alteration);

// Whether the altered recording is permitted: read without a problem, every line of it permitted or
// out of scope.
bool Admits(std::string_view altered, const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_ALTERATIONS_H_
