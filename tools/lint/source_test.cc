#include "tools/lint/source.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace lint {
namespace {

std::string Joined(std::string_view text, Language language = Language::kCpp) {
  std::string joined;
  for (const Token& token : Lex(text, language)) joined += std::string(token.text) + "|";
  return joined;
}

TEST(HasWord, WantsTheWholeWord) {
  EXPECT_TRUE(HasWord("`world.h`: the world", "world"));
  EXPECT_FALSE(HasWord("worlds, my_world", "world"));
  EXPECT_TRUE(HasWord("worlds of a world", "world"));
  EXPECT_FALSE(HasWord("", "world"));
}

TEST(Lexer, TellsWordsNumbersAndPunctuation) {
  EXPECT_EQ(Joined("a->b::c(1'000, 0x1p-3);"), "a|->|b|::|c|(|1'000|,|0x1p|-|3|)|;|");
}

TEST(Lexer, LeavesCommentsOut) { EXPECT_EQ(Joined("a // b\n/* c\n d */ e"), "a|e|"); }

TEST(Lexer, KeepsLiteralsWhole) {
  EXPECT_EQ(Joined(R"(f("a // \" b", '\'', 'x');)"), R"(f|(|"a // \" b"|,|'\''|,|'x'|)|;|)");
}

TEST(Lexer, KeepsRawStringsWhole) { EXPECT_EQ(Joined("R\"x(a)\" b)x\" c"), "R\"x(a)\" b)x\"|c|"); }

TEST(Lexer, CountsLinesInCommentsAndLiterals) {
  const std::vector<Token> tokens = Lex("/*\n*/ a R\"(\n)\" b\nc", Language::kCpp);
  ASSERT_EQ(tokens.size(), 4u);
  EXPECT_EQ(tokens[0].line, 2);
  EXPECT_EQ(tokens[1].line, 2);
  EXPECT_EQ(tokens[2].line, 3);
  EXPECT_EQ(tokens[3].line, 4);
}

TEST(Lexer, MarksDirectivesAndTheirContinuation) {
  const std::vector<Token> tokens = Lex("#define A \\\n  b\nc # d", Language::kCpp);
  ASSERT_EQ(tokens.size(), 7u);
  EXPECT_TRUE(tokens[3].in_directive);
  EXPECT_EQ(tokens[3].line, 2);
  EXPECT_FALSE(tokens[4].in_directive);
  EXPECT_FALSE(tokens[6].in_directive);
}

TEST(Lexer, KnowsStarlark) {
  EXPECT_EQ(Joined("a = 1  # isn't b\n\"\"\"c\n\"d\"\"\"\n", Language::kStarlark),
            "a|=|1|\"\"\"c\n\"d\"\"\"|");
}

TEST(Source, KnowsItsPlace) {
  const Source source("sim/core/world_test.cc", "int a;\n\nint b;");
  EXPECT_EQ(source.name(), "world_test.cc");
  EXPECT_EQ(source.folder(), "sim/core");
  EXPECT_TRUE(source.IsUnder("sim"));
  EXPECT_FALSE(source.IsUnder("sim/co"));
  EXPECT_TRUE(source.IsTest());
  EXPECT_EQ(source.Line(3), "int b;");
  EXPECT_EQ(source.Line(4), "");
}

TEST(Source, KeepsItsTokensWhenMoved) {
  Source first("a.cc", "int");
  const Source second = std::move(first);
  ASSERT_EQ(second.tokens().size(), 1u);
  EXPECT_EQ(second.tokens()[0].text, "int");
  EXPECT_EQ(second.Line(1), "int");
}

}  // namespace
}  // namespace lint
