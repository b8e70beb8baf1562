#include "model/base/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace cm {
namespace {

TEST(Json, TextIsReadWithItsComments) {
  const nlohmann::json read = ParseJson("{\"a\": 1, /* one */ \"b\": [true]}  // two");
  EXPECT_EQ(read, nlohmann::json({{"a", 1}, {"b", {true}}}));
}

TEST(Json, WhatIsNoJsonIsDiscardedAndTheProblemNamed) {
  EXPECT_TRUE(ParseJson("").is_discarded());
  EXPECT_TRUE(ParseJson("{\"a\":").is_discarded());
  std::string problem;
  EXPECT_TRUE(ParseJson("{\"a\": 1} 2", &problem).is_discarded());
  EXPECT_NE(problem.find("line 1, column 10"), std::string::npos) << problem;
  EXPECT_TRUE(problem.starts_with("it is no JSON: parse error at line 1")) << problem;
}

TEST(Json, AMessageOfTheLibraryHasNoTag) {
  EXPECT_EQ(JsonMessage(std::runtime_error("[json.exception.type_error.302] type must be number")),
            "type must be number");
  EXPECT_EQ(JsonMessage(std::runtime_error("[1] stoi")), "[1] stoi");
}

TEST(Json, MembersOfAnOrderedObjectKeepTheirOrder) {
  EXPECT_EQ(JsonText(nlohmann::ordered_json{{"b", 1}, {"a", 2}}), R"({"b":1,"a":2})");
  EXPECT_EQ(JsonText(nlohmann::json{{"b", 1}, {"a", 2}}), R"({"a":2,"b":1})");
  EXPECT_EQ(JsonText(nlohmann::json{{"a", 2}}, 1), "{\n \"a\": 2\n}");
}

TEST(Json, ATextIsQuotedAndBytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(QuotedJson("a\"b\n"), R"("a\"b\n")");
  EXPECT_EQ(QuotedJson("\xff"), "\"\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace cm
