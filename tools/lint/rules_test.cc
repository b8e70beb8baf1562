// For every rule a tree that breaks it and one that does not.
#include "tools/lint/rules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lint {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

struct Example {
  std::string rule;
  std::string name;
  Files breaks;
  Files keeps;
};

Tree TreeOf(const Files& files) {
  std::vector<Source> sources;
  for (const auto& [path, text] : files) sources.emplace_back(path, text);
  return Tree(std::move(sources));
}

// One file with these lines of code.
Files File(const std::string& path, const std::string& text) { return {{path, text}}; }
Files Sim(const std::string& text) { return File("sim/a.cc", text); }
Files Build(const std::string& text) { return File("sim/BUILD", text); }

std::string Repeated(int times, const std::string& line) {
  std::string text;
  for (int i = 0; i < times; ++i) text += line;
  return text;
}

std::vector<Example> WordExamples() {
  return {
      {"clock", "Chrono", Sim("auto t = std::chrono::steady_clock::now();"),
       Sim("const Instant t = agenda.Now();")},
      {"clock", "Posix", Sim("clock_gettime(CLOCK_MONOTONIC, &t);"), Sim("CM_CHECK(clock_);")},
      {"clock", "Time", Sim("return time(nullptr);"), Sim("return event.time(0) + time;")},
      {"clock", "StdTime", Sim("x = std::time(0);"), Sim("x = trace::time(0);")},
      {"clock", "Sleep", Sim("std::this_thread::sleep_for(d);"), Sim("Instant sleep(3);")},
      {"clock", "Place", File("conformance/driver/a.cc", "usleep(1);"),
       File("conformance/process/real_time.cc", "usleep(1);")},
      {"clock", "Words", Sim("usleep(1);"), Sim("// usleep(1);\nauto s = \"usleep(1)\";")},
      {"chance", "Rand", Sim("int x = 1 + rand() % 6;"), Sim("int x = choice.rand();")},
      {"chance", "Engine", Sim("std::mt19937 gen(1);"), Sim("RandomChoice choice(&state);")},
      {"chance", "Device", Sim("std::random_device r;"), Sim("Device r;")},
      {"chance", "Distribution", Sim("std::uniform_int_distribution<int> d(0, 5);"),
       Sim("Load load_distribution(0, 5);")},
      {"chance", "Shuffle", Sim("std::ranges::shuffle(v, gen);"), Sim("Shuffle(v, &choice);")},
      {"inexact", "Double", Sim("double x = 0.5;"), File("tools/a.cc", "double x = 0.5;")},
      {"throw", "Throw", Sim("throw Refused();"), Sim("return Errno::kEinval;")},
      {"assert", "Assert", Sim("assert(x > 0);"), Sim("static_assert(kX > 0);")},
      {"plain-words", "Comment",
       Sim("// No"
           "body listens."),
       Sim("// No application listens: kNo"
           "body, no"
           "body-listens.")},
      {"plain-words", "Document",
       File("sim/README.md",
            "The peer is "
            "told."),
       File("sim/a.txt",
            "# The peer is "
            "told.")},
      {"plain-words", "Script",
       File("tools/run",
            "#!/bin/sh\n# The peer is "
            "told.\n"),
       File("tools/list",
            "# The peer is "
            "told.\n")},
      {"plain-words", "Conversation",
       File("sim/a.conv",
            "# The peer is "
            "told."),
       File("sim/a.conv", "# The peer hears of it.")},
  };
}

std::vector<Example> OrderExamples() {
  const std::string kept = "  // lint: keys are unique";
  return {
      {"hash-order", "Map", Sim("std::unordered_map<int, int> m;"), Sim("std::map<int, int> m;")},
      {"hash-order", "Hash", Sim("std::hash<int>{}(x);"), Sim("Hash hash(x);")},
      {"hash-order", "Place", File("conformance/a.h", "std::unordered_set<int> s;"),
       File("tools/a.h", "std::unordered_set<int> s;")},
      {"address-order", "Map", Sim("std::map<Id*, int> m;"), Sim("std::map<int, Id*> m;")},
      {"address-order", "Set", Sim("std::set<const Id*> s;"), Sim("std::set<Id*, ByIndex> s;")},
      {"unstable-sort", "Plain", Sim("std::sort(v.begin(), v.end());"),
       Sim("std::stable_sort(v.begin(), v.end());")},
      {"unstable-sort", "Ranges", Sim("std::ranges::sort(v);"),
       Sim("std::ranges::sort(v);" + kept)},
      {"unstable-sort", "Member", Sim("std::partial_sort(a, b, c);"), Sim("list.sort();")},
  };
}

// `draw` stands for a draw from a choice.
Files Draws(std::string text) {
  const std::string_view word = "draw";
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    text.replace(at, word.size(), "c_->Below(2, \"a\")");
  }
  return Sim(text);
}

std::vector<Example> DrawExamples() {
  return {
      {"one-draw", "Arguments", Draws("F(draw, draw);"), Draws("x = draw; F(x, draw);")},
      {"one-draw", "Operands", Draws("return draw + draw;"), Draws("if (draw) return draw;")},
      {"one-draw", "Nested", Draws("F(1 + draw, G(draw));"), Draws("F(c.OneIn(draw));")},
      {"one-draw", "Choice", Draws("F(x ? draw : 2, draw);"), Draws("F(draw ? draw : draw);")},
      {"one-draw", "And", Draws("F(draw, a && draw);"), Draws("F(draw && draw || draw);")},
      {"one-draw", "BracedList", Draws("F(A{draw}, B{{draw}});"),
       Draws("void F() { draw; }\nvoid G() { draw; }")},
      {"one-draw", "Lambda", Draws("F([&] { return draw + draw; });"),
       Draws("F(draw, [&](int) { return draw; });")},
      {"one-draw", "ForLoop", Draws("for (i = draw + draw; i; --i) {}"),
       Draws("for (i = draw; i < draw; ++i) draw;")},
      {"one-draw", "Helper",
       Draws("int A() { return draw; }\nint B() { return A(); }\nint C() { return B() + B(); }"),
       Draws("int A(Choice* c) { return c->Size(); }\nint C() { return A(c_) + A(c_); }")},
      {"one-draw", "HelperOfDraw", Draws("V<int> A(int x) { return draw; }\nint b = A(1) + A(2);"),
       Draws("class C : D {\nV<int> A(int x) { A(A(draw)); }\nV<int> B(int x) { A(1); }\n};")},
      {"one-draw", "Tests", File("sim/a_test.cc", "EXPECT_EQ(a.Below(2), a.Below(2));"),
       File("sim/a_test.cc", "EXPECT_EQ(a.Below(2), b.Below(2));")},
  };
}

std::vector<Example> EnumExamples() {
  const std::string kind = "enum class Kind : int { kA, kB = 7 };\n";
  const std::string all = "switch (x) { case Kind::kA: F({1}); break; case Kind::kB: break; }";
  const auto with_default = [](const std::string& label) {
    return "switch (x) { case " + label + ": { F(); break; } default: break; }";
  };
  const auto code = [&](const std::string& text) { return Sim(kind + text); };
  return {
      {"switch-default", "Qualified", code(with_default("Kind::kA")), code(all)},
      {"switch-default", "Deeper", code(with_default("cm::Kind::kA")), code(with_default("3"))},
      {"switch-default", "Used", code("using enum Kind;" + with_default("kB")),
       code(with_default("kB"))},
      {"switch-default", "Nested",
       code("switch (n) { case 1: " + with_default("Kind::kB") + " break; default: break; }"),
       code("switch (x) { case Kind::kA: { " + with_default("'a'") + " } case Kind::kB: ; }")},
      {"switch-default", "Constant", code(with_default("Kind::kA")),
       code(with_default("Limits::kMost") + with_default("RDMA_CM_EVENT_REJECTED"))},
      {"enum-order", "Least", code("return x >= Kind::kB;"), code("return x == Kind::kB;")},
      {"enum-order", "Less", code("return x < cm::Kind::kB;"), code("F<Kind::kB>(x); G() << 1;")},
      {"enum-order", "Behind", code("return Kind::kA <= x;"),
       code("A<Kind> a = Kind::kA; a << 1;")},
      {"enum-order", "Constant", code("return Kind::kA > x;"), code("return x > Limits::kA;")},
      {"enum-order", "Stream", code("return Kind::kA < x;"), code("out << Kind::kA << Kind::kB;")},
      {"enum-order", "Count", code("inline constexpr int kKindCount = 2;\n"),
       code("inline constexpr int kKindCount = Count<Kind>();\n\n\n\nint kLoopCount = 2;\n")},
  };
}

std::vector<Example> ShapeExamples() {
  const std::string line = "  x = x + 1;\n";
  const std::string guarded = "#ifndef SIM_CORE_A_B_H_\n#define SIM_CORE_A_B_H_\n#endif\n";
  return {
      {"long-function", "Plain", Sim("void F() {\n" + Repeated(69, line) + "}\n"),
       Sim("void F() {\n" + Repeated(68, line) + "}\n")},
      {"long-function", "Signature",
       Sim("int F(int a,\n      int b) {\n" + Repeated(68, line) + "}"),
       Sim("namespace n {\n" + Repeated(90, "void F() {}\n") + "}\n")},
      {"long-function", "Table", Sim("TEST(A, B) {\n" + Repeated(80, line) + "}\n"),
       Sim("constexpr Row kRows[] = {\n" + Repeated(80, "{1, 2},\n") + "};\n")},
      {"long-file", "Lines", Sim(Repeated(501, "int x;\n")), Sim(Repeated(500, "int x;\n"))},
      {"guard", "Path", File("sim/core/a_b.h", "#ifndef A_B_H\n#define A_B_H\n#endif\n"),
       File("sim/core/a_b.h", "// What it is.\n" + guarded)},
      {"guard", "Pragma", File("sim/core/a_b.h", "#pragma once\n" + guarded),
       File("sim/core/a_b.h", guarded)},
      {"guard", "Missing", File("sim/core/a_b.h", "int x;\n"), Sim("int x;\n")},
  };
}

std::vector<Example> ModuleExamples() {
  const auto over = [](int files, const std::string& method) {
    Files made;
    for (int i = 0; i < files; ++i) made.emplace_back(fmt::format("sim/{}.cc", i), method);
    return made;
  };
  const auto header = [](const std::string& text) { return File("sim/a.h", text); };
  const std::string declared = "int F(int a);\n";
  const std::string inside = "  bool is() const { return x_; }\n";
  return {
      {"scattered-class", "Four", over(4, "int A::F() { return 1; }\n"),
       over(3, "A::A(int x) : x_(x) {}\n")},
      {"scattered-class", "Nested", over(4, "A::B A::B::F() { return {}; }\n"),
       over(4, "int F() { return A::G(); }\n")},
      {"scattered-class",
       "Destructor",
       over(4, "A::~A() {}\n"),
       {{"sim/a/a.cc", "A::~A() {}\n"},
        {"sim/b/a.cc", "A::~A() {}\n"},
        {"sim/c/a.cc", "A::~A() {}\n"},
        {"sim/d/a.cc", "A::~A() {}\n"}}},
      {"wide-header", "Free", header("namespace n {\n" + Repeated(26, declared) + "}\n"),
       header("namespace n {\n" + Repeated(25, declared) + "}\n")},
      {"wide-header", "Methods", header("class A {\n public:\n" + Repeated(26, inside) + "};\n"),
       header("class A {\n public:\n" + Repeated(25, inside) + " private:\n" + inside + "};\n")},
      {"wide-header", "Operators", header(Repeated(26, "A operator+(A, A);\n")),
       header(Repeated(26, "friend bool operator==(A, A) = default;\nA(A&&) = default;\n"))},
      {"wide-header", "Values",
       header("struct A {\n" + Repeated(26, "A(int x) : x{x} {}\n") + "};"),
       header(Repeated(
           26, "inline constexpr int kA = F({1}, G(2));\nusing B = void(int);\nint c{};\n"))},
      {"include-pair",
       "Headers",
       {{"sim/a.h", "#include \"sim/b.h\"\n"}, {"sim/b.h", "#include \"sim/a.h\"\n"}},
       {{"sim/a.h", "#include \"sim/b.h\"\n"}, {"sim/b.cc", "#include \"sim/b.h\"\n"}}},
      {"include-pair",
       "Source",
       {{"sim/a.h", "#include \"sim/b.h\"\n"}, {"sim/b.cc", "#include \"sim/a.h\"\n"}},
       {{"sim/a.h", "#include <b.h>\n"}, {"sim/a.cc", "#include \"sim/a.h\"\n"}}},
  };
}

std::vector<Example> NoteExamples() {
  const std::string reminder = std::string("// TO") + "DO: more\n";
  const std::string place = std::string("/wo") + "rk/main";
  return {
      {"reminder", "Cpp", Sim(reminder), Sim("// A to-do list is a value.\n")},
      {"reminder", "Script",
       File("tools/run",
            "#!/bin/sh\n# FIX"
            "ME\n"),
       File("README.md",
            "How we write FIX"
            "ME.\n")},
      {"reminder", "Word",
       Sim("int HA"
           "CK;"),
       Sim("int HA"
           "CKNEY;")},
      {"machine-path", "Text", File("README.md", "cd " + place + "\n"),
       File("README.md", "cd work/main\n")},
      {"silent-skip", "Skip",
       Sim("GTEST_"
           "SKIP();"),
       Sim("GTEST_SKIP() << \"no device\";")},
      {"disabled-test", "Disabled",
       Sim("TEST(A, DISABLED"
           "_Works) {}"),
       Sim("TEST(A, Works) {}")},
  };
}

std::vector<Example> BuildExamples() {
  const std::string load = "load(\"@rules_cc//cc:defs.bzl\", \"cc_library\", \"cc_test\")\n";
  const std::string library = "cc_library(name = \"a\")\n";
  const std::string package = "package(features = [\"layering_check\"])\n";
  return {
      {"load-rules", "None", Build(library), Build(load + library)},
      {"load-rules", "Other", Build(load + "cc_binary(name = \"a\")"), Build("# cc_binary(")},
      {"foreign-rules", "Shell", Build("sh_test(name = \"a\")"),
       Build("cc_test(name = \"sh_test\")")},
      {"layering", "Missing", Build("package(features = [])\n" + library),
       Build(package + library)},
      {"layering", "None", Build(library), Build("filegroup(name = \"a\")")},
      {"test-size", "Missing", Build("cc_test(name = \"size\")\ncc_test(name = \"b\", size = 1)"),
       Build("cc_test(\n    name = \"a\",\n    size = \"small\",\n)")},
      {"tidied", "Missing", Build(library), Build(library + "tidy_test(name = \"tidy_test\")")},
      {"tidied", "TestsOnly", Build("cc_binary(name = \"a\")"), Build("cc_test(name = \"a\")")},
  };
}

std::vector<Example> DepExamples() {
  const std::string core = "cc_library(\n    name = \"core\",\n    hdrs = [\"a.h\"],\n)\n";
  const auto tree = [&](const std::string& attributes, const std::string& included) {
    return Files{{"sim/core/BUILD", core},
                 {"sim/core/a.h", ""},
                 {"sim/world/BUILD",
                  "cc_library(name = \"base\", hdrs = [\"base.h\"])\ncc_test(name "
                  "= \"b\", srcs = [\"own.h\", \"b.cc\"], " +
                      attributes + ")\n"},
                 {"sim/world/b.cc", "#include \"" + included + "\"\n"}};
  };
  const std::string a = "sim/core/a.h";
  return {
      {"direct-deps", "None", tree("size = 1", a), tree("deps = [\"//sim/core\"]", a)},
      {"direct-deps", "Another", tree("deps = [\":base\"], data = [\"//sim/core\"]", a),
       tree("data = [\":x\"], deps = [\":base\", \"//sim/core:core\"]", a)},
      {"direct-deps", "OfItsFolder", tree("deps = [\"//sim/core\"]", "sim/world/base.h"),
       tree("deps = [\":base\"]", "sim/world/base.h")},
      {"direct-deps", "Nobodys", tree("", a), tree("", "sim/world/own.h")},
  };
}

std::vector<Example> MapExamples() {
  return {
      {"map",
       "File",
       {{"sim/README.md", "`world.h`: the world\n"}, {"sim/agenda.h", ""}},
       {{"sim/README.md", "`agenda.h`: the queue\n"},
        {"sim/agenda.h", ""},
        {"sim/agenda.cc", ""},
        {"sim/agenda_test.cc", ""}}},
      {"map",
       "Above",
       {{"sim/README.md", "`agenda_x`\n"}, {"sim/core/agenda.h", ""}},
       {{"sim/README.md", "`core/agenda`\n"}, {"sim/core/agenda.h", ""}}},
      {"map",
       "Nearest",
       {{"README.md", "`agenda`\n"}, {"sim/README.md", "\n"}, {"sim/agenda.h", ""}},
       {{"README.md", "\n"}, {"sim/README.md", "`agenda`\n"}, {"sim/agenda.h", ""}}},
      {"map",
       "Package",
       {{"sim/README.md", "`fabric`\n"}, {"sim/core/BUILD", ""}},
       {{"sim/README.md", "`core`\n"}, {"sim/core/BUILD", ""}}},
      {"map", "NoReadme", {{"sim/agenda.h", ""}}, {{"sim/notes.txt", ""}}},
      {"map",
       "Prose",
       {{"sim/README.md", "Its agenda is a queue.\n"}, {"sim/agenda.h", ""}},
       {{"sim/README.md", "The test `agenda_test.cc` is of a queue.\n"},
        {"sim/agenda_test.cc", ""}}},
      {"map",
       "StaleRow",
       {{"sim/README.md", "| `agenda.h`, `gone.h` | a queue |\n"}, {"sim/agenda.h", ""}},
       {{"sim/README.md", "| `agenda.h` | no `gone.h` |\n\n`gone.h`, in a sentence\n"},
        {"sim/agenda.h", ""}}},
      {"map",
       "RowOfASection",
       {{"sim/README.md", "## core\n| `agenda.h` | a queue |\n## lib\n| `agenda.h` | |\n"},
        {"sim/core/agenda.h", ""}},
       {{"sim/README.md",
         "## core, lib\n| `agenda.h`, `../a.h`, `sim/a.h` | |\n\n| file of `lib` | |\n| `b.py` | "
         "|\n"},
        {"sim/core/agenda.h", ""},
        {"sim/a.h", ""},
        {"sim/lib/b.py", ""}}},
      {"map", "RowOfOtherThings", File("sim/README.md", "| `gone.sh` | |\n"),
       File("sim/README.md", "```\n| `gone.sh` |\n```\n| `*.cc`, `gone.sh --all`, `a\\|b` | |\n")},
  };
}

std::vector<Example> LinkExamples() {
  const std::pair<std::string, std::string> other = {"docs/b.md",
                                                     "# B\n## The `x` mark\n<a id=\"y\">"};
  return {
      {"link", "File", File("docs/a.md", "[b](b.md)"), {{"docs/a.md", "[b](b.md)"}, other}},
      {"link",
       "Folder",
       File("docs/a.md", "[sim](../sim)"),
       {{"docs/a.md", "[sim](../sim) [x](https://x) `[y](z)`"}, {"sim/a.cc", ""}}},
      {"link", "Outside", File("docs/a.md", "[x](../../docs/a.md)"),
       File("docs/a.md", "[a](a.md)")},
      {"link",
       "Heading",
       {{"docs/a.md", "[b](b.md#the-y-mark)"}, other},
       {{"docs/a.md", "[b](b.md#the-x-mark), [y](b.md#y)"}, other}},
      {"link", "Fenced", File("docs/a.md", "```\n```\n[b](b.md)"),
       File("docs/a.md", "```\n[b](b.md)\n```")},
      {"link", "Comment", File("docs/a.md", "[b](#b)\n```sh\n# B\n```"),
       File("docs/a.md", "[b](#b)\n```sh\n# A\n```\n# B")},
      {"link",
       "Capture",
       File("docs/a.md", "[b](b.pcap)"),
       {{"docs/a.md", "[b](b.pcap)"}, {"docs/b.pcap", ""}}},
  };
}

std::vector<Example> AllExamples() {
  std::vector<Example> all;
  for (const std::vector<Example>& family :
       {WordExamples(), OrderExamples(), DrawExamples(), EnumExamples(), ShapeExamples(),
        ModuleExamples(), NoteExamples(), BuildExamples(), DepExamples(), MapExamples(),
        LinkExamples()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

Rule RuleOf(const std::string& id) {
  const std::vector<Rule> rules = AllRules();
  return *std::ranges::find(rules, id, &Rule::id);
}

std::string Text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += ToText(finding) + "\n";
  return text;
}

class RuleExample : public testing::TestWithParam<Example> {};

TEST_P(RuleExample, IsJudgedRight) {
  const Rule rule = RuleOf(GetParam().rule);
  const std::vector<Finding> broken = Check(rule, TreeOf(GetParam().breaks));
  EXPECT_EQ(broken.size(), 1u) << Text(broken);
  const std::vector<Finding> kept = Check(rule, TreeOf(GetParam().keeps));
  EXPECT_TRUE(kept.empty()) << Text(kept);
}

std::string NameOf(const testing::TestParamInfo<Example>& info) {
  std::string name = info.param.rule + "_" + info.param.name;
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, RuleExample, testing::ValuesIn(AllExamples()), NameOf);

TEST(Rules, EachHasAnExample) {
  std::set<std::string_view> shown;
  const std::vector<Example> examples = AllExamples();
  for (const Example& example : examples) shown.insert(example.rule);
  for (const Rule& rule : AllRules()) EXPECT_TRUE(shown.contains(rule.id)) << rule.id;
}

TEST(Rules, HaveIdsOfTheirOwn) {
  std::set<std::string_view> ids;
  for (const Rule& rule : AllRules()) EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
}

TEST(Rules, FindTheLine) {
  const std::vector<Finding> findings =
      CheckAll(TreeOf({{"sim/a.cc", "// What.\nint x;\nint y = rand();\n"}}));
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(ToText(findings.back()),
            "sim/a.cc:3: chance: `rand`: chance comes from a Choice; others differ between "
            "libraries");
}

}  // namespace
}  // namespace lint
