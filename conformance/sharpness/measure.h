// Measures the sharpness of recordings, conversations with a history, and captures.
#ifndef CONFORMANCE_SHARPNESS_MEASURE_H_
#define CONFORMANCE_SHARPNESS_MEASURE_H_

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "conformance/sharpness/sharpness.h"
#include "model/capture/altered.h"
#include "model/capture/judge.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"

namespace cm {

// Whether something altered is permitted; a test has judges of its own.
struct SharpnessJudges {
  std::function<bool(std::string_view recording, const Profile&)> recording;
  std::function<bool(const History&, const Profile&)> history;
  std::function<bool(const wire::Capture&, const wire::JudgeOptions&)> capture;
};
SharpnessJudges OurJudges();

struct MeasureOptions {
  // Of all files; null: of a recording the profile that a folder above it is named after, of a
  // conversation its own, of a capture what its packets show.
  const Profile* profile = nullptr;
  int jobs = 1;  // threads; the result is the same
  SharpnessJudges judges = OurJudges();
  // Asked before each file; the measurement ends where it is true.
  std::function<bool()> stopped = [] { return false; };
  // Called after each file, by one thread at a time.
  std::function<void(size_t done, size_t total)> on_file = [](size_t, size_t) {};
};

// The files of a known format below the folder, sorted; the path itself where it is a file.
std::vector<std::filesystem::path> MeasurableFiles(const std::filesystem::path& path);

// In the order of the files. What the nearest admissible.txt in a folder above a file lists has
// its reason from there; names there are relative to its folder, without extension.
Sharpness Measure(const std::vector<std::filesystem::path>& files, const MeasureOptions& options);

}  // namespace cm

#endif  // CONFORMANCE_SHARPNESS_MEASURE_H_
