#include "hw_tests/lab/embedded.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>

#include "conformance/process/process.h"
#include "model/base/duration.h"

namespace lab {
namespace {

TEST(Embedded, EveryScriptIsThereAndParses) {
  for (std::string_view name :
       {"build_image.sh", "net_bond.sh", "net_common.sh", "net_control.sh", "net_failover.sh",
        "net_node.sh", "net_pair.sh", "net_reset.sh", "net_routes.sh", "own_kernel.sh"}) {
    const std::string_view script = Embedded(name);
    ASSERT_FALSE(script.empty()) << name;
    EXPECT_TRUE(script.ends_with('\n')) << name;
    const cm::Descriptor file = cm::MemoryFile(script);
    auto started = cm::Process::Start(
        {.arguments = {"/bin/sh", "-n", cm::InheritedPath(file)}, .inherited = {file.get()}});
    auto* const process = std::get_if<cm::Process>(&started);
    ASSERT_NE(process, nullptr);
    EXPECT_EQ(process->Wait(cm::Duration::Seconds(30)), 0) << name;
  }
}

TEST(Embedded, GuestToolIsAProgram) { EXPECT_TRUE(Embedded("guest_tool").starts_with("\177ELF")); }

TEST(Embedded, NothingElseIsThere) { EXPECT_TRUE(Embedded("passwords").empty()); }

}  // namespace
}  // namespace lab
