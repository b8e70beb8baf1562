#include "hw_tests/lab/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace lab {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

fs::path EmptyFolder(const std::string& name) {
  const fs::path folder = fs::path(::testing::TempDir()) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

Outcome<fs::path> CacheWith(const std::map<std::string, std::string>& variables) {
  return DefaultCacheFrom([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(DefaultCache, IsTheFirstOfThreeVariablesThatIsSet) {
  EXPECT_EQ(CacheWith({{"HOME", "/h"}}).value(), "/h/.cache/rdma_cm_sim/lab");
  EXPECT_EQ(CacheWith({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}).value(), "/x/rdma_cm_sim/lab");
  EXPECT_EQ(
      CacheWith({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}, {"RDMA_CM_LAB_CACHE", "/own"}}).value(),
      "/own");
  EXPECT_EQ(CacheWith({{"HOME", "/h"}, {"XDG_CACHE_HOME", ""}}).value(),
            "/h/.cache/rdma_cm_sim/lab");
}

TEST(DefaultCache, WithoutAnyVariableSaysWhichToSet) {
  const Outcome<fs::path> cache = CacheWith({});
  ASSERT_FALSE(cache.ok());
  EXPECT_THAT(cache.problem().line, HasSubstr("RDMA_CM_LAB_CACHE"));
}

TEST(CacheKey, IsTheSameForTheSamePartsAndAnotherForOthers) {
  const std::string key = CacheKey().Add("a").Add("b").Digits();
  EXPECT_EQ(key.size(), 16u);
  EXPECT_EQ(CacheKey().Add("a").Add("b").Digits(), key);
  EXPECT_NE(CacheKey().Add("b").Add("a").Digits(), key);
  EXPECT_NE(CacheKey().Add("ab").Digits(), key);
  EXPECT_NE(CacheKey().Add("ab").Add("").Digits(), key);
  EXPECT_NE(CacheKey().Add("a").Add("b").Add("").Digits(), key);
}

TEST(InstalledIdentity, ChangesWhenTheProgramIsReplaced) {
  const fs::path program = EmptyFolder("identity") / "program";
  std::ofstream(program) << "one";
  const std::string before = InstalledIdentity(program.string());
  EXPECT_EQ(InstalledIdentity(program.string()), before);
  std::ofstream(program) << "another";
  EXPECT_NE(InstalledIdentity(program.string()), before);
}

TEST(CheckFreeSpace, SaysHowMuchIsFreeAndHowMuchIsNeeded) {
  const fs::path folder = EmptyFolder("space");
  EXPECT_FALSE(CheckFreeSpace(folder, 1));
  const std::optional<Problem> problem = CheckFreeSpace(folder, UINT64_MAX);
  ASSERT_TRUE(problem);
  EXPECT_THAT(problem->line, HasSubstr(folder.string() + " has "));
  EXPECT_THAT(problem->line, HasSubstr(" MB are needed"));
}

TEST(CheckFreeSpace, NamesAFolderThatIsNotThere) {
  const std::optional<Problem> problem = CheckFreeSpace("/nowhere/at/all", 1);
  ASSERT_TRUE(problem);
  EXPECT_THAT(problem->line, HasSubstr("/nowhere/at/all: "));
}

TEST(FolderLock, SecondHolderWaitsForTheFirst) {
  const fs::path folder = EmptyFolder("lock");
  int waits = 0;
  const auto waiting = [&] { ++waits; };
  {
    const Outcome<FolderLock> first = FolderLock::Take(folder, waiting, nullptr);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(waits, 0);
  }
  const Outcome<FolderLock> second = FolderLock::Take(folder, waiting, nullptr);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(waits, 0) << "the first one has let go";
}

TEST(FolderLock, AWaitEndsWhenItIsCancelled) {
  const fs::path folder = EmptyFolder("cancelled");
  const Outcome<FolderLock> first = FolderLock::Take(folder, nullptr, nullptr);
  ASSERT_TRUE(first.ok());
  const Outcome<FolderLock> second = FolderLock::Take(folder, nullptr, [] { return true; });
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.problem().kind, ProblemKind::kCancelled);
}

TEST(FolderLock, OfAFolderThatIsNotThereIsAProblem) {
  EXPECT_FALSE(FolderLock::Take("/nowhere/at/all", nullptr, nullptr).ok());
}

TEST(NewFile, HasNoNameUntilItIsKept) {
  const fs::path folder = EmptyFolder("new_file");
  {
    const Outcome<NewFile> dropped = NewFile::In(folder);
    ASSERT_TRUE(dropped.ok());
  }
  EXPECT_TRUE(fs::is_empty(folder));
  Outcome<NewFile> kept = NewFile::In(folder);
  ASSERT_TRUE(kept.ok());
  ASSERT_EQ(write(kept.value().get(), "hello", 5), 5);
  EXPECT_FALSE(kept.value().Keep(folder / "name"));
  std::string text;
  std::ifstream(folder / "name") >> text;
  EXPECT_EQ(text, "hello");
}

TEST(NewFile, ThatComesSecondLeavesTheFirst) {
  const fs::path folder = EmptyFolder("second_file");
  std::ofstream(folder / "name") << "first";
  Outcome<NewFile> second = NewFile::In(folder);
  ASSERT_TRUE(second.ok());
  EXPECT_FALSE(second.value().Keep(folder / "name"));
  std::string text;
  std::ifstream(folder / "name") >> text;
  EXPECT_EQ(text, "first");
}

}  // namespace
}  // namespace lab
