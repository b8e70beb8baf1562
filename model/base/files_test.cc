#include "model/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace cm {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() : folder_(fs::path(testing::TempDir()) / "files_test") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  fs::path Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  const fs::path folder_;
};

TEST_F(Files, AreReadByteByByte) {
  const std::string bytes("a\r\n\0b", 5);
  EXPECT_EQ(ReadFile(Write("f", bytes)), bytes);
  EXPECT_EQ(ReadFile(Write("empty", "")), "");
}

TEST_F(Files, ThatAreMissingOrFoldersCannotBeRead) {
  EXPECT_EQ(ReadFile(folder_ / "missing"), std::nullopt);
  EXPECT_EQ(ReadFile(folder_), std::nullopt);
}

TEST_F(Files, ThatCannotBeReadHaveAReason) {
  EXPECT_EQ(WhyNotRead(folder_ / "missing"), "no such file");
  EXPECT_EQ(WhyNotRead(folder_ / "missing" / "f"), "no such file");
  EXPECT_EQ(WhyNotRead(folder_), "it is a folder");
  EXPECT_EQ(WhyNotRead(Write("f", "") / "g"), "Not a directory");
}

TEST_F(Files, ThatAreForbiddenSaySo) {
  if (geteuid() == 0) GTEST_SKIP() << "to root every file is open";
  const fs::path file = Write("closed", "");
  fs::permissions(file, fs::perms::none);
  EXPECT_EQ(ReadFile(file), std::nullopt);
  EXPECT_EQ(WhyNotRead(file), "permission denied");
}

TEST_F(Files, OfAFolderAreSortedAndOfOneExtension) {
  const fs::path b = Write("b.conv", "");
  const fs::path a = Write("a.conv", "");
  Write("c.json", "");
  EXPECT_THAT(FilesIn(folder_, ".conv"), testing::ElementsAre(a, b));
  EXPECT_THAT(FilesIn(folder_ / "missing", ".conv"), testing::IsEmpty());
}

}  // namespace
}  // namespace cm
