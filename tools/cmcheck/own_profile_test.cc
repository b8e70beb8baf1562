// A user's own profile, from a file: what the transport decides follows from it, and not from its
// name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(AnOwnProfile, OverIwarpHasTheCallsThatWouldCrashTheKernelLeftOut) {
  const CmcheckFolder folder;
  folder.Write("mine.json", R"({"name": "mine", "base": "6.1-siw"})");
  folder.Write("own.conv",
               "topology two-kernels\nprofile mine.json\n\n"
               "passive listening L on=S port=7471\n"
               "active connecting A on=C to=passive:7471\n"
               "active rdma_reject A\n"
               "settle\n");
  const Ended rewritten = folder.Cmcheck({"rewrite", "own.conv"});
  EXPECT_EQ(rewritten.exit_code, 0) << rewritten.output << rewritten.error;
  EXPECT_THAT(folder.Read("own.conv"),
              HasSubstr("rdma_reject A -> not-applicable why=would-crash\n"));
  const Ended explained = folder.Cmcheck({"explain", "own.conv"});
  EXPECT_EQ(explained.exit_code, 0) << explained.output << explained.error;
  EXPECT_THAT(explained.output, EndsWith("\npermitted\n"));
}

}  // namespace
}  // namespace cm
