#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

// A library of another release may need that release's C library. source: man ld.so(8)
TEST(OtherLoader, StartsCmcheckAgainBesideALibraryThatCannotBeLoaded) {
  const CmcheckFolder folder;
  folder.Write("librdmacm.so.1", "of another machine");
  folder.Write("ld-linux-x86-64.so.2", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
  fs::permissions(folder.path() / "ld-linux-x86-64.so.2", fs::perms::owner_all);
  const std::vector<std::string> arguments = {"run", "--impl", "lib:./librdmacm.so.1",
                                              "--sequences", "7"};
  const Ended ended = folder.Cmcheck(arguments);
  std::vector<std::string> expected = {"--library-path", fs::canonical(folder.path()),
                                       fs::canonical(DataFile("tools/cmcheck/cmcheck"))};
  expected.insert(expected.end(), arguments.begin(), arguments.end());
  EXPECT_EQ(LinesOf(ended.output), expected) << ended.error;
}

}  // namespace
}  // namespace cm
