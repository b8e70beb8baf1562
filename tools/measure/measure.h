// Limits and timers of an implementation, found by asking it.
#ifndef TOOLS_MEASURE_MEASURE_H_
#define TOOLS_MEASURE_MEASURE_H_

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/driver/implementation.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace cm {

// The lines of a conversation that connects two sides. `family` is ".v6" or empty. The port is one
// that nodes may use.
std::string ConnectionLines(std::string_view from, std::string_view to, std::string_view family);
// And those that send a message over that connection, in packets as large as the MTU permits.
std::string MessageLines(std::string_view from, std::string_view to);

// A field of a profile's file.
struct MeasuredField {
  std::string section;                 // "limits", "timing"
  std::string name;                    // "request_data"
  int64_t value = 0;                   // as found; or the base's
  std::optional<std::string> assumed;  // why it was not found; empty: it was
  std::string how;                     // by what it was found
};

// Asks for each field in conversations of their own. What an answer does not decide, or the
// environment cannot do, is assumed to be as in `base`. A measured timer takes as long as it is; an
// answer that is missing costs seconds. Nothing more is asked once `interrupted` is set.
std::vector<MeasuredField> MeasureProfile(Implementation& implementation, const Topology& topology,
                                          const Profile& base,
                                          const std::atomic<bool>* interrupted = nullptr);

// A profile's file, with a comment on each of these fields. Fields that are not among them are the
// base's.
std::string ProfileText(std::string_view name, const Profile& base, std::string_view of,
                        const std::vector<MeasuredField>& fields);

// What was measured beside a profile that is known: a line for each field, in the order of
// `fields`, then how many are the same. An assumed field is not compared.
struct BesideKnown {
  std::string lines;
  int differing = 0;
};
BesideKnown CompareWithKnown(const std::vector<MeasuredField>& fields, const Profile& known);

// The file that another process was to write; or the problem: it is missing, or no profile.
struct WrittenProfile {
  std::string text;
  std::string problem;
};
WrittenProfile ReadWritten(const std::filesystem::path& path);

}  // namespace cm

#endif  // TOOLS_MEASURE_MEASURE_H_
