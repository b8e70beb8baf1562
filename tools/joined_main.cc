// The main function of joined tests. A program that has the name of a source runs the tests of that
// source only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The tests of other sources, each behind a colon.
std::string TestsBeside(std::string_view source, int& of_source) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  std::string others;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      const testing::TestInfo& test = *suite.GetTestInfo(k);
      if (NameOf(test.file()) == source) {
        ++of_source;
      } else {
        others.append(":").append(suite.name()).append(".").append(test.name());
      }
    }
  }
  return others;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  const std::string source = std::string(NameOf(argv[0])) + ".cc";
  if (source == "joined_tests.cc") return RUN_ALL_TESTS();

  int of_source = 0;
  const std::string others = TestsBeside(source, of_source);
  if (of_source == 0) {
    std::fprintf(stderr, "no test stands in %s\n", source.c_str());
    return 1;
  }
  std::string filter = GTEST_FLAG_GET(filter);
  if (!others.empty()) filter += (filter.find('-') == filter.npos ? "-" : "") + others;
  GTEST_FLAG_SET(filter, filter);
  return RUN_ALL_TESTS();
}
