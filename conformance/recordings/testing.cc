#include "conformance/recordings/testing.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "model/base/check.h"
#include "model/base/files.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

std::vector<CarriedRecording> ReadFolder(
    std::string_view kernel, const fs::path& above = fs::path("conformance/recordings")) {
  std::vector<CarriedRecording> all;
  const fs::path folder = above / kernel;
  for (const fs::path& path : FilesIn(folder, ".jsonl"))
    all.push_back({std::string(kernel), path.stem().string(), *ReadFile(path)});
  CM_CHECK(!all.empty()) << "no recordings of " << kernel;
  return all;
}

std::vector<CarriedRecording> ReadOfTwoKernels(const fs::path& above) {
  std::vector<CarriedRecording> all = ReadFolder("5.10-rxe", above);
  for (CarriedRecording& one : ReadFolder("6.1-rxe", above)) all.push_back(std::move(one));
  return all;
}

std::vector<CarriedRecording> ReadAll() {
  std::vector<CarriedRecording> all;
  for (const std::string_view kernel : kRecordedKernels)
    for (CarriedRecording& recording : ReadFolder(kernel)) all.push_back(std::move(recording));
  for (CarriedRecording& recording : ReadFolder(kRecordedOverIwarp))
    all.push_back(std::move(recording));
  return all;
}

}  // namespace

const Profile& CarriedRecording::profile() const { return *FindProfile(kernel); }

const std::vector<CarriedRecording>& CarriedRecordings() {
  static const std::vector<CarriedRecording> all = ReadAll();
  return all;
}

const std::vector<CarriedRecording>& ExtraRecordings() {
  static const std::vector<CarriedRecording> all = ReadOfTwoKernels("conformance/recordings/extra");
  return all;
}

const std::vector<CarriedRecording>& RecordingsOfManyAtOnce() {
  static const std::vector<CarriedRecording> all = ReadOfTwoKernels("conformance/many_at_once");
  return all;
}

const CarriedRecording& CarriedRecordingNumber(std::string_view number, std::string_view kernel) {
  const std::string prefix = std::string(number) + "-";
  const auto found = std::ranges::find_if(CarriedRecordings(), [&](const CarriedRecording& r) {
    return r.kernel == kernel && r.name.starts_with(prefix);
  });
  CM_CHECK(found != CarriedRecordings().end())
      << "there is no recording " << number << " of " << kernel;
  return *found;
}

const Profile& ReferenceProfile() { return *FindProfile("6.1-rxe"); }

}  // namespace cm
