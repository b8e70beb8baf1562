// The librdmacm of a newer release than this machine's, from the distribution's packages, on the
// simulated kernel. It needs the newer C library, so cmcheck has to find that release's loader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "model/base/sanitized.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

namespace fs = std::filesystem;

constexpr const char* kSuite = "trixie";
constexpr const char* kLibrary = "librdmacm 56.";
constexpr const char* kProfile = "6.12-rxe";  // the profile of that library

// Downloaded once for all tests; the archive may be out of reach.
class NewerLibrary : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (kAddressSanitized || kThreadSanitized) {
      unsupported_ = "AddressSanitizer refuses RTLD_DEEPBIND, ThreadSanitizer knows no fibers";
      return;
    }
    const fs::path folder = fs::path(testing::TempDir()) / kSuite;
    fs::remove_all(folder);
    const Ended ended =
        Running({DataFile("conformance/adapters/lib/unpack_release.sh"), kSuite, folder}, {}, "/")
            .Wait();
    if (ended.exit_code != 0)
      unsupported_ = "unsupported, as the packages cannot be had: " + ended.error;
    else
      library_ = ended.output.substr(0, ended.output.find('\n'));
  }
  void SetUp() override {
    if (!unsupported_.empty()) GTEST_SKIP() << unsupported_;
  }

  static std::string unsupported_;
  static std::string library_;
  CmcheckFolder folder_;
};

std::string NewerLibrary::unsupported_;
std::string NewerLibrary::library_;

TEST_F(NewerLibrary, Conforms) {
  const Ended ended = folder_.Cmcheck(
      {"run", "--impl", "lib:" + library_, "--profile", kProfile, "--sequences", "6000"});
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.error;
  EXPECT_THAT(folder_.Read("cmcheck-report/results.json"), HasSubstr(kLibrary));
}

TEST_F(NewerLibrary, DoesWhatTheSimulatedOneDoes) {
  const Ended ended = folder_.Cmcheck(
      {"compare", "sim", "lib:" + library_, "--profile", kProfile, "--sequences", "6000"});
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.error;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("6000  the same"), ContainsRegex(" 0  different")));
}

// Without its loader it is refused, with the reason: so the tests above judge that library.
TEST_F(NewerLibrary, IsRefusedAwayFromItsLoader) {
  fs::copy_file(library_, folder_.path() / "librdmacm.so.1");
  const Ended ended = folder_.Cmcheck({"run", "--impl", "lib:./librdmacm.so.1"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.error, AllOf(HasSubstr("GLIBC_2.38"), HasSubstr("ld-linux-x86-64.so.2")));
}

}  // namespace
}  // namespace cm
