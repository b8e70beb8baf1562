// `cmcheck matrix` as its users meet it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Matrix : public testing::Test {
 protected:
  Ended Run(const std::string& json) {
    folder_.Write("asked.json", json);
    return folder_.Cmcheck({"matrix", "asked.json", "--report", "report"});
  }
  nlohmann::json Json() { return nlohmann::json::parse(folder_.Read("report/matrix.json")); }

  CmcheckFolder folder_;
};

TEST_F(Matrix, JudgesEachImplementationUnderEachProfile) {
  const Ended ended = Run(R"({"implementations": ["sim", "sim"],
                              "profiles": ["6.1-rxe", "7.2-rxe"], "sequences": 60})");
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("  4  sim under 7.2-rxe"),
                                  ContainsRegex("rows +1/1 +1/1 +1/1 +1/1\n"),
                                  ContainsRegex("= passed +60 +60 +60 +60\n")));
  const auto json = Json();
  ASSERT_EQ(json["cells"].size(), 4U);
  EXPECT_EQ(json["cells"][0]["results"]["sequences"], 60);
  EXPECT_EQ(json["cells"][3]["families"]["rows"]["failed"], 0);
}

TEST_F(Matrix, AFindingIsSeenInItsCellAndWithItsCommand) {
  const Ended ended =
      Run(R"({"implementations": ["sim", "sim+connect-wrong-errno"], "sequences": 100})");
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.output,
              AllOf(ContainsRegex("rows +1/1 +FAILED [0-9]+\n"),
                    HasSubstr("  2  cmcheck run --impl sim --defect connect-wrong-errno")));
  const std::string xml = folder_.Read("report/matrix.xml");
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"sim under 6.1-rxe\" name=\"rows\"/>"));
  EXPECT_THAT(xml, ContainsRegex("connect-wrong-errno under 6.1-rxe\" name=\"rows\"><failure"));
}

TEST_F(Matrix, OnlyTheChosenFamiliesDecide) {
  const Ended ended = Run(R"({"implementations": ["sim+connect-wrong-errno"], "sequences": 100,
                              "families": ["leaks", "lifecycle"]})");
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.output, AllOf(HasSubstr("lifecycle"), Not(HasSubstr("establishment"))));
}

TEST_F(Matrix, TheFindingsOfARunStay) {
  std::filesystem::create_directories(folder_.path() / "report/findings");
  folder_.Write("report/findings/rows-1-rdma_connect.conv", "found");
  EXPECT_EQ(Run(R"({"implementations": ["sim"], "sequences": 5})").exit_code, 0);
  EXPECT_EQ(folder_.Read("report/findings/rows-1-rdma_connect.conv"), "found");
}

TEST_F(Matrix, WhatCannotBeUsedIsNamedAndTheOthersAreJudged) {
  const Ended ended = Run(R"({"implementations": ["exec:true '<&>'", "sim"], "sequences": 10})");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, AllOf(HasSubstr("exit code 0, before the end of its greeting"),
                                  ContainsRegex("rows +unusable +1/1\n")));
  EXPECT_THAT(folder_.Read("report/matrix.xml"), HasSubstr("true '&lt;&amp;&gt;'"));
}

TEST_F(Matrix, AFileThatSaysSomethingElseIsRefusedWithWhatIsAccepted) {
  for (const auto& [json, says] :
       {std::pair{"{", "is no JSON"}, std::pair{"[]", "an object is wanted"},
        std::pair{"{}", "\"implementations\" is needed"},
        std::pair{R"({"implementations": "sim"})", "a list of texts"},
        std::pair{R"({"implementations": ["sim"], "seed": -1})", "seed"},
        std::pair{R"({"implementations": ["sim"], "sequences": 0})", "\"sequences\" is a number"},
        std::pair{R"({"implementations": ["sim"], "calls": 5000000000})",
                  "\"calls\" is a number from 1 to 1000"},
        std::pair{R"({"colour": 1})", "keys are calls, families"},
        std::pair{R"({"implementations": ["sim"], "families": ["x"]})", "no family 'x'"}}) {
    const Ended ended = Run(json);
    EXPECT_EQ(ended.exit_code, 2) << json;
    EXPECT_THAT(ended.error, AllOf(HasSubstr("asked.json"), HasSubstr(says)));
  }
}

}  // namespace
}  // namespace cm
