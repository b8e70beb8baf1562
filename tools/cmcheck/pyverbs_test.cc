// rdma-core's own Python tests of rdma_cm, unmodified, on the simulated kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "model/base/sanitized.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPython = "/usr/bin/python3";  // the version that the package supports

std::string Runner() { return DataFile("tools/app/run_pyverbs.py"); }

TEST(Pyverbs, TestsDoWhatIsListed) {
  if (kAddressSanitized || kThreadSanitized)
    GTEST_SKIP() << "programs without a sanitizer cannot load an object that has one";
  const CmcheckFolder folder;
  const std::string tests = folder.path() / "tests";
  const Ended unpacked = Running({DataFile("tools/app/unpack_pyverbs.sh"), tests}, {}, "/").Wait();
  if (unpacked.exit_code != 0)
    GTEST_SKIP() << "unsupported, as the tests cannot be had: " << unpacked.error;
  const Ended ended = folder.Cmcheck(
      {"app", "--", kPython, Runner(), tests, DataFile("tools/app/pyverbs_outcomes.txt")});
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.error;
  EXPECT_THAT(ended.output, HasSubstr("passive| 10 passed, 0 failed, 2 skipped\n"));
  std::cout << ended.output;
}

// Those of verbs that programs use by themselves.
TEST(Pyverbs, TestsOfVerbsDoWhatIsListed) {
  if (kAddressSanitized || kThreadSanitized)
    GTEST_SKIP() << "programs without a sanitizer cannot load an object that has one";
  const CmcheckFolder folder;
  const std::string tests = folder.path() / "tests";
  const Ended unpacked = Running({DataFile("tools/app/unpack_pyverbs.sh"), tests}, {}, "/").Wait();
  if (unpacked.exit_code != 0)
    GTEST_SKIP() << "unsupported, as the tests cannot be had: " << unpacked.error;
  const std::string parents = "test_parent_domain.ParentDomainTrafficTest.test_";
  const Ended ended = folder.Cmcheck(
      {"app", "--", kPython, Runner(), tests, DataFile("tools/app/pyverbs_verbs_outcomes.txt"),
       "test_cqex", "test_qpex", "test_mr.MRTest", "test_mr.MWTest", "test_qp", "test_pd",
       "test_cq", "test_cq_events", "test_atomic", "test_addr", "test_device.DeviceTest",
       "test_relaxed_ordering",
       // Without the one that uses huge pages, which a machine may have or not.
       parents + "without_allocators_rc_traffic", parents + "default_allocators_rc_traffic",
       parents + "mem_align_rc_traffic", parents + "mem_align_ud_traffic",
       parents + "mem_align_srq_excq_rc_traffic"});
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.error;
}

// Made-up tests without a simulated kernel, with known outcomes.
class MadeUp : public testing::Test {
 protected:
  MadeUp() {
    folder_.Write("args_parser.py", "class parser:\n  parse_args = staticmethod(lambda: None)\n");
    folder_.Write("test_mlx5_rdmacm.py", "");
    folder_.Write("test_rdmacm.py",
                  "import unittest\n"
                  "class T(unittest.TestCase):\n"
                  "  def test_one(self): pass\n"
                  "  def test_two(self): raise ValueError('of two\\nlines')\n"
                  "  def test_three(self): self.skipTest('no device')\n");
  }
  Ended RunWith(const std::string& list) {
    folder_.Write("list", list);
    return Running({kPython, Runner(), folder_.path(), folder_.path() / "list"}, {}, "/").Wait();
  }

  CmcheckFolder folder_;
};

TEST_F(MadeUp, OutcomesAreAsListed) {
  const Ended ended = RunWith(
      "# why\n"
      "passed test_rdmacm.T.test_one\n"
      "failed test_rdmacm.T.test_two: of two lines\n"
      "skipped test_rdmacm.T.test_three: no device\n");
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("1 passed, 1 failed, 1 skipped\n"), Not(HasSubstr("listed"))));
}

TEST_F(MadeUp, OutcomesAreNotAsListed) {
  const Ended ended = RunWith(
      "passed test_rdmacm.T.test_one\n"
      "failed test_rdmacm.T.test_two: of another\n"
      "passed test_rdmacm.T.test_gone\n");
  EXPECT_EQ(ended.exit_code, 1) << ended.error;
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("not listed: failed test_rdmacm.T.test_two: of two lines\n"),
                    HasSubstr("not listed: skipped test_rdmacm.T.test_three: no device\n"),
                    HasSubstr("listed, and not so: passed test_rdmacm.T.test_gone\n")));
}

}  // namespace
}  // namespace cm
