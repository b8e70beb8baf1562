// docs/sharpness.md says how sharp the judges are: measured on all recordings and captures of the
// tree. What is permitted is listed with a reason, and what is listed is permitted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "conformance/sharpness/measured_folders.h"
#include "conformance/sharpness/sharpness.h"
#include "model/base/files.h"

namespace cm {
namespace {

using testing::IsEmpty;

TEST(Sharpness, OfRecordingsAndCapturesIsThatOfThePage) {
  const std::filesystem::path recordings = "conformance/recordings";
  const std::filesystem::path captures = "model/mad/captures";
  const Sharpness sharpness = MeasureFolders({recordings, captures});
  ExpectHighEnough(sharpness);
  for (const FileSharpness& file : sharpness.files()) {
    for (const PermittedAlteration& one : file.permitted)
      EXPECT_FALSE(one.reason.empty()) << one.name << " is permitted and not listed";
    for (const std::string& name : file.listed_and_refused)
      ADD_FAILURE() << name << " is listed and refused";
  }
  EXPECT_THAT(Unused(sharpness, recordings), IsEmpty());
  EXPECT_EQ(SharpnessMarkdown(sharpness), ReadFile("docs/sharpness.md").value())
      << "tools/run sharpness conformance/recordings model/mad/captures --page docs/sharpness.md";
}

}  // namespace
}  // namespace cm
