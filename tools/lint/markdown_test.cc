#include "tools/lint/markdown.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tools/lint/source.h"

namespace lint {
namespace {

using Pieces = std::vector<std::string_view>;

TEST(Markdown, LinesOfFencedBlocksAreLeftOut) {
  const Source page("a.md", "# A\n```sh\n# a comment\n```\ntext\n");
  const std::vector<PageLine> lines = LinesOutsideFences(page);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text, "# A");
  EXPECT_EQ(lines[1].text, "text");
  EXPECT_EQ(lines[1].number, 5);
}

TEST(Markdown, HeadingsHaveASpaceBehindTheirMarks) {
  EXPECT_EQ(HeadingOf("## The `&` mark"), "The `&` mark");
  EXPECT_EQ(HeadingOf("#include"), "");
  EXPECT_EQ(HeadingOf("no heading"), "");
  EXPECT_EQ(HeadingOf("##"), "");
  EXPECT_EQ(HeadingOf(""), "");
}

TEST(Markdown, CodeStandsBetweenBackticks) {
  EXPECT_EQ(CodeIn("a `b` c `d e`"), (Pieces{"b", "d e"}));
  EXPECT_EQ(CodeIn("a `b` c `d"), Pieces{"b"});
  EXPECT_EQ(CodeIn("none"), Pieces{});
  EXPECT_EQ(WithoutCode("a `b` c"), "a  c");
}

}  // namespace
}  // namespace lint
