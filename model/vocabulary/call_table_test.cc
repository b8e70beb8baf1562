// What every row of the table of calls must say, and what happens to a call that has none.
#include "model/vocabulary/call_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace cm {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

// Calls visit.operator()<call::X>() for each call, in the order of CallKind.
template <typename Visit>
void EachCall(Visit visit) {
#define CM_VISIT(number, type, function, linkage) visit.template operator()<call::type>();
  CM_CALLS(CM_VISIT)
#undef CM_VISIT
}

TEST(EveryRow, CitesTheManualOrAHeader) {
  for (int i = 0; i < kCallKindCount; ++i) {
    const CallTraits& traits = TraitsOf(static_cast<CallKind>(i));
    EXPECT_THAT(std::string(traits.manual),
                AnyOf(StartsWith("man rdma_"), StartsWith("man ibv_"), HasSubstr("<rdma/")))
        << traits.name;
  }
}

TEST(EveryRow, HasEachKeyOnce) {
  EachCall([]<typename One>() {
    std::set<std::string_view> keys;
    ForEachField(kRow<One>.fields, [&](const auto& field) {
      if (field.info.key.empty() || field.info.hidden) return;
      EXPECT_TRUE(keys.insert(field.info.key).second)
          << FunctionName(KindOf(One{})) << " " << field.info.key;
    });
  });
}

TEST(EveryRow, BeginsWithOneWordThatStandsByItself) {
  EachCall([]<typename One>() {
    int words = 0;
    ForEachField(kRow<One>.fields, [&](const auto& field) {
      words += field.info.key.empty() && !field.info.noun.empty() ? 1 : 0;
    });
    EXPECT_EQ(words, 1) << FunctionName(KindOf(One{}));
  });
}

TEST(EveryRow, FreesOnlyWhatAnotherMakes) {
  std::set<std::string_view> made;
  std::set<std::string_view> freed;
  EachCall([&]<typename One>() {
    ForEachField(kRow<One>.fields, [&](const auto& field) {
      if (field.info.use == NameUse::kMakes) made.insert(field.info.noun);
      if (field.info.use == NameUse::kFrees) freed.insert(field.info.noun);
    });
  });
  EXPECT_EQ(made, freed) << "what is made is given back by some call";
}

// What the compiler says of a program that asks for the row of a call of its own.
std::string CompilerOn(const std::string& declaration) {
  const std::string folder = testing::TempDir();
  const std::string source = folder + "/call.cc";
  std::ofstream(source) << "#include \"model/vocabulary/call_table.h\"\n"
                        << "namespace cm::call { struct Mine { IdRef id; }; }\n"
                        << declaration << "\nauto traits = cm::kRow<cm::call::Mine>.traits;\n";
  const std::string command =
      "c++ -std=c++20 -fsyntax-only -I. " + source + " >" + folder + "/said 2>&1";
  const int code = std::system(command.c_str());  // NOLINT(cert-env33-c): the compiler of the build
  std::stringstream said;
  said << (code == 0 ? "compiles\n" : "") << std::ifstream(folder + "/said").rdbuf();
  return said.str();
}

TEST(ACallWithoutARow, DoesNotCompileAndIsNamed) {
  EXPECT_EQ(CompilerOn("template <> inline constexpr auto cm::kRow<cm::call::Mine> =\n"
                       "    cm::Row({.manual = \"none\"}, cm::OfId<cm::call::Mine>());"),
            "compiles\n");
  EXPECT_THAT(CompilerOn(""), HasSubstr("CallHasNoRow<cm::call::Mine>"));
}

}  // namespace
}  // namespace cm
