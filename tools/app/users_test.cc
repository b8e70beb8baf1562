// A program that becomes another user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "model/vocabulary/topology.h"
#include "tools/app/process_ids.h"
#include "tools/app/run_programs.h"

namespace cm::app {
namespace {

using testing::ElementsAre;

// A user namespace of a sandbox may have no user but root.
bool HasOtherUsers() {
  uint64_t first = 0;
  uint64_t mapped_to = 0;
  uint64_t count = 0;
  std::ifstream("/proc/self/uid_map") >> first >> mapped_to >> count;
  return geteuid() == 0 && first + count > 65534;
}

TEST_F(Programs, KeepTheirMachineWhenTheyBecomeAnotherUser) {
  if (!HasOtherUsers() || !ProcessIds(*FindTopology("two-kernels")).are_of_hosts())
    GTEST_SKIP() << "the system does not permit to become another user, with a host's own files";
  // So the folder of the run is in /dev/shm: only root may enter that of the tests.
  const char* const before = std::getenv("TMPDIR");
  const std::string folder = before == nullptr ? "" : before;
  unsetenv("TMPDIR");
  const Ran ran = RunAll({Beside(kActiveSide, "reported another")});
  if (before != nullptr) setenv("TMPDIR", folder.c_str(), 1);
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| user 65534 has listened"));
}

}  // namespace
}  // namespace cm::app
