// The distribution's librdmacm, called through its Python binding, under the suite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "model/base/sanitized.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::HasSubstr;

class PyverbsDriver : public testing::Test {
 protected:
  void SetUp() override {
    if (kAddressSanitized || kThreadSanitized)
      GTEST_SKIP() << "programs without a sanitizer cannot load an object that has one";
  }
  std::string Driver() const {
    return "/usr/bin/python3 " +
           DataFile("conformance/adapters/exec/pyverbs_driver/driver.py").string() + " " +
           folder_.CommandOf({}).front();
  }

  CmcheckFolder folder_;
};

TEST_F(PyverbsDriver, HoldsTheCatalogue) {
  const Ended ended = folder_.Cmcheck({"run", "--impl", "exec:" + Driver(), "--sequences", "30",
                                       "--jobs", "2", "--report", "report"});
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.error;
  EXPECT_THAT(ended.output, HasSubstr(" passed, 0 failed, 0 inconclusive"));
}

// It is the library on its kernel that answers: of a later kernel other answers are wanted.
TEST_F(PyverbsDriver, TimewaitIsThatOfItsKernel) {
  folder_.Write("life.conv",
                "topology one-kernel-two-devices\nprofile 7.2-rxe\ncapabilities time\n"
                "passive listening L on=S port=7471\n"
                "active connecting A on=C to=passive:7471\n"
                "passive accepting P on=S\nactive taking C\npassive taking S\n"
                "active rdma_disconnect A\npassive taking S\npassive rdma_disconnect P\n"
                "active taking C\nactive wait C within=1s\n");
  const Ended ended =
      folder_.Cmcheck({"run", "--impl", "exec:" + Driver(), "--profile", "7.2-rxe",
                       "--conversations", "life.conv", "--no-shrink", "--report", "report"});
  EXPECT_EQ(ended.exit_code, 1) << ended.output << ended.error;
}

}  // namespace
}  // namespace cm
