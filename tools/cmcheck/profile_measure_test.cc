// `cmcheck profile measure` as a shell runs it, with the simulator in place of a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::HasSubstr;

// The base's packet lifetime is 16: the device's 18 is found in spite of it.
TEST(ProfileMeasure, FindsTheExpectedProfileAgain) {
  const CmcheckFolder folder;
  const Ended found =
      folder.Cmcheck({"profile", "measure", "again.json", "--impl", "sim", "--profile", "6.1-rxe",
                      "--base", "7.2-rxe", "--expect", "6.1-rxe"});
  EXPECT_EQ(found.exit_code, 0) << found.error;
  EXPECT_THAT(found.output, HasSubstr("10 of 10 measured fields are as in 6.1-rxe"));
  EXPECT_THAT(folder.Files(), Contains("again.json"));
}

TEST(ProfileMeasure, NamesEachFieldThatIsNotAsExpected) {
  const CmcheckFolder folder;
  const Ended other = folder.Cmcheck({"profile", "measure", "other.json", "--impl", "sim",
                                      "--profile", "6.1-rxe", "--expect", "7.2-rxe"});
  EXPECT_EQ(other.exit_code, 1) << other.error;
  EXPECT_THAT(other.output, AllOf(ContainsRegex("differs   packet_lifetime +18  7.2-rxe: 16"),
                                  HasSubstr("9 of 10 measured fields are as in 7.2-rxe")));
  EXPECT_THAT(folder.Files(), Contains("other.json"));
}

}  // namespace
}  // namespace cm
