#include "tools/rules/lab_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

namespace cm::ruledoc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kResults =
    R"({"implementation": "librdmacm 44.0-2 on Linux 6.1", "profile": "6.1-rxe",
        "library": "44.0-2", "kernel": "6.1.0", "seed": 4, "sequences": 250, "failed": 0,
        "digest": "0x12", "confirmed": ["listen-2", "bind-7"]})";

std::string With(std::string text, const std::string& what, const std::string& instead) {
  return text.replace(text.find(what), what.size(), instead);
}

std::string Problem(const std::string& text) {
  const auto read = ReadResults(text);
  return std::holds_alternative<std::string>(read) ? std::get<std::string>(read) : "";
}

TEST(LabRuns, AreReadFromResultsAndCarried) {
  const auto run = std::get<LabRun>(ReadResults(kResults));
  EXPECT_EQ(run.name, "lab 6.1-rxe, seed 4");
  EXPECT_EQ(FileNameOf(run), "6.1-rxe-seed-4.json");
  const auto of_a_walk = std::get<LabRun>(ReadResults(kResults, "data"));
  EXPECT_EQ(of_a_walk.name, "lab 6.1-rxe data, seed 4");
  EXPECT_EQ(FileNameOf(of_a_walk), "6.1-rxe-data-seed-4.json");

  const std::filesystem::path folder = testing::TempDir() + "/lab_runs";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / FileNameOf(run)) << ToJson(run);
  std::ofstream(folder / "damaged.json") << "{\"name\": 3}";
  const std::vector<LabRun> runs = ReadLabRuns(folder);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_THAT(runs[0].confirmed, ElementsAre("bind-7", "listen-2"));
  EXPECT_EQ(runs[0].sequences, 250u);
  EXPECT_EQ(ToJson(runs[0]), ToJson(run));
}

TEST(LabRuns, AreNotOfASimulatorNorWithFindingsNorDamaged) {
  EXPECT_THAT(Problem(With(kResults, "librdmacm 44.0-2 on Linux 6.1", "sim")),
              HasSubstr("not of a real library"));
  EXPECT_THAT(Problem(With(kResults, "\"failed\": 0", "\"failed\": 1")), HasSubstr("findings"));
  EXPECT_THAT(Problem(With(kResults, "\"seed\": 4", "\"sead\": 4")), HasSubstr("no results.json"));
  EXPECT_THAT(Problem("{"), HasSubstr("no results.json"));
}

TEST(LabRuns, SayWhichRowsTheyConfirmed) {
  const std::vector<LabRun> runs = {std::get<LabRun>(ReadResults(kResults)),
                                    {.name = "lab 6.1-rxe, seed 5", .confirmed = {"bind-8"}}};
  EXPECT_EQ(FirstConfirmed("bind-8", runs), "lab 6.1-rxe, seed 5");
  EXPECT_THAT(FirstConfirmed("bind-9", runs), IsEmpty());
  EXPECT_THAT(WhyNotConfirmed("bind-7", "lab 6.1-rxe, seed 4", runs), IsEmpty());
  EXPECT_THAT(WhyNotConfirmed("bind-8", "lab 6.1-rxe, seed 4", runs), HasSubstr("seed 5"));
  EXPECT_THAT(WhyNotConfirmed("bind-9", "lab 6.1-rxe, seed 4", runs), HasSubstr("no run has"));
  EXPECT_THAT(WhyNotConfirmed("bind-7", "lab 6.1-rxe, seed 6", runs), HasSubstr("no run \"lab"));
}

}  // namespace
}  // namespace cm::ruledoc
