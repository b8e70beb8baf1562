#include "tools/app/objects.h"

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "model/base/executable.h"

namespace cm::app {
namespace {

TEST(IsStatic, IsFalseForProgramsWithAnInterpreterAndForScripts) {
  EXPECT_FALSE(IsStatic("/bin/sh"));
  const std::string script = testing::TempDir() + "/script";
  std::ofstream(script) << "#!/bin/sh\n";
  EXPECT_FALSE(IsStatic(script.c_str()));
  EXPECT_FALSE(IsStatic("/no/such/program"));
}

TEST(IsStatic, IsTrueForTheLoaderItself) { EXPECT_TRUE(IsStatic("/lib64/ld-linux-x86-64.so.2")); }

TEST(Strangers, AreThoseWithoutTheObject) {
  Strangers strangers("libno-such-object.so");
  const std::string own = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(strangers.Sees(getpid()), own);
  EXPECT_EQ(strangers.Sees(getpid()), "") << "once";
  EXPECT_EQ(Strangers("libc.so").Sees(getpid()), "");
  EXPECT_EQ(strangers.Sees(0), "");
}

// As one that a debugger starts.
TEST(Strangers, AreNoneOfThoseThatHaveNotBegunToLoad) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execl("/bin/true", "true", nullptr);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  const bool stopped = WIFSTOPPED(status);
  EXPECT_EQ(stopped ? Strangers("libno-such-object.so").Sees(child) : "", "");
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
}

}  // namespace
}  // namespace cm::app
