#include "tools/mutants/find_sites.h"

#include <gtest/gtest.h>

#include <set>

namespace cm::mutant {
namespace {

const std::vector<std::string>& Flags() {
  static const std::vector<std::string> flags = {"-std=c++20"};
  return flags;
}

// The mutated copy without its table; "@" is the object that switches.
std::string Mutated(const std::string& source) {
  const Found found = FindSites("s.cc", source, Flags());
  EXPECT_EQ(found.problem, "");
  std::string text = MutatedText("s.cc", source, found.sites);
  constexpr std::string_view kLine = "#line 1 \"s.cc\"\n";
  text = text.substr(text.find(kLine) + kLine.size());
  constexpr std::string_view kSwitch = "::mutants_here.";
  for (size_t at = 0; (at = text.find(kSwitch)) != std::string::npos;)
    text.replace(at, kSwitch.size(), "@");
  return text;
}

TEST(Mutation, OfACondition) {
  EXPECT_EQ(Mutated("int G(); void F(bool a) { if (a) G(); }"),
            "int G(); void F(bool a) { if (@Is(1)) return;  "
            "if ((@Is(2) != static_cast<bool>(a))) { if (!@Is(3)) G(); } }");
  EXPECT_EQ(Mutated("bool F(bool a, bool b) { return a && b; }"),
            "bool F(bool a, bool b) { if (@Is(1)) return false;  if (@Is(2)) return true;  "
            "return (@Is(3) != static_cast<bool>((@Is(4) != static_cast<bool>(a)) && "
            "(@Is(5) != static_cast<bool>(b)))); }");
  EXPECT_EQ(Mutated("struct R { R(int); }; R F(bool a, R x, R y) { return a ? x : y; }"),
            "struct R { R(int); }; R F(bool a, R x, R y) { "
            "return (@Is(1) != static_cast<bool>(a)) ? x : y; }");
}

TEST(Mutation, OfAStatement) {
  EXPECT_EQ(Mutated("int& F(int& a) { while (true) { ++a; break; } return a; }"),
            "int& F(int& a) { while (@Swap(1, true, false)) { { if (!@Is(2)) ++a; } "
            "{ if (!@Is(3)) break; } } return a; }");
  // What follows the return of a branch is what is done where the condition is false.
  EXPECT_EQ(Mutated("int& F(int& a, bool b) { if (b) return a; return a; }"),
            "int& F(int& a, bool b) { if ((@Is(1) != static_cast<bool>(b))) "
            "{ if (!@Is(2)) return a; } return a; }");
}

TEST(Mutation, OfAConstant) {
  EXPECT_EQ(Mutated("enum class E { kA, kB = 0, kC }; E& F(E& e) { e = E::kA; return e; }"),
            "enum class E { kA, kB = 0, kC }; E& F(E& e) { "
            "{ if (!@Is(1)) e = @Swap(2, E::kA, ::E::kC); } return e; }");
  EXPECT_EQ(Mutated("namespace n { namespace { constexpr int kA = 1, kB = 2; } "
                    "int& F(int& x) { x = kB; return x; } }"),
            "namespace n { namespace { constexpr int kA = 1, kB = 2; } "
            "int& F(int& x) { { if (!@Is(1)) x = @Swap(2, kB, ::n::kA); } return x; } }");
}

TEST(Mutation, ThatIsOffByOne) {
  EXPECT_EQ(Mutated("struct R { R(bool); }; R F(unsigned a) { return {a >= 0xffffffffu}; }"),
            "struct R { R(bool); }; R F(unsigned a) { "
            "return {@GreaterEqual(1, a , @Swap(2, 0xffffffffu, 0xFFFFFFFEu))}; }");
  EXPECT_EQ(Mutated("int& F(int& a) { a = 9 + a; return a; }"),
            "int& F(int& a) { { if (!@Is(1)) a = @Swap(2, 9, 10) + a; } return a; }");
}

TEST(Mutation, ThatReturnsEarly) {
  EXPECT_EQ(Mutated("int F(int a) { return a; }"),
            "int F(int a) { if (@Is(1)) return {};  return a; }");
  EXPECT_EQ(Mutated("void G(); void F(bool a) { G(); switch (a) {} }"),
            "void G(); void F(bool a) { if (@Is(1)) return;  { if (!@Is(2)) G(); } "
            " if (@Is(3)) return; switch (a) {} }");
}

TEST(Mutation, GoesIntoLambdasAndTemplates) {
  EXPECT_EQ(Mutated("template <typename T> T& F(T& a) { [&] { a = 1; }(); return a; }"),
            "template <typename T> T& F(T& a) { { if (!@Is(1)) [&] { if (@Is(2)) return;  "
            "{ if (!@Is(3)) a = @Swap(4, 1, 2); } }(); } return a; }");
}

TEST(NoMutation, OfWhatIsConstant) {
  for (const char* const source : {
           "constexpr int F(int a) { if (a > 3) return 1; return 2; }",
           "int x = 3; const bool y = 3 < 4;",
           "static_assert(1 < 2);",
           "template <int N> struct T {}; using U = T<3>;",
           "enum { kA = 3 }; int array[3];",
           "struct S { int x = 3; int bits : 3; };",
           "void F(int a = 3);",
           "void F(int& a) { static int b = 3; constexpr int c = 4; const int d = 5; }",
           "#define M(x) if (x) return;\nvoid F(bool& a) { M(a) }",
       }) {
    const Found found = FindSites("s.cc", source, Flags());
    EXPECT_EQ(found.problem, "") << source;
    for (const Site& site : found.sites)
      EXPECT_EQ(site.kind, Kind::kReturn) << source << ": " << site.before;
  }
}

TEST(NoMutation, OfConstantsInsideAFunction) {
  EXPECT_EQ(Mutated("template <int N> int& G(int (&)[N]); int& F(int& a) { int b[3]; "
                    "switch (a) { case 1: static_assert(sizeof(2) > 1); } "
                    "if constexpr (3 > 4) { return a; } return G<3>(b); }"),
            "template <int N> int& G(int (&)[N]); int& F(int& a) { int b[3]; "
            "switch (a) { case 1: static_assert(sizeof(2) > 1); } "
            "if constexpr (3 > 4) { return a; } return G<3>(b); }");
}

TEST(NoMutation, OfHeaders) {
  const Found found = FindSites("s.cc", "#include <utility>\n", Flags());
  EXPECT_EQ(found.problem, "");
  EXPECT_TRUE(found.sites.empty());
}

TEST(ASource, ThatIsNotWellFormedIsAProblem) {
  const Found found = FindSites("s.cc", "int F() { return x; }", Flags());
  EXPECT_NE(found.problem.find("s.cc:1:18: error: use of undeclared identifier 'x'"),
            std::string::npos)
      << found.problem;
}

TEST(ASource, HasTheSameMutantsEachTime) {
  const std::string source = "bool F(int a) { if (a > 3) return true; return a < 2; }";
  const Found one = FindSites("s.cc", source, Flags());
  const Found two = FindSites("s.cc", source, Flags());
  EXPECT_EQ(MutatedText("s.cc", source, one.sites), MutatedText("s.cc", source, two.sites));
}

}  // namespace
}  // namespace cm::mutant
