// A profile by name, or from a file.
#ifndef CONFORMANCE_RUNNER_PROFILE_FILE_H_
#define CONFORMANCE_RUNNER_PROFILE_FILE_H_

#include <string>
#include <string_view>
#include <variant>

#include "model/vocabulary/profile.h"

namespace cm {

// Reads a profile: a JSON object with the differences of an implementation from a named profile.
//
//   {"name": "mine", "base": "6.1-rxe", "sentence": "Our own manager.",
//    "timing": {"packet_lifetime": 16, "quiet_ms": 50},
//    "limits": {"request_data": 56},
//    "dialect": {"link_down_fails_sends": false},
//    "capabilities": "drop link time",
//    "deviations": [{"id": "TIMEWAIT-1", "reason": "not reported before release 3"}]}
//
// Only `name` is required. The keys of `timing`, `limits` and `dialect` are the fields of
// model/vocabulary/profile.h; durations end in _ms. An error is one line.
std::variant<Profile, std::string> ParseProfile(std::string_view text);

// A name that `cmcheck list profiles` prints, or the path of a file.
std::variant<Profile, std::string> LoadProfile(const std::string& name_or_path);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_PROFILE_FILE_H_
