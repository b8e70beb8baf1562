#include "hw_tests/lab/own_modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "model/base/files.h"

namespace lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

constexpr const char* kModule = "usr/lib/modules/6.1.0-1/kernel/drivers/infiniband/core/ib_cm.ko";

class OwnModules : public testing::Test {
 protected:
  OwnModules() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "image");
    fs::create_directories(folder_ / "own");
    Write("image/release", "6.1.0-1\n");
    Write("image/versions", "linux-image-6.1.0-1 6.1.1-1\nlibrdmacm1 44.0-2\n");
    Write("image/vmlinux", "kernel");
    Write("image/pair-1.saved", "a guest with the old module");
    Write("image/initrd", ArchiveOf({{"init", "#!/bin/sh\n"},
                                     {kModule,
                                      "\x7f"
                                      "ELF old"}}));
  }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  Outcome<Image> With(const std::string& module) {
    return WithModules(Image::Open(folder_ / "image").value(), {folder_ / module}, folder_ / "own");
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "own_modules";
};

TEST_F(OwnModules, AnArchiveIsReadAsItIsWritten) {
  const auto names = FilesOfArchive(ArchiveOf({{"a", "12345"}, {"folder/b", ""}}));
  ASSERT_TRUE(names.has_value());
  EXPECT_THAT(*names, ElementsAre("a", "folder/b"));
}

TEST_F(OwnModules, WhatIsCutOffIsNoArchive) {
  const std::string archive = ArchiveOf({{"a", "12345"}, {"b", "678"}});
  for (const size_t size : {size_t{0}, size_t{100}, archive.size() / 2, archive.size() - 20})
    EXPECT_FALSE(FilesOfArchive(archive.substr(0, size)).has_value()) << size;
}

TEST_F(OwnModules, TheModuleStandsBehindTheGuestsOwnUnderItsPath) {
  Write("ib-cm.ko",
        "\x7f"
        "ELF new");
  const Outcome<Image> own = With("ib-cm.ko");
  ASSERT_TRUE(own.ok()) << own.problem().line;
  EXPECT_EQ(own.value().kernel_release(), "6.1.0-1");
  EXPECT_EQ(cm::ReadFile(own.value().kernel()), "kernel");
  EXPECT_FALSE(fs::exists(folder_ / "own/pair-1.saved"));
  const std::string root = *cm::ReadFile(own.value().root());
  const size_t before = cm::ReadFile(folder_ / "image/initrd")->size();
  const auto names = FilesOfArchive(std::string_view(root).substr(before));
  ASSERT_TRUE(names.has_value());
  EXPECT_THAT(*names, ElementsAre(kModule));
  EXPECT_THAT(root.substr(before), HasSubstr("ELF new"));
}

TEST_F(OwnModules, WhatCannotBeLoadedIsNamed) {
  EXPECT_THAT(With("none.ko").problem().line, HasSubstr("none.ko: cannot be read"));
  Write("text.ko", "hello");
  EXPECT_THAT(With("text.ko").problem().line, HasSubstr("text.ko: is no kernel module"));
  Write("other.ko",
        "\x7f"
        "ELF");
  EXPECT_THAT(With("other.ko").problem().line, HasSubstr("Linux 6.1.0-1 loads no module of this"));
}

}  // namespace
}  // namespace lab
