// Golden conversations, altered: enough of that is refused, and what is listed is permitted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "conformance/sharpness/measured_folders.h"
#include "conformance/sharpness/sharpness.h"

namespace cm {
namespace {

using testing::IsEmpty;

TEST(Sharpness, OfGoldenConversationsIsHighEnough) {
  const std::filesystem::path scenarios = "conformance/scenarios";
  const Sharpness sharpness = MeasureFolders({scenarios});
  ExpectHighEnough(sharpness);
  EXPECT_GT(sharpness.measured(MeasuredFormat::kConversation), 300u);
  EXPECT_THAT(Unused(sharpness, scenarios), IsEmpty());
}

}  // namespace
}  // namespace cm
