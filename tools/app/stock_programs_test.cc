// docs/programs.md says what the programs of the distribution do.
#include "tools/app/stock_programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "model/base/sanitized.h"
#include "model/vocabulary/topology.h"
#include "tools/app/process_ids.h"

namespace cm::app {

void PrintTo(const StockProgram& program, std::ostream* out) { *out << program.name; }

namespace {

constexpr const char* kToMend = "To mend it: bazel run //tools/app:programs_page";

std::string Page() {
  std::ifstream in("docs/programs.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

// Other releases of the programs do other things.
bool IsDebian12() {
  std::ifstream in("/etc/os-release");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.find("VERSION_ID=\"12\"") != std::string::npos;
}

class Stock : public testing::TestWithParam<StockProgram> {
 protected:
  // tgtd is where a test's PATH does not lead.
  static void SetUpTestSuite() {
    const char* const path = std::getenv("PATH");
    if (path != nullptr) setenv("PATH", (std::string(path) + ":/usr/sbin").c_str(), 1);
  }
};

TEST_P(Stock, DoesWhatThePageSays) {
  const StockProgram& program = GetParam();
  if (kAddressSanitized || kThreadSanitized)
    GTEST_SKIP() << "programs without a sanitizer cannot load an object that has one";
  if (!IsInstalled(program))
    GTEST_SKIP() << "unsupported: the package " << program.package << " is not installed";
  if (!IsDebian12()) GTEST_SKIP() << "unsupported: the page is about the programs of Debian 12";
  if (!ProcessIds(*FindTopology("two-kernels")).are_of_hosts())
    GTEST_SKIP() << "unsupported: the system does not permit process ids of a host's own";
  const std::optional<std::string> said = LineIn(Page(), program);
  ASSERT_TRUE(said) << program.name << " is not in docs/programs.md. " << kToMend;
  std::string problem;
  EXPECT_EQ(MeasuredLine(program, &problem), *said) << problem << kToMend;
}

INSTANTIATE_TEST_SUITE_P(Programs, Stock, testing::ValuesIn(StockPrograms()), [](const auto& info) {
  std::string name(info.param.name);
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

TEST(StockPage, HasTheLinesAndCommandsOfAllProgramsAndNoOthers) {
  const std::string page = Page();
  EXPECT_TRUE(page == ProgramsPage([&](const StockProgram& program) {
                return LineIn(page, program).value_or("missing: " + std::string(program.name));
              }))
      << kToMend;
}

TEST(StockPrograms, AreInstalledWithEverythingThatTheyNeed) {
  const auto needing = [](std::string_view needs) {
    return IsInstalled(
        {.name = "sh", .package = "p", .passive = "", .active = "sh -c 'true'", .needs = needs});
  };
  EXPECT_TRUE(needing(""));
  EXPECT_TRUE(needing("true /etc/os-release"));
  EXPECT_FALSE(needing("true no-such-program"));
  EXPECT_FALSE(needing("/no/such/file"));
}

TEST(StockPage, FindsALineByItsProgram) {
  const StockProgram one{.name = "one", .package = "p", .passive = "", .active = "one"};
  EXPECT_EQ(LineIn("| none | p | x |\n| one | p | yes |\n| two |\n", one), "| one | p | yes |\n");
  EXPECT_EQ(LineIn("| one-more | p | yes |\n", one), std::nullopt);
}

}  // namespace
}  // namespace cm::app
