#include "conformance/recordings/testing.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "model/base/check.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

std::vector<CarriedRecording> ReadFolder(std::string_view kernel) {
  std::vector<CarriedRecording> all;
  std::error_code error;
  const fs::path folder = fs::path("conformance/recordings") / kernel;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::ifstream in(entry.path(), std::ios::binary);
    all.push_back({std::string(kernel),
                   entry.path().stem().string(),
                   {std::istreambuf_iterator<char>(in), {}}});
  }
  CM_CHECK(!all.empty()) << "no recordings of " << kernel << ": " << error.message();
  std::ranges::sort(all, {}, &CarriedRecording::name);  // lint: keys are unique
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
