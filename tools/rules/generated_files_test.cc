#include "tools/rules/generated_files.h"

#include <gtest/gtest.h>

#include "model/base/files.h"

namespace cm::ruledoc {
namespace {

namespace fs = std::filesystem;

TEST(GeneratedFiles, AreWrittenWhereTheyHaveChanged) {
  const fs::path folder = fs::path(testing::TempDir()) / "generated_files_test";
  fs::remove_all(folder);
  GeneratedFiles first;
  EXPECT_TRUE(first.Write(folder / "a.md", "a"));
  EXPECT_TRUE(first.Write(folder / "new/b.md", "b"));
  EXPECT_EQ(first.Summary(), "2 written, 0 unchanged");
  GeneratedFiles second;
  testing::internal::CaptureStdout();
  EXPECT_TRUE(second.Write(folder / "a.md", "a"));
  EXPECT_TRUE(second.Write(folder / "new/b.md", "changed"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "wrote " + (folder / "new/b.md").string() + "\n");
  EXPECT_EQ(second.Summary(), "1 written, 1 unchanged");
  EXPECT_EQ(ReadFile(folder / "new/b.md"), "changed");
}

TEST(GeneratedFiles, ThatCannotBeWrittenAreReported) {
  GeneratedFiles files;
  EXPECT_FALSE(files.Write(testing::TempDir(), "text"));
  EXPECT_EQ(files.Summary(), "0 written, 0 unchanged");
}

}  // namespace
}  // namespace cm::ruledoc
