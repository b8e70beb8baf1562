#include "hw_tests/lab/own_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "hw_tests/lab/own_modules.h"
#include "model/base/files.h"

namespace lab {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

class OwnPrograms : public testing::Test {
 protected:
  OwnPrograms() {
    fs::remove_all(folder_);
    for (const char* name : {"image", "own", "files"}) fs::create_directories(folder_ / name);
    Write("image/release", "6.1.0-1\n");
    Write("image/versions", "linux-image-6.1.0-1 6.1.1-1\nlibrdmacm1 44.0-2\n");
    Write("image/vmlinux", "kernel");
    Write("image/initrd", ArchiveOf({{".", "", kFolder},
                                     {"./usr", "", kFolder},
                                     {"./usr/lib", "", kFolder},
                                     {"./usr/lib/x86_64-linux-gnu", "", kFolder},
                                     {"./usr/lib/x86_64-linux-gnu/libc.so.6", "the guest's"}}));
  }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  // The files that come to those of the image.
  std::vector<std::string> FilesWith(const fs::path& program) {
    const Outcome<Image> own =
        WithPrograms(Image::Open(folder_ / "image").value(), {program}, folder_ / "own");
    if (!own.ok()) return {own.problem().line};
    const size_t before = cm::ReadFile(folder_ / "image/initrd")->size();
    return FilesOfArchive(cm::ReadFile(own.value().root())->substr(before))
        .value_or(std::vector<std::string>{"no archive"});
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "own_programs";
};

TEST_F(OwnPrograms, AScriptStandsUnderItsPathWithTheFoldersThatAreMissing) {
  Write("files/script", "#!/bin/sh\n");
  const std::string path = fs::canonical(folder_).relative_path().string();
  const std::vector<std::string> files = FilesWith(folder_ / "files/script");
  ASSERT_GE(files.size(), 3U);
  EXPECT_THAT((std::vector<std::string>(files.end() - 3, files.end())),
              ElementsAre(path, path + "/files", path + "/files/script"));
}

TEST_F(OwnPrograms, AProgramComesWithItsLibrariesButForThoseOfTheGuest) {
  const std::vector<std::string> files = FilesWith(fs::canonical("/proc/self/exe"));
  EXPECT_THAT(files, Contains(HasSubstr("usr/lib/x86_64-linux-gnu/libstdc++.so.6")));
  EXPECT_THAT(files, Each(Not(EndsWith("libc.so.6"))));
}

TEST_F(OwnPrograms, WhatCannotBeReadIsNamed) {
  EXPECT_THAT(FilesWith(folder_ / "none"), ElementsAre(HasSubstr("none: cannot be read")));
}

}  // namespace
}  // namespace lab
