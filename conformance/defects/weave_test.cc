// Weaving of small sources, and the errors of patches that do not apply.
#include "conformance/defects/weave.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/defects/defect_file.h"
#include "conformance/defects/relocate.h"
#include "conformance/defects/source_text.h"

namespace cm::defects {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

const std::string kFile = "sim/door.cc";
const std::string kHead = "says: It is wrong.\nsource: man door(3)\n\nin sim/door.cc ";

DefectFile Read(const std::string& hunks, const std::string& name = "opens-twice") {
  auto read = ReadDefect(name, kHead + hunks);
  if (const auto* problem = std::get_if<std::string>(&read)) {
    ADD_FAILURE() << *problem;
    return {};
  }
  return std::get<DefectFile>(std::move(read));
}

// The single woven source, or the error.
std::string Woven(const std::string& text, const std::vector<DefectFile>& defects) {
  const auto woven = Weave({{kFile, text}}, defects);
  if (const auto* problem = std::get_if<std::string>(&woven)) return *problem;
  return std::get<WovenSources>(woven).sources.at(kFile);
}

const std::string kDoor = R"(// void Door::Open() { is what opens it
void Door::Open() {
  Unlock();
  Swing();
}

bool Door::Shut() const {
  if (locked_) return false;
  return true;
}
)";

TEST(Weave, GivesTheFunctionASecondBody) {
  EXPECT_EQ(Woven(kDoor, {Read("Door::Open\n-  Swing();\n+  Swing();\n+  Swing();\n")}),
            R"(#include "conformance/defects/switch.h"
// void Door::Open() { is what opens it
void Door::Open() {
if (::cm::defects::On(1)) {
  Unlock();
  Swing();
  Swing();
} else {
  Unlock();
  Swing();
}
}

bool Door::Shut() const {
  if (locked_) return false;
  return true;
}
)");
}

TEST(Weave, GivesOneFunctionABodyForEachDefect) {
  const std::string woven = Woven(kDoor, {Read("Door::Open\n-  Unlock();\n"),
                                          Read("Door::Open\n-  Swing();\n", "never-swings")});
  EXPECT_THAT(woven, HasSubstr("On(1)) {\n  Swing();\n} else \nif (::cm::defects::On(2)) {\n"
                               "  Unlock();\n} else {\n  Unlock();\n  Swing();\n}"));
}

TEST(Weave, PutsSeveralHunksOfADefectIntoOneBody) {
  const std::string woven =
      Woven(kDoor, {Read("Door::Open\n-  Unlock();\n+  Break();\nin sim/door.cc Door::Open\n"
                         "   Swing();\n+  Squeak();\n")});
  EXPECT_THAT(woven, HasSubstr("On(1)) {\n  Break();\n  Swing();\n  Squeak();\n} else {"));
}

TEST(Weave, FindsTheOverloadThatHasTheLines) {
  const std::string woven = Woven("void Open(int) {\n  A();\n}\nvoid Open(char) {\n  B();\n}\n",
                                  {Read("Open\n-  B();\n+  C();\n")});
  EXPECT_THAT(woven, HasSubstr("void Open(int) {\n  A();\n}\nvoid Open(char) {\nif"));
}

TEST(Weave, AddsAMemberForGood) {
  const std::string woven =
      Woven("struct Door {\n  int width = 1;\n};\n",
            {Read("struct Door\n   int width = 1;\n+  int height = 2;\n"),
             Read("struct Door\n   int width = 1;\n+  int depth = 3;\n", "has-depth")});
  EXPECT_THAT(woven, HasSubstr("struct Door {\n  int width = 1;\n  int depth = 3;\n"
                               "  int height = 2;\n};\n"));
}

TEST(Weave, TakesNoNoteOfIndentation) {
  EXPECT_THAT(Woven("void Open() { Swing(); }\n", {Read("Open\n-  Swing();\n+  Fall();\n")}),
              HasSubstr("On(1)) {  Fall();} else { Swing(); }"));
}

TEST(Weave, NamesTheDefectWhosePatchNoLongerApplies) {
  EXPECT_EQ(Woven(kDoor, {Read("Door::Open\n-  Push();\n")}),
            "opens-twice: its patch no longer applies: its lines do not stand once in one body of "
            "Door::Open in sim/door.cc");
  EXPECT_THAT(Woven(kDoor, {Read("Door::Close\n-  Swing();\n")}),
              StartsWith("opens-twice: its patch no longer applies"));
  EXPECT_THAT(Woven("void Open() {\n  A();\n  A();\n}\n", {Read("Open\n-  A();\n")}),
              StartsWith("opens-twice: its patch no longer applies"));
  EXPECT_THAT(Woven("void Open(int) {\n  A();\n}\nvoid Open(char) {\n  A();\n}\n",
                    {Read("Open\n-  A();\n")}),
              StartsWith("opens-twice: its patch no longer applies"));
}

TEST(Weave, NamesTheDefectWhoseFileIsGone) {
  const auto woven = Weave({}, {Read("Door::Open\n-  Swing();\n")});
  EXPECT_EQ(std::get<std::string>(woven), "opens-twice: there is no file sim/door.cc");
}

struct Bad {
  std::string text;
  std::string problem;
};

class BadFile : public testing::TestWithParam<Bad> {};

TEST_P(BadFile, IsRefused) {
  const auto read = ReadDefect("opens-twice", GetParam().text);
  ASSERT_TRUE(std::holds_alternative<std::string>(read));
  EXPECT_EQ(std::get<std::string>(read), "opens-twice: " + GetParam().problem);
}

INSTANTIATE_TEST_SUITE_P(
    Defect, BadFile,
    testing::Values(Bad{"says: A.\nsays: B.\n", "line 2: the field is there already"},
                    Bad{"name: A.\n", "line 1: neither a field nor a hunk"},
                    Bad{"in sim/door.cc\n", "line 1: no function behind the file"},
                    Bad{"in sim/door.cc Open\nA();\n", "line 2: begins with none of ' ', '-', '+'"},
                    Bad{"source: man door(3)\nin sim/door.cc Open\n-A();\n", "no field says"},
                    Bad{"says: A.\nin sim/door.cc Open\n-A();\n", "no field source"},
                    Bad{"says: A.\nsource: B\nneeds: data\nin sim/door.cc Open\n-A();\n",
                        "profile goes with needs"},
                    Bad{"says: A.\nsource: B\n", "no hunk"},
                    Bad{kHead + "Open\n+A();\n",
                        "a hunk of Open has no line that is there already"},
                    Bad{kHead + "Open\n A();\n", "a hunk of Open changes nothing"}),
    [](const auto& bad) { return std::to_string(bad.index); });

TEST(ListOf, HasARowForEachDefect) {
  DefectFile defect = Read("Open\n-  A();\n");
  defect.sentence = "It says \"open\".";
  const std::string list = ListOf({defect, defect}, {{"Open in sim/door.cc, line 2"}, {}});
  EXPECT_THAT(list, HasSubstr("{\"opens-twice\", \"It says \\\"open\\\".\", "
                              "\"man door(3)\", \"\", \"\", kFunctions1},"));
  EXPECT_THAT(list, HasSubstr("\"\", \"\", {}},"));
  EXPECT_THAT(list, HasSubstr("({\n    \"Open in sim/door.cc, line 2\",\n});"));
}

TEST(Weave, NamesTheFunctionsOfEachDefect) {
  const auto woven = Weave({{kFile, kDoor}}, {Read("Door::Open\n-  Unlock();\n"),
                                              Read("Door::Shut\n-  return true;\n")});
  EXPECT_THAT(std::get<WovenSources>(woven).functions,
              ElementsAre(ElementsAre("Door::Open in sim/door.cc, line 2"),
                          ElementsAre("Door::Shut in sim/door.cc, line 7")));
}

TEST(BodiesOf, SeesNeitherCommentsNorLiteralsNorCalls) {
  const std::string code = CodeOnly(
      "// void F() {}\nconst char* s = \"void F() { }\"; /* F() {} */ char c = '{';\n"
      "void G() { if (F()) { F(); } }\nint F() const {\n  return 1'000;\n}\nint F(int);\n");
  EXPECT_THAT(BodiesOf(code, "F"), SizeIs(1));
}

TEST(Relocate, GivesTheCopyItsOwnNames) {
  const Relocation relocation{.prefix = "tools/copy", .name = "copy", .copied = {"sim/door.h"}};
  EXPECT_EQ(Relocate("#ifndef SIM_DOOR_H_\n#define SIM_DOOR_H_\n#include \"sim/door.h\"\n"
                     "#include \"model/key.h\"\nnamespace cm::sim {\nusing sim::Key;  // sim::Key\n"
                     "cm::sim::Door sim(\"sim::Door\");\n}\n#endif  // SIM_DOOR_H_\n",
                     relocation),
            "#ifndef COPY_SIM_DOOR_H_\n#define COPY_SIM_DOOR_H_\n"
            "#include \"tools/copy/sim/door.h\"\n"
            "#include \"model/key.h\"\nnamespace cm::copy {\nusing copy::Key;  // sim::Key\n"
            "cm::copy::Door sim(\"sim::Door\");\n}\n#endif  // SIM_DOOR_H_\n");
}

}  // namespace
}  // namespace cm::defects
