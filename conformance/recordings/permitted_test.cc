// Real kernels are permitted to do what they did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/recordings/judge.h"
#include "conformance/recordings/recording.h"
#include "conformance/recordings/testing.h"

namespace cm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Those that the project promises to judge.
constexpr auto kPromised = std::to_array<std::string_view>(
    {"01", "03", "07", "11", "13", "15", "17", "21", "23", "25", "27", "29",
     "31", "33", "35", "37", "39", "41", "43", "51", "53", "55", "57", "59",
     "61", "63", "65", "67", "69", "71", "73", "75", "77", "89"});

std::unique_ptr<Recording> Read(const CarriedRecording& carried) {
  auto read = ReadRecording(carried.text);
  if (const auto* problem = std::get_if<TextProblem>(&read)) {
    ADD_FAILURE() << carried.name << ":" << problem->line << ": " << problem->what;
    return std::make_unique<Recording>();
  }
  return std::move(std::get<std::unique_ptr<Recording>>(read));
}

// What the lines say that tell of an implementation, from 1; `show` and silence included.
std::set<int> TellingLines(const std::string& text) {
  const std::set<std::string> telling = {"call", "event", "show", "crash", "quiet", "no_event"};
  std::set<int> lines;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (telling.count(nlohmann::json::parse(line)["k"].get<std::string>()) > 0)
      lines.insert(number);
  }
  return lines;
}

std::vector<std::string> Foreign(const Recording& recording) {
  std::vector<std::string> what;
  for (const ForeignLine& foreign : recording.foreign) what.push_back(foreign.what);
  return what;
}

class Carried : public testing::TestWithParam<CarriedRecording> {};

TEST_P(Carried, IsPermittedLineByLine) {
  const std::unique_ptr<Recording> recording = Read(GetParam());
  const RecordingVerdict verdict = JudgeRecording(*recording, CarriedProfile());
  EXPECT_FALSE(verdict.refusal) << GetParam().name << ":" << verdict.refusal->line << "\n"
                                << verdict.refusal->text;
  EXPECT_FALSE(verdict.inconclusive);
}

TEST_P(Carried, HasNoLineThatIsPassedOverInSilence) {
  const std::unique_ptr<Recording> recording = Read(GetParam());
  std::set<int> heard(recording->line_of.begin(), recording->line_of.end());
  for (const ForeignLine& foreign : recording->foreign) heard.insert(foreign.line);
  for (const int line : TellingLines(GetParam().text)) {
    // A successful fetch and the event behind it are one record, which stands at the event.
    const bool fetch = heard.count(line) == 0 && heard.count(line + 1) > 0 &&
                       GetParam().text.find("rdma_get_cm_event") != std::string::npos;
    EXPECT_TRUE(heard.count(line) > 0 || fetch) << GetParam().name << ":" << line;
  }
}

TEST_P(Carried, IsCountedWhole) {
  const std::unique_ptr<Recording> recording = Read(GetParam());
  const RecordingVerdict verdict = JudgeRecording(*recording, CarriedProfile());
  EXPECT_EQ(verdict.judged + verdict.out_of_scope,
            recording->history.records.size() + recording->foreign.size());
}

INSTANTIATE_TEST_SUITE_P(Recordings, Carried, testing::ValuesIn(CarriedRecordings()),
                         [](const auto& carried) {
                           std::string name = carried.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// Three of the promised ones speak of what the tables do not know, and say so.
TEST(PromisedRecordings, AreJudgedAndNotJustPassedOver) {
  for (const std::string_view number : kPromised) {
    if (number == "55" || number == "89") continue;
    const CarriedRecording& carried = CarriedRecordingNumber(number);
    const std::unique_ptr<Recording> recording = Read(carried);
    EXPECT_THAT(Foreign(*recording), IsEmpty()) << carried.name;
    EXPECT_EQ(JudgeRecording(*recording, CarriedProfile()).out_of_scope, 0u) << carried.name;
  }
}

TEST(PromisedRecordings, NameTheCommandThatOnlyCountsLines) {
  EXPECT_THAT(Foreign(*Read(CarriedRecordingNumber("89"))), ElementsAre("sh cat q.out | wc -l"));
}

TEST(PromisedRecordings, NameEveryCallOnASynchronousId) {
  const CarriedRecording& carried = CarriedRecordingNumber("55");
  const std::unique_ptr<Recording> recording = Read(carried);
  EXPECT_THAT(recording->history.records, IsEmpty());
  const std::set<int> telling = TellingLines(carried.text);
  std::set<int> named;
  for (const ForeignLine& foreign : recording->foreign) named.insert(foreign.line);
  EXPECT_TRUE(std::ranges::includes(named, telling));
}

}  // namespace
}  // namespace cm
