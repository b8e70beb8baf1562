// The recordings of the repository, for tests of all of them.
#ifndef CONFORMANCE_RECORDINGS_TESTING_H_
#define CONFORMANCE_RECORDINGS_TESTING_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary/profile.h"

namespace cm {

// The kernels; each has a folder of conformance/recordings and a profile. The same scripts were run
// on all of them, so that a file has the same name in every folder.
inline constexpr auto kRecordedKernels =
    std::to_array<std::string_view>({"5.10-rxe", "6.1-rxe", "6.12-rxe", "7.2-rxe"});
// The same, and iWARP, which has no recordings of scripts that drop RoCE packets.
inline constexpr std::string_view kRecordedOverIwarp = "6.1-siw";

struct CarriedRecording {
  std::string kernel;  // "6.1-rxe"
  std::string name;    // "01-connect_disconnect_by_active"
  std::string text;

  std::string FullName() const { return kernel + "/" + name; }
  // The profile of the kernel that it was made on.
  const Profile& profile() const;
};

// Of further scripts, which were run on the kernels where they show a difference.
const std::vector<CarriedRecording>& ExtraRecordings();
// The same, with a hundred messages at once.
const std::vector<CarriedRecording>& RecordingsOfManyAtOnce();

// Kernel by kernel, in the order of their names; aborts if a folder is missing.
const std::vector<CarriedRecording>& CarriedRecordings();

// "01-connect_disconnect_by_active" for "01"; aborts if it is missing.
const CarriedRecording& CarriedRecordingNumber(std::string_view number,
                                               std::string_view kernel = "6.1-rxe");

// The profile of the reference.
const Profile& ReferenceProfile();

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_TESTING_H_
