#include "tools/mutants/sites.h"

#include <gtest/gtest.h>

namespace cm::mutant {
namespace {

// Behind the line that names the source; "@" is the object that switches.
std::string BodyOf(std::string_view source, const std::vector<Site>& sites) {
  std::string text = MutatedText("s.cc", source, sites);
  constexpr std::string_view kLine = "#line 1 \"s.cc\"\n";
  text = text.substr(text.find(kLine) + kLine.size());
  constexpr std::string_view kSwitch = "::mutants_here.";
  for (size_t at = 0; (at = text.find(kSwitch)) != std::string::npos;)
    text.replace(at, kSwitch.size(), "@");
  return text;
}

TEST(MutatedText, HoldsTheSourceWhereThereIsNothingToMutate) {
  EXPECT_EQ(BodyOf("int x;\n", {}), "int x;\n");
}

TEST(MutatedText, NestsWhatIsInsideAnotherText) {
  // if (a < 3) b = 3;
  // 0   4   8  11
  const std::string source = "if (a < 3) b = 3;";
  std::vector<Site> sites = {
      {.kind = Kind::kOffByOne, .form = Form::kSwap, .begin = 15, .end = 16, .other = "4"},
      {.kind = Kind::kOffByOne, .form = Form::kSwap, .begin = 8, .end = 9, .other = "4"},
      {.kind = Kind::kStatement, .form = Form::kDelete, .begin = 11, .end = 17},
      {.kind = Kind::kOffByOne,
       .form = Form::kCompare,
       .begin = 4,
       .end = 9,
       .operator_begin = 6,
       .operator_end = 7,
       .other = "Less"},
      {.kind = Kind::kCondition, .form = Form::kNegate, .begin = 4, .end = 9},
      {.kind = Kind::kReturn, .form = Form::kInsert, .begin = 0, .end = 0, .other = "return;"},
  };
  SortSites(&sites);
  EXPECT_EQ(BodyOf(source, sites),
            " if (@Is(1)) return; if ((@Is(2) != static_cast<bool>(@Less(3, a , @Swap(4, 3, 4))))) "
            "{ if (!@Is(5)) b = @Swap(6, 3, 4); }");
}

TEST(MutatedText, ListsItsMutantsWithTheirLines) {
  std::vector<Site> sites = {{.kind = Kind::kConstant,
                              .form = Form::kSwap,
                              .begin = 5,
                              .end = 9,
                              .other = "false",
                              .function = "F",
                              .before = "a \"b\"",
                              .after = "false"}};
  const std::string text = MutatedText("s.cc", "\n\nx = true;", sites);
  EXPECT_NE(text.find(R"({3, "F", ::cm::mutant::Kind::kConstant, "a \"b\"", "false"},)"),
            std::string::npos)
      << text;
}

TEST(SortSites, DropsWhatIsThereTwice) {
  const Site site = {.kind = Kind::kCondition, .form = Form::kNegate, .begin = 1, .end = 2};
  Site other = site;
  other.end = 3;
  std::vector<Site> sites = {site, other, site};
  SortSites(&sites);
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(sites[0].end, 3u);
}

TEST(OnOneLine, HasOneSpaceWhereThereWasSpace) { EXPECT_EQ(OnOneLine(" a\n   b\tc "), "a b c"); }

}  // namespace
}  // namespace cm::mutant
