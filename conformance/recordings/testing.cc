#include "conformance/recordings/testing.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "model/base/check.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

std::vector<CarriedRecording> ReadAll() {
  std::vector<CarriedRecording> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("conformance/recordings/6.1-rxe", error)) {
    std::ifstream in(entry.path(), std::ios::binary);
    all.push_back({entry.path().stem().string(), {std::istreambuf_iterator<char>(in), {}}});
  }
  CM_CHECK(!all.empty()) << "no recordings here: " << error.message();
  std::ranges::sort(all, {}, &CarriedRecording::name);  // lint: keys are unique
  return all;
}

}  // namespace

const std::vector<CarriedRecording>& CarriedRecordings() {
  static const std::vector<CarriedRecording> all = ReadAll();
  return all;
}

const CarriedRecording& CarriedRecordingNumber(std::string_view number) {
  const std::string prefix = std::string(number) + "-";
  const auto found = std::ranges::find_if(
      CarriedRecordings(), [&](const CarriedRecording& r) { return r.name.starts_with(prefix); });
  CM_CHECK(found != CarriedRecordings().end()) << "there is no recording " << number;
  return *found;
}

const Profile& CarriedProfile() { return *FindProfile("6.1-rxe"); }

}  // namespace cm
