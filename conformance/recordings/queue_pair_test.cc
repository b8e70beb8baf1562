// What a query of a queue pair shows, against what its connection was told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/recordings/judge.h"
#include "conformance/recordings/recording.h"
#include "conformance/recordings/testing.h"
#include "model/conversation/parse.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Empty when the recording is permitted; else the line, and what is wrong.
std::string WhyRefused(const std::string& recording, const Profile& profile) {
  const auto read = ReadRecording(recording);
  if (const auto* problem = std::get_if<TextProblem>(&read)) return problem->what;
  const RecordingResult result =
      JudgeRecording(*std::get<std::unique_ptr<Recording>>(read), profile);
  if (!result.refusal) return {};
  return std::to_string(result.refusal->line) + ": " + result.refusal->text;
}

// A text in place of the first one that is the same.
std::string Replaced(std::string text, std::string_view was, std::string_view is) {
  const size_t at = text.find(was);
  EXPECT_NE(at, std::string::npos) << was;
  return at == std::string::npos ? text : text.replace(at, was.size(), is);
}

// The recording of a connection, damaged so.
std::string Damaged(std::string_view was, std::string_view is,
                    std::string_view kernel = "6.1-rxe") {
  const CarriedRecording& carried = CarriedRecordingNumber("01", kernel);
  return WhyRefused(Replaced(carried.text, was, is), carried.profile());
}

TEST(QueuePair, OfAConnectionHasItsAttributes) {
  EXPECT_THAT(Damaged("\"q_timeout\":19", "\"q_timeout\":17"),
              AllOf(StartsWith("18: "), HasSubstr("timeout 17"), HasSubstr("timeout 19")));
  EXPECT_THAT(Damaged("\"q_retry\":7", "\"q_retry\":6"), HasSubstr("retries 7"));
  EXPECT_THAT(Damaged("\"q_rnr\":7", "\"q_rnr\":6"), HasSubstr("RNR retries 7"));
  EXPECT_THAT(Damaged("\"q_rd\":1", "\"q_rd\":0"), HasSubstr("reads 1"));
  EXPECT_THAT(Damaged("\"q_drd\":1", "\"q_drd\":2"), HasSubstr("reads of the peer 1"));
}

TEST(QueuePair, HasTheTimeOutOfTheProfile) {
  EXPECT_THAT(Damaged("\"q_timeout\":17", "\"q_timeout\":19", "6.12-rxe"), HasSubstr("timeout 17"));
}

TEST(QueuePair, OverSoftIwarpHasNoRetries) {
  EXPECT_THAT(Damaged("\"q_retry\":0", "\"q_retry\":7", "6.1-siw"), HasSubstr("retries 0"));
}

TEST(QueuePair, FollowsWhatTheApplicationAskedFor) {
  std::string text = Replaced(CarriedRecordingNumber("01").text, "A depth=1", "A retry=5 depth=1");
  text = Replaced(text, "\"fc\":1,\"retry\":7", "\"fc\":1,\"retry\":5");
  EXPECT_THAT(WhyRefused(text, ReferenceProfile()),
              AllOf(StartsWith("18: "), HasSubstr("retries 5")));
}

TEST(QueuePair, ShowsAllItsAttributesOrNone) {
  EXPECT_THAT(Damaged("\"q_retry\":7,", ""), HasSubstr("\"q_retry\" is missing"));
  EXPECT_THAT(Damaged("\"q_retry\":7", "\"q_retry\":\"7\""), HasSubstr("not a number"));
}

}  // namespace
}  // namespace cm
