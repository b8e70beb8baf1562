#include "tools/lint/functions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/lint/source.h"

namespace lint {
namespace {

// "name first-last" of every function found.
std::vector<std::string> Found(std::string_view text) {
  const std::vector<Token> tokens = Lex(text, Language::kCpp);
  std::vector<std::string> found;
  for (const Function& function : Functions(tokens)) {
    found.push_back(
        fmt::format("{} {}-{}", function.name, function.first_line, function.last_line));
  }
  return found;
}

using Names = std::vector<std::string>;

TEST(Functions, AreFoundInNamespacesAndClasses) {
  EXPECT_EQ(Found("namespace a {\nvoid F() {\n}\nclass B : public C {\n public:\n  int G() const "
                  "{ return 1; }\n};\n}\n"),
            (Names{"F 2-3", "G 6-6"}));
}

TEST(Functions, StartAtTheirSignature) {
  EXPECT_EQ(Found("int x;\ntemplate <typename T>\nauto F(T a,\n       T b) -> T {\n  return a;\n}"),
            Names{"F 2-6"});
}

TEST(Functions, MayInitialiseMembers) {
  EXPECT_EQ(Found("A::A(int b)\n    : b_(b) {\n  F();\n}\n"), Names{"A 1-4"});
}

TEST(Functions, KeepTheirBlocksAndLambdas) {
  EXPECT_EQ(Found("void F() {\n  if (a) {\n    G([] { return 1; });\n  }\n}\nvoid H() {}\n"),
            (Names{"F 1-5", "H 6-6"}));
}

TEST(Functions, AreNotTypesOrTables) {
  EXPECT_EQ(Found("struct A {\n  int b = 1;\n};\nenum class E : int { kA };\n"
                  "constexpr Row kRows[] = {{1, 2}, {3, 4}};\nextern \"C\" {\n}\n"),
            Names{});
}

TEST(Functions, MayBeLambdasOfATable) {
  EXPECT_EQ(Found("const Property kP = {\n    .check = [](int a) {\n      F(a);\n    }};\n").size(),
            1u);
}

TEST(Functions, AreNotConfusedByDirectives) {
  EXPECT_EQ(Found("#include <vector>\n#define A(x) \\\n  x\nvoid F() {\n}\n"), Names{"F 4-5"});
}

}  // namespace
}  // namespace lint
