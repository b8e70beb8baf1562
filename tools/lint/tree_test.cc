#include "tools/lint/tree.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace lint {
namespace {

namespace fs = std::filesystem;

class TreeAt : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("TEST_TMPDIR");
    root_ = fs::path(folder == nullptr ? "." : folder) / "tree";
    fs::remove_all(root_);
    fs::create_directories(root_);
  }

  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }

  std::vector<std::string> Paths() const {
    const Tree tree = Tree::At(root_);
    std::vector<std::string> paths;
    for (const Source& source : tree.sources()) paths.push_back(source.path());
    return paths;
  }

  fs::path root_;
};

using Strings = std::vector<std::string>;

TEST_F(TreeAt, HoldsEveryTextFileByPath) {
  Write("sim/b.cc", "int b;");
  Write("sim/a.cc", "int a;");
  Write(".ci/run", "#!/bin/bash");
  EXPECT_EQ(Paths(), (Strings{".ci/run", "sim/a.cc", "sim/b.cc"}));
}

TEST_F(TreeAt, LeavesOutWhatIsNotOurs) {
  Write(".git/config", "x");
  Write("bazel-out/a.cc", "x");
  Write("sim/__pycache__/a.py", "x");
  Write("sim/recording.bin", std::string("a\0b", 3));
  EXPECT_EQ(Paths(), Strings{});
}

TEST_F(TreeAt, LeavesOutWhatGitIgnoresAtTheTop) {
  Write(".gitignore", "/user.bazelrc\n/scratch/\n");
  Write("user.bazelrc", "x");
  Write("scratch/a.cc", "x");
  Write("sim/scratch/a.cc", "x");
  EXPECT_EQ(Paths(), (Strings{".gitignore", "sim/scratch/a.cc"}));
}

TEST_F(TreeAt, FindsByPath) {
  Write("sim/a.cc", "int a;");
  const Tree tree = Tree::At(root_);
  ASSERT_NE(tree.Find("sim/a.cc"), nullptr);
  EXPECT_EQ(tree.Find("sim/a.cc")->Line(1), "int a;");
  EXPECT_EQ(tree.Find("sim/b.cc"), nullptr);
}

TEST_F(TreeAt, KnowsFilesThatAreNoText) {
  Write("sim/a.cc", "int a;");
  Write("sim/a.pcap", std::string("a\0b", 3));
  const Tree tree = Tree::At(root_);
  EXPECT_EQ(tree.Find("sim/a.pcap"), nullptr);
  EXPECT_TRUE(tree.Has("sim/a.pcap"));
  EXPECT_TRUE(tree.Has("sim/a.cc"));
  EXPECT_FALSE(tree.Has("sim/b.pcap"));
}

}  // namespace
}  // namespace lint
