#include "hw_tests/lab/embedded.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "hw_tests/lab/process.h"

namespace lab {
namespace {

TEST(Embedded, EveryScriptIsThereAndParses) {
  for (std::string_view name : {"build_image.sh", "net_bond.sh", "net_common.sh", "net_failover.sh",
                                "net_pair.sh", "net_reset.sh", "net_routes.sh"}) {
    const std::string_view script = Embedded(name);
    ASSERT_FALSE(script.empty()) << name;
    EXPECT_TRUE(script.ends_with('\n')) << name;
    const Descriptor file = MemoryFile(script);
    Launch launch;
    launch.arguments = {"/bin/sh", "-n", InheritedPath(file)};
    launch.inherited = {file.get()};
    Outcome<Process> process = Process::Start(launch);
    ASSERT_TRUE(process.ok());
    EXPECT_EQ(process.value().Wait(std::chrono::seconds(30)), 0) << name;
  }
}

TEST(Embedded, GuestToolIsAProgram) { EXPECT_TRUE(Embedded("guest_tool").starts_with("\177ELF")); }

TEST(Embedded, NothingElseIsThere) { EXPECT_TRUE(Embedded("passwords").empty()); }

}  // namespace
}  // namespace lab
