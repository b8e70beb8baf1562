// patched_module.sh with a distribution of its own: the archive, its packages and the compiler are
// made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "conformance/process/process.h"
#include "model/base/files.h"

namespace lab {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

constexpr const char* kAptCache = R"sh(#!/bin/sh
case "$*" in
  *show*--no-all-versions*linux-headers*) sed -n 's/^/Version: /;1p' "$HERE/headers_version" ;;
  *show*linux-headers*) sed 's/^/Version: /' "$HERE/headers_version" ;;
  *show*) echo "Version: 6.1.9-1" ;;
  *depends*linux-image-amd64) [ -e "$HERE/no_lists" ] || echo "  Depends: linux-image-6.1.0-9-amd64" ;;
  *depends*linux-headers*) echo "  Depends: linux-kbuild-6.1" ;;
esac
)sh";
constexpr const char* kAptGet = R"sh(#!/bin/sh
echo "$@" >"$HERE/asked"
cp "$HERE"/debs/*.deb .
)sh";
// What stands for a module is its source, with the release that it is for.
constexpr const char* kMake = R"sh(#!/bin/sh
for word; do case $word in M=*) folder=${word#M=} ;; esac; done
grep -q broken "$folder/t.c" && { echo "t.c:1: error: broken"; exit 2; }
grep -q 'obj-m := toy.o' "$folder/Kbuild" || exit 2
{ printf 'x\0vermagic=%s SMP\0' "$(cat "$HERE/release")"; cat "$folder/t.c"; } >"$folder/toy.ko"
)sh";
constexpr const char* kPatch =
    "Says more.\n\n--- a/drivers/x/t.c\n+++ b/drivers/x/t.c\n@@ -1 +1,2 @@\n int t;\n+int more;\n";

class PatchedModule : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* tool : {"patch", "dpkg-deb", "xz", "gcc"})
      if (Shell(std::string("command -v ") + tool).exit_code != 0)
        GTEST_SKIP() << "unsupported here: no " << tool;
    fs::remove_all(folder_);
    for (const auto& [name, text] :
         {std::pair("apt-cache", kAptCache), std::pair("apt-get", kAptGet),
          std::pair("make", kMake), std::pair("strip", "#!/bin/sh\n")}) {
      Write(std::string("bin/") + name, text);
      fs::permissions(folder_ / "bin" / name, fs::perms::owner_all);
    }
    Write("headers_version", "6.1.9-1\n");
    Write("release", "6.1.0-9-amd64");
    Write("more.patch", kPatch);
    Write("linux-source-6.1/drivers/x/Makefile", "obj-m += toy.o\ntoy-y := t.o\n");
    Write("linux-source-6.1/drivers/x/t.c", "int t;\n");
    Write("deb/usr/src/linux-headers-6.1.0-9-amd64/Makefile", "include /usr/src/common\n");
    Write("deb/boot/vmlinuz-6.1.0-9-amd64", "kernel");
    Write("deb/lib/modules/6.1.0-9-amd64/kernel/drivers/x/toy.ko", "as it was");
    Write("deb/DEBIAN/control",
          "Package: linux\nVersion: 1\nArchitecture: all\nMaintainer: me <me@here>\n"
          "Description: everything\n");
    fs::create_directories(folder_ / "debs");
    const cm::Ran made = Shell(
        "tar -cJf deb/usr/src/linux-source-6.1.tar.xz linux-source-6.1 && "
        "dpkg-deb --root-owner-group --build -Znone deb debs/all.deb");
    ASSERT_EQ(made.exit_code, 0) << made.output;
  }
  cm::Ran Shell(const std::string& command) const {
    return cm::RunProgram(
               {"/bin/sh", "-c", "cd " + folder_.string() + " 2>/dev/null; exec 2>&1; " + command})
        .value_or(cm::Ran{});
  }
  cm::Ran Build(const std::string& arguments) const {
    return Shell("HERE=$PWD PATH=$PWD/bin:$PATH sh " + script_ + " " + arguments);
  }
  // No folder of work is left.
  bool IsTidy() const {
    return std::ranges::none_of(fs::directory_iterator(folder_), [](const auto& entry) {
      return entry.path().filename().string().starts_with(".patched_module");
    });
  }
  // The complaint, after which nothing is left behind.
  std::string Refused(const std::string& arguments) const {
    const cm::Ran ran = Build(arguments);
    EXPECT_EQ(ran.exit_code, 1) << ran.output;
    EXPECT_FALSE(fs::exists(folder_ / "out"));
    EXPECT_TRUE(IsTidy());
    return ran.output;
  }
  void Write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string Read(const std::string& name) const {
    return cm::ReadFile(folder_ / name).value_or("");
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "patched_module";
  const std::string script_ = fs::absolute("hw_tests/lab/patched_module.sh").string();
};

TEST_F(PatchedModule, IsBuiltFromThePatchedSource) {
  const cm::Ran ran = Build("drivers/x toy out more.patch");
  ASSERT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_EQ(ran.output, "out/toy.ko of Linux 6.1.0-9-amd64 (6.1.9-1)\n");
  EXPECT_THAT(Read("out/toy.ko"), HasSubstr("int t;\nint more;\n"));
  EXPECT_FALSE(fs::exists(folder_ / "out/vmlinuz"));
  EXPECT_TRUE(IsTidy());
  EXPECT_THAT(Read("asked"),
              HasSubstr("linux-source-6.1=6.1.9-1 linux-headers-6.1.0-9-amd64=6.1.9-1 "
                        "linux-kbuild-6.1\n"));
}

TEST_F(PatchedModule, IsOfTheKernelsVersionAlsoWhereANewerOneIsOffered) {
  Write("headers_version", "6.1.9-2\n6.1.9-1\n");
  const cm::Ran ran = Build("drivers/x toy out more.patch");
  ASSERT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(Read("asked"), HasSubstr(" linux-headers-6.1.0-9-amd64=6.1.9-1 "));
}

TEST_F(PatchedModule, StandsInItsKernelWhereThatIsWanted) {
  const cm::Ran ran = Build("--kernel drivers/x toy out more.patch");
  ASSERT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_EQ(Read("out/vmlinuz"), "kernel");
  EXPECT_EQ(Read("out/lib/modules/6.1.0-9-amd64/kernel/drivers/x/toy.ko"), Read("out/toy.ko"));
  EXPECT_THAT(Read("asked"), HasSubstr(" linux-image-6.1.0-9-amd64=6.1.9-1\n"));
}

TEST_F(PatchedModule, SaysWhatIsMissingOrWrong) {
  EXPECT_THAT(Refused("drivers/x toy"), HasSubstr("usage: patched_module.sh"));
  EXPECT_THAT(Refused("drivers/x toy out none.patch"), HasSubstr("none.patch cannot be read"));
  EXPECT_THAT(Refused("drivers/x toy none/out"), HasSubstr("none is no folder"));
  fs::create_directory(folder_ / "a b");
  EXPECT_THAT(Refused("drivers/x toy 'a b/out'"), HasSubstr("a b: make cannot build in a path"));
  EXPECT_THAT(Refused("drivers/y toy out"), HasSubstr("linux-source-6.1 has no folder drivers/y"));
  EXPECT_THAT(Refused("drivers/x joy out"), HasSubstr("makes no module joy"));
  Write("other.patch", std::string(kPatch).replace(std::string(kPatch).find("int t"), 5, "int u"));
  EXPECT_THAT(Refused("drivers/x toy out other.patch"),
              HasSubstr("other.patch does not apply to linux-source-6.1 6.1.9-1: "));
  Write("bad.patch", std::string(kPatch).replace(std::string(kPatch).find("more;"), 5, "broken"));
  EXPECT_THAT(Refused("drivers/x toy out bad.patch"),
              HasSubstr("building toy failed: t.c:1: error: broken"));
  Write("release", "6.1.0-8-amd64");
  EXPECT_THAT(Refused("drivers/x toy out"), HasSubstr("toy.ko is not of Linux 6.1.0-9-amd64"));
  Write("headers_version", "6.1.8-1\n6.1.10-1\n");
  EXPECT_THAT(Refused("drivers/x toy out"),
              HasSubstr("linux-headers-6.1.0-9-amd64 is of version 6.1.8-1 6.1.10-1, and"));
  Write("headers_version", "");
  Write("no_lists", "");
  EXPECT_THAT(Refused("drivers/x toy out"), HasSubstr("run 'apt-get update' first"));
  EXPECT_THAT(
      Shell("PATH=$PWD/none; export PATH; /bin/sh " + script_ + " drivers/x toy out").output,
      HasSubstr("apt-get is needed"));
}

TEST_F(PatchedModule, WhatIsThereIsLeftAsItIs) {
  Write("out/mine", "mine");
  const cm::Ran ran = Build("drivers/x toy out");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.output, HasSubstr("out exists"));
  EXPECT_EQ(Read("out/mine"), "mine");
}

}  // namespace
}  // namespace lab
