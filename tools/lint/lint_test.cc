// The workspace keeps the house rules.
#include <gtest/gtest.h>

#include <string>

#include "tools/lint/exceptions.h"
#include "tools/lint/rules.h"
#include "tools/lint/tree.h"

namespace lint {
namespace {

TEST(Workspace, KeepsTheHouseRules) {
  const Tree tree = Tree::At(WorkspaceOfTest());
  ASSERT_NE(tree.Find("tools/lint/lint_test.cc"), nullptr) << "this is not the workspace";
  std::string findings;
  for (const Finding& finding : Lint(tree)) findings += ToText(finding) + "\n";
  EXPECT_TRUE(findings.empty()) << "\n"
                                << findings << "\nThe rules: bazel run //tools/lint -- --rules";
}

}  // namespace
}  // namespace lint
