// A profile by name, or from a file.
#ifndef CONFORMANCE_RUNNER_PROFILE_FILE_H_
#define CONFORMANCE_RUNNER_PROFILE_FILE_H_

#include <string>
#include <string_view>
#include <utility>
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
// model/vocabulary/profile.h; durations end in _ms. It may have comments, behind
// two slashes up to the end of the line. An error is one line.
std::variant<Profile, std::string> ParseProfile(std::string_view text);

// A name that `cmcheck list profiles` prints, or the path of a file. Or two names,
// "6.12-rxe+6.1-rxe": their joint profile.
std::variant<Profile, std::string> LoadProfile(const std::string& name_or_path);

// One name, or two, and not the path of a file.
bool IsProfileName(std::string_view name);

// The profiles of the active and of the passive side: those of "A+B", or twice the only one.
std::variant<std::pair<Profile, Profile>, std::string> LoadProfilesOfSides(
    const std::string& name_or_path);

// The built-in profiles from which those of the sides are made: the same ones, but for a file its
// base. A host that has not the file knows them by name.
std::variant<std::pair<Profile, Profile>, std::string> LoadBasesOfSides(
    const std::string& name_or_path);

// By which two different connection managers, one on each side, are judged together: that of one of
// them if they are equal. Where they differ in time, the earlier and the later are both in time;
// minutes are not waited out, and what each does in its own way to links or data is not drawn. Or
// why they cannot talk to each other.
std::variant<Profile, std::string> JointProfile(const Profile& active, const Profile& passive);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_PROFILE_FILE_H_
