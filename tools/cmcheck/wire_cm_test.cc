// A foreign connection manager, which knows its peer by RoCEv2 frames alone, under the suite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class WireCm : public testing::Test {
 protected:
  static std::string Driver(const std::string& options = "") {
    return "/usr/bin/python3 " + DataFile("conformance/adapters/exec/wire_cm/driver.py").string() +
           options;
  }
  Ended Run(const std::string& driver, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run", "--impl", "exec:" + driver, "--report", "report"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return folder_.Cmcheck(arguments);
  }

  CmcheckFolder folder_;
};

TEST_F(WireCm, KeepsTheProtocol) {
  const Ended ended = folder_.Cmcheck({"driver-check", Driver()});
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("16 ok, 0 failed"));
}

// What it leaves out is not drawn for it.
TEST_F(WireCm, HoldsTheCatalogue) {
  const Ended ended = Run(Driver(), {"--sequences", "500", "--jobs", "2"});
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.error;
  EXPECT_THAT(ended.output, HasSubstr("500 passed, 0 failed, 0 inconclusive, 0 unsupported"));
}

// The timers of later kernels are shorter.
TEST_F(WireCm, IsNotWhatAnotherProfileDescribes) {
  const Ended ended =
      Run(Driver(), {"--profile", "7.2-rxe", "--sequences", "200", "--jobs", "2", "--no-shrink"});
  EXPECT_EQ(ended.exit_code, 1) << ended.output << ended.error;
  EXPECT_THAT(ended.output, HasSubstr("ROWS-1"));
}

TEST_F(WireCm, ItsFramesAreJudged) {
  const fs::path frames = folder_.path() / "frames";
  fs::create_directory(frames);
  ASSERT_EQ(
      Run(Driver(" --pcap " + frames.string()), {"--sequences", "40", "--jobs", "1"}).exit_code, 0);
  int captures = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(frames)) {
    ++captures;
    const std::vector<std::string> check = {"check-pcap", entry.path().string(), "--strict"};
    const Ended ended = folder_.Cmcheck(check);
    EXPECT_EQ(ended.exit_code, 0) << entry.path() << ended.output << ended.error;
  }
  EXPECT_GE(captures, 40);
}

}  // namespace
}  // namespace cm
