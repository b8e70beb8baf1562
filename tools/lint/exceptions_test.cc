#include "tools/lint/exceptions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lint {
namespace {

const std::vector<Finding>& Two() {
  static const std::vector<Finding> kTwo = {{"tools/bar.cc", 3, "clock", "reads a clock"},
                                            {"sim/a.cc", 4, "clock", "reads a clock"}};
  return kTwo;
}

TEST(Exceptions, ExcuseTheirRuleInTheirFile) {
  const Source list(std::string(kExceptionsPath), "# why\nclock tools/bar.cc  for a person\n");
  const std::vector<Finding> left = Excuse(Two(), list);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].path, "sim/a.cc");
}

TEST(Exceptions, ExcuseAFolder) {
  const Source list(std::string(kExceptionsPath), "clock tools/  measures\n");
  const std::vector<Finding> left = Excuse(Two(), list);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].path, "sim/a.cc");
}

TEST(Exceptions, DoNotExcuseAnotherRule) {
  const Source list(std::string(kExceptionsPath), "chance tools/bar.cc  for a person\n");
  EXPECT_EQ(Excuse(Two(), list).size(), 3u);
}

TEST(Exceptions, NeedAReason) {
  const Source list(std::string(kExceptionsPath), "clock tools/bar.cc\n");
  const std::vector<Finding> left = Excuse(Two(), list);
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(ToText(left[1]), "tools/lint/exceptions.txt:1: exception: gives no reason");
}

TEST(Exceptions, MustStillBeNeeded) {
  const Source list(std::string(kExceptionsPath), "\nclock sim/old.cc  was slow\n");
  const std::vector<Finding> left = Excuse(Two(), list);
  ASSERT_EQ(left.size(), 3u);
  EXPECT_EQ(left[2].line, 2);
}

}  // namespace
}  // namespace lint
