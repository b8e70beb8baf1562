// The recordings that are carried in the tree, for the tests that go through all of them.
#ifndef CONFORMANCE_RECORDINGS_TESTING_H_
#define CONFORMANCE_RECORDINGS_TESTING_H_

#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary/profile.h"

namespace cm {

// A file of conformance/recordings/6.1-rxe.
struct CarriedRecording {
  std::string name;  // "01-connect_disconnect_by_active"
  std::string text;
};

// In the order of their names; a missing folder is a failed check.
const std::vector<CarriedRecording>& CarriedRecordings();

// "01-connect_disconnect_by_active" for "01"; a missing one is a failed check.
const CarriedRecording& CarriedRecordingNumber(std::string_view number);

// The profile of the kernel that they were made on.
const Profile& CarriedProfile();

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_TESTING_H_
