// The packages for nodes: what the program needs, what is in them, and that it runs from there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "conformance/process/process.h"
#include "model/base/files.h"
#include "model/base/own_folder.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

constexpr const char* kProgram = "tools/cmcheck/cmcheck_node";

class Package : public testing::Test {
 protected:
  ~Package() override { fs::remove_all(folder_); }
  // A command of the shell.
  static Ran Shell(const std::string& command) {
    return RunProgram({"/bin/sh", "-c", command}).value_or(Ran{.exit_code = -1, .output = {}});
  }
  Ran Make(const std::string& program, const std::string& version) const {
    return Shell("SOURCE_DATE_EPOCH=0 tools/packaging/make.sh " + program + " " + version + " " +
                 folder_);
  }
  std::string Only(const std::string& extension) const {
    const std::vector<fs::path> files = FilesIn(folder_, extension);
    EXPECT_EQ(files.size(), 1U);
    return files.empty() ? "none" : files.front().string();
  }

  const std::string folder_ = MakeOwnFolder((fs::path(testing::TempDir()) / "package").string());
};

TEST_F(Package, TheProgramNeedsNothingNewerThanGlibc228) {
  const Ran ran = Shell(std::string("tools/packaging/check.sh ") + kProgram);
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_EQ(ran.output, "");
}

// The same command as it is linked for this machine.
TEST_F(Package, AProgramThatNeedsMoreIsRefused) {
  const Ran check = Shell("tools/packaging/check.sh tools/cmcheck/cmcheck");
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_THAT(check.output, AllOf(HasSubstr("it needs the library libstdc++.so.6\n"),
                                  HasSubstr("it needs dlopen of glibc 2.34\n"),
                                  HasSubstr("it needs __libc_start_main of glibc 2.34\n"),
                                  Not(HasSubstr(" of glibc 2.2"))));
  const Ran made = Make("tools/cmcheck/cmcheck", "1");
  EXPECT_EQ(made.exit_code, 2);
  EXPECT_THAT(made.output, HasSubstr("is for newer hosts: it needs"));
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Package, WhatCannotBePackedIsNamed) {
  EXPECT_THAT(Make("none", "1").output, HasSubstr("none cannot be read"));
  EXPECT_THAT(Make(kProgram, "v1").output, HasSubstr("'v1' does not begin with a digit"));
  EXPECT_THAT(Make("tools/packaging/make.sh", "1").output, HasSubstr("make.sh is no program"));
}

TEST_F(Package, HoldsOneProgramThatRuns) {
  const Ran made = Make(kProgram, "0.1+abc");
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const std::string tarball = Only(".gz");
  const std::string deb = Only(".deb");
  EXPECT_EQ(made.output, tarball + "\n" + deb + "\n");

  const std::string name = "cmcheck-0.1+abc-$(dpkg --print-architecture)";
  EXPECT_EQ(
      Shell("tar -tzf " + tarball).output,
      Shell("printf '%s\\n' " + name + "/ " + name + "/README.md " + name + "/cmcheck").output);
  const Ran run = Shell("cd " + folder_ + " && tar -xzf " + tarball + " && " + name +
                        "/cmcheck run --sequences 20 --report " + folder_ + "/report");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("20 passed"));

  EXPECT_THAT(Shell("dpkg-deb --field " + deb).output,
              AllOf(HasSubstr("Package: cmcheck\n"), HasSubstr("Version: 0.1+abc\n"),
                    HasSubstr("Depends: libc6 (>= 2.28), librdmacm1 | librdmacm1t64\n")));
  EXPECT_EQ(Shell("dpkg-deb --fsys-tarfile " + deb + " | tar -t | grep -v /$").output,
            "./usr/bin/cmcheck\n./usr/share/doc/cmcheck/README.md\n");
  EXPECT_EQ(Shell("dpkg-deb --fsys-tarfile " + deb + " | tar -xO ./usr/bin/cmcheck | cmp - " +
                  folder_ + "/" + name + "/cmcheck")
                .output,
            "");
}

// Exceptions and threads go through what stands in for the newer library.
TEST_F(Package, TheProgramThrowsAndHasThreads) {
  const Ran refused = Shell(std::string(kProgram) + " run --sequences x");
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr("--sequences"));
  const Ran threads =
      Shell(std::string(kProgram) + " run --jobs 2 --sequences 20 --report " + folder_ + "/report");
  EXPECT_EQ(threads.exit_code, 0) << threads.output;
}

}  // namespace
}  // namespace cm
