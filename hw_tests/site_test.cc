// properties_test between the two hosts of a site, as an operator calls it: here both are one
// simulator, which two agents share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "conformance/process/process.h"
#include "model/base/own_folder.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

class SiteOfAProgram : public testing::Test {
 protected:
  ~SiteOfAProgram() override { fs::remove_all(folder_); }

  // `manners`: of both agents, see shared_world.py.
  Ran Properties(const std::string& manners, const std::string& arguments) const {
    const std::string here = fs::current_path().string();
    std::ofstream(folder_ + "/site.json")
        << R"({"name": "rack7", "launcher": "python3 )" << here
        << "/conformance/adapters/exec/shared_world.py " << manners << folder_ << " " << here
        << R"(/conformance/adapters/exec/sim_driver",
      "active": {"host": "node1", "v4": "192.168.7.1", "v6": "fd07::1"},
      "passive": {"host": "node2", "v4": "192.168.8.2", "v6": "fd08::2"}})";
    return Run("RDMA_CM_SITE=" + folder_ + "/site.json", arguments);
  }
  static Ran Run(const std::string& environment, const std::string& arguments) {
    return RunProgram({"/bin/sh", "-c",
                       "env -u TEST_SHARD_INDEX -u TEST_TOTAL_SHARDS -u XML_OUTPUT_FILE " +
                           environment + " hw_tests/properties_test " + arguments})
        .value_or(Ran{.exit_code = -1, .output = {}});
  }

  const std::string folder_ = MakeOwnFolder("/tmp/hw");  // short: a socket's path
};

TEST_F(SiteOfAProgram, IsWhereTheCatalogueRuns) {
  const Ran ran = Properties("", "--sequences=20 --seed=3");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("[       OK ] Implementation.WasAsked"));
}

TEST_F(SiteOfAProgram, WhoseAgentsLieIsRefused) {
  const Ran ran = Properties("--lie 3 ", "--sequences=20 --gtest_filter=Claim.ROWS_1");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("[  FAILED  ] Claim.ROWS_1"));
}

TEST_F(SiteOfAProgram, HasItsOwnLibraryAndTopology) {
  for (const std::string flag :
       {"--impl=sim", "--topology=two-kernels", "--defect=connect-wrong-errno"}) {
    const Ran ran = Properties("", "--sequences=1 " + flag);
    EXPECT_EQ(ran.exit_code, 2) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr(flag.substr(0, flag.find('=')) + ": the hosts of the site " +
                                      folder_ + "/site.json have their own"));
  }
}

TEST_F(SiteOfAProgram, WithoutAFileIsSaidSo) {
  const Ran ran = Run("RDMA_CM_SITE=" + folder_ + "/none.json", "");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("/none.json: cannot be read"));
  EXPECT_THAT(ran.output, Not(HasSubstr("       OK ]")));
}

}  // namespace
}  // namespace cm
