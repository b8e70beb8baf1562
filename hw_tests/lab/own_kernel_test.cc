// The script with files that stand for kernels and modules; the lab itself boots real ones.
#include "hw_tests/lab/own_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "conformance/process/process.h"
#include "hw_tests/lab/own_modules.h"
#include "model/base/files.h"

namespace lab {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

constexpr const char* kRelease = "6.9.0-mine";
constexpr const char* kNames[] = {"virtio_pci", "virtio_console", "9p",   "9pnet_virtio",
                                  "ib_uverbs",  "rdma_ucm",       "veth", "rdma_rxe"};

// What stands for depmod: an empty list where there is none, beside it where it was called.
constexpr const char* kLoader = R"(#!/bin/sh
echo "$@" >>"${0%/usr/*}/../called"
while [ "$1" != -b ]; do shift; done
[ -e "$2/lib/modules/$3/modules.dep" ] || echo "from depmod" >"$2/lib/modules/$3/modules.dep"
)";

class OwnKernelTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* tool : {"cpio", "xz", "zstd", "dpkg-deb"})
      if (Shell(std::string("command -v ") + tool) != 0)
        GTEST_SKIP() << "unsupported here: no " << tool << " (tools/setup.sh --lab)";
    fs::remove_all(folder_);
    Write("root/init",
          "#!/bin/sh\nmodules='virtio_pci virtio_console 9p 9pnet_virtio ib_uverbs "
          "rdma_rxe rdma_ucm veth bonding'\n");
    Write("root/etc/rdma_driver", "rxe\n");
    Write("root/usr/bin/kmod", "");
    Write("root/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", kLoader);
    Write("image/release", "6.1.0-1\n");
    Write("image/versions", "librdmacm1 44.0-2\nlinux-image-6.1.0-1 6.1.1-1\n");
    Write("image/vmlinux", "kernel of the cache");
    fs::create_directories(folder_ / "out");
    ASSERT_EQ(
        Shell("chmod +x " + Path("root/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2") + " && cd " +
              Path("root") + " && find . | cpio -o -H newc --quiet >" + Path("image/initrd")),
        0);
    Write("bzImage", BzImage(kRelease));
    for (const char* name : kNames) AddModule(name);
  }
  static int Shell(const std::string& command) {
    return cm::RunProgram({"/bin/sh", "-c", command}).value_or(cm::Ran{}).exit_code;
  }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void Write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  // Of the boot protocol: the magic, and where the release stands, from 512 on.
  static std::string BzImage(const std::string& release) {
    std::string bytes(2048, 'x');
    bytes.replace(514, 4, "HdrS");
    bytes[526] = '\x00';
    bytes[527] = '\x02';
    const std::string says = release + " (me@here) #1" + std::string(1, '\0');
    bytes.replace(1024, says.size(), says);
    return bytes;
  }
  void AddModule(const std::string& name) {
    const std::string file = "kernel/" + name + ".ko";
    Write("modules/lib/modules/" + std::string(kRelease) + "/" + file, "ELF " + name);
    dep_ += file + ":\n";
    Write("modules/lib/modules/" + std::string(kRelease) + "/modules.dep", dep_);
  }
  Outcome<Image> With(const std::string& kernel, const std::string& modules) {
    return WithKernel(Image::Open(folder_ / "image").value(),
                      {folder_ / kernel, modules.empty() ? fs::path() : folder_ / modules},
                      folder_ / "out");
  }
  std::string ProblemWith(const std::string& kernel, const std::string& modules) {
    const Outcome<Image> image = With(kernel, modules);
    return image.ok() ? "none" : image.problem().line;
  }
  // What the guest gets besides the other image's files.
  std::string Added() const {
    const std::string root = cm::ReadFile(folder_ / "out/initrd").value_or("");
    return root.substr(cm::ReadFile(folder_ / "image/initrd").value_or("").size());
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "own_kernel";
  std::string dep_;
};

TEST_F(OwnKernelTest, AnImageHasTheKernelAndTheModulesThatTheGuestLoads) {
  AddModule("unwanted");
  const Outcome<Image> image = With("bzImage", "modules");
  ASSERT_TRUE(image.ok()) << image.problem().line;
  EXPECT_EQ(image.value().kernel_release(), kRelease);
  EXPECT_THAT(image.value().kernel_version(), testing::MatchesRegex("own-[0-9a-f]{12}"));
  EXPECT_EQ(image.value().librdmacm_version(), "44.0-2");
  EXPECT_EQ(cm::ReadFile(image.value().kernel()), BzImage(kRelease));
  const auto names = FilesOfArchive(Added());
  ASSERT_TRUE(names.has_value());
  EXPECT_THAT(*names, Contains("usr/lib/modules/6.9.0-mine/kernel/rdma_rxe.ko"));
  EXPECT_THAT(*names, Contains("usr/lib/modules/6.9.0-mine/modules.dep"));
  EXPECT_THAT(*names, Not(Contains(HasSubstr("unwanted"))));
  EXPECT_THAT(Added(), HasSubstr("ELF rdma_rxe"));
  for (const auto& entry : fs::directory_iterator(folder_ / "out"))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("work")));
}

// As in the root of a system with a merged /usr.
TEST_F(OwnKernelTest, TheSameModulesByTwoNamesAreOfOneKernel) {
  fs::create_symlink(".", folder_ / "modules/usr");
  const Outcome<Image> image = With("bzImage", "modules");
  EXPECT_TRUE(image.ok()) << image.problem().line;
}

TEST_F(OwnKernelTest, AnotherModuleIsAnotherVersion) {
  const std::string before = With("bzImage", "modules").value().kernel_version();
  fs::remove_all(folder_ / "out");
  fs::create_directories(folder_ / "out");
  Write("modules/lib/modules/6.9.0-mine/kernel/rdma_rxe.ko", "ELF rdma_rxe, mended");
  const std::string after =
      With("bzImage", "modules/lib/modules/6.9.0-mine").value().kernel_version();
  EXPECT_NE(before, after);
}

TEST_F(OwnKernelTest, CompressedModulesAreUnpacked) {
  const std::string module = Path("modules/lib/modules/6.9.0-mine/kernel/rdma_rxe.ko");
  ASSERT_EQ(Shell("xz " + module + " && sed -i s/rdma_rxe.ko:/rdma_rxe.ko.xz:/ " +
                  Path("modules/lib/modules/6.9.0-mine/modules.dep")),
            0);
  const Outcome<Image> image = With("bzImage", "modules");
  ASSERT_TRUE(image.ok()) << image.problem().line;
  EXPECT_THAT(Added(), HasSubstr("ELF rdma_rxe"));
}

// As dpkg-deb makes it, without modules.dep.
TEST_F(OwnKernelTest, APackageHasBoth) {
  Write("deb/DEBIAN/control",
        "Package: linux-image-mine\nVersion: 1\nArchitecture: all\n"
        "Maintainer: me <me@here>\nDescription: a kernel\n");
  Write("deb/boot/vmlinuz-6.9.0-mine", BzImage(kRelease));
  fs::copy(folder_ / "modules", folder_ / "deb", fs::copy_options::recursive);
  fs::remove(folder_ / "deb/lib/modules/6.9.0-mine/modules.dep");
  ASSERT_EQ(Shell("dpkg-deb --build -Znone " + Path("deb") + " " + Path("mine.deb")), 0);
  // depmod's list is not one of ours, and so something is missing from it.
  EXPECT_EQ(ProblemWith("mine.deb", ""),
            "Linux 6.9.0-mine has no virtio_pci, neither built in nor as a module");
  fs::remove_all(folder_ / "deb/boot");
  ASSERT_EQ(Shell("dpkg-deb --build -Znone " + Path("deb") + " " + Path("empty.deb")), 0);
  EXPECT_THAT(ProblemWith("empty.deb", ""), HasSubstr("holds no kernel"));
}

// As patched_module.sh leaves it. The list is made elsewhere: the folder may be read-only.
TEST_F(OwnKernelTest, AFolderWithoutAListIsListed) {
  fs::remove(folder_ / "modules/lib/modules/6.9.0-mine/modules.dep");
  EXPECT_EQ(ProblemWith("bzImage", "modules"),
            "Linux 6.9.0-mine has no virtio_pci, neither built in nor as a module");
  EXPECT_FALSE(fs::exists(folder_ / "modules/lib/modules/6.9.0-mine/modules.dep"));
}

TEST_F(OwnKernelTest, WhatCannotBootIsNamed) {
  EXPECT_THAT(ProblemWith("none", "modules"), HasSubstr("none cannot be read"));
  EXPECT_THAT(ProblemWith("bzImage", "none"), HasSubstr("none is no folder"));
  EXPECT_THAT(ProblemWith("bzImage", ""), HasSubstr("the folder of its modules is needed"));
  EXPECT_THAT(ProblemWith("bzImage", "image"), HasSubstr("has no modules: no folder lib/modules"));
  Write("text", "no kernel at all");
  EXPECT_THAT(ProblemWith("text", "modules"), HasSubstr("neither a bzImage nor a vmlinux"));
  Write("other", BzImage("6.10.0"));
  EXPECT_THAT(ProblemWith("other", "modules"),
              HasSubstr("is Linux 6.10.0, and the modules are of 6.9.0-mine"));
  fs::create_directories(folder_ / "modules/lib/modules/6.8.0/kernel");
  EXPECT_THAT(ProblemWith("bzImage", "modules"), HasSubstr("of more than one kernel"));
  fs::remove_all(folder_ / "modules/lib/modules/6.8.0");
  Write("modules/lib/modules/6.9.0-mine/modules.dep", "kernel/veth.ko:\n");
  Write("modules/lib/modules/6.9.0-mine/modules.builtin", "kernel/virtio_pci.ko\n");
  EXPECT_THAT(ProblemWith("bzImage", "modules"), HasSubstr("has no virtio_console"));
}

}  // namespace
}  // namespace lab
