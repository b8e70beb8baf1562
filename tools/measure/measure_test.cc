// The simulator has a profile, and is measured by another one.
#include "tools/measure/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/runner/profile_file.h"

namespace cm {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<MeasuredField> Measured(const Profile& of, const Profile& base) {
  const auto sim =
      MakeSimImplementation({.profile = of, .watch_wire = false, .capabilities = of.capabilities});
  return MeasureProfile(*sim, *FindTopology("two-kernels"), base);
}

// The values that were measured.
std::map<std::string, int64_t> Values(const std::vector<MeasuredField>& fields) {
  std::map<std::string, int64_t> values;
  for (const MeasuredField& field : fields)
    if (!field.assumed) values[field.name] = field.value;
  return values;
}

std::map<std::string, int64_t> ValuesOf(const Profile& profile) {
  const Limits& limits = profile.limits;
  const Timing& timing = profile.timing;
  return {{"request_data", limits.request_data},
          {"reply_data", limits.reply_data},
          {"reject_data", limits.reject_data},
          {"datagram_request_data", limits.datagram_request_data},
          {"datagram_reply_data", limits.datagram_reply_data},
          {"max_depth", limits.max_depth},
          {"max_retry_count", limits.max_retry_count},
          {"packet_lifetime", timing.packet_lifetime},
          {"response_timeout", timing.response_timeout},
          {"max_retries", timing.max_retries}};
}

// None of its values is one of a profile.
Profile Other() {
  Profile other = *FindProfile("6.1-rxe");
  other.limits = {.request_data = 1,
                  .reply_data = 2,
                  .reject_data = 3,
                  .datagram_request_data = 4,
                  .datagram_reply_data = 5,
                  .max_depth = 6,
                  .max_retry_count = 1};
  other.timing.packet_lifetime = 21;
  other.timing.response_timeout = 23;
  other.timing.max_retries = 1;
  return other;
}

class OfAProfile : public testing::TestWithParam<const Profile*> {};

TEST_P(OfAProfile, EveryFieldIsFound) {
  EXPECT_EQ(Values(Measured(*GetParam(), Other())), ValuesOf(*GetParam()));
}
INSTANTIATE_TEST_SUITE_P(Profiles, OfAProfile,
                         testing::Values(FindProfile("5.10-rxe"), FindProfile("6.1-rxe"),
                                         FindProfile("6.12-rxe"), FindProfile("7.2-rxe"),
                                         FindProfile("6.1-ib")),
                         [](const auto& info) {
                           std::string name = info.param->name;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

// As an idle kernel's are; for 6.12-rxe sixteen of them are late by more than half of one.
TEST(Measure, TimersThatAreLateAreFound) {
  for (const char* name : {"6.1-rxe", "6.12-rxe", "7.2-rxe"}) {
    Profile late = *FindProfile(name);
    late.timing.clock = TimerClock::kWheel;
    EXPECT_EQ(Values(Measured(late, *FindProfile("6.1-rxe"))), ValuesOf(late)) << name;
  }
}

TEST(Measure, AsksNothingOnceItIsInterrupted) {
  const Profile& profile = *FindProfile("6.1-rxe");
  const auto sim =
      MakeSimImplementation({.profile = profile, .capabilities = profile.capabilities});
  const std::atomic<bool> interrupted = true;
  EXPECT_THAT(Values(MeasureProfile(*sim, *FindTopology("two-kernels"), profile, &interrupted)),
              IsEmpty());
}

TEST(Measure, WhatADriverSaysInSeveralLinesStaysAComment) {
  const std::string text = ProfileText("mine", *FindProfile("6.1-rxe"), "a driver",
                                       {{.section = "limits",
                                         .name = "max_depth",
                                         .value = 16,
                                         .assumed = "no\nsuch\r\nthing",
                                         .how = ""}});
  EXPECT_TRUE(std::holds_alternative<Profile>(ParseProfile(text))) << text;
}

TEST(Measure, AlteredFieldsAreFound) {
  Profile altered = *FindProfile("6.1-rxe");
  altered.limits = {.request_data = 40,
                    .reply_data = 100,
                    .reject_data = 0,
                    .datagram_request_data = 17,
                    .datagram_reply_data = 130,
                    .max_depth = 16,
                    .max_retry_count = 3};
  altered.timing.packet_lifetime = 14;
  altered.timing.response_timeout = 18;
  altered.timing.max_retries = 4;
  EXPECT_EQ(Values(Measured(altered, *FindProfile("6.1-rxe"))), ValuesOf(altered));
}

TEST(Measure, WhatTheEnvironmentCannotDoIsAssumed) {
  Profile still = *FindProfile("6.12-rxe");
  still.capabilities = Capabilities();
  const std::vector<MeasuredField> fields = Measured(still, Other());
  std::map<std::string, int64_t> expected = ValuesOf(still);
  expected.erase("response_timeout");
  expected.erase("max_retries");
  EXPECT_EQ(Values(fields), expected);
  const auto field = std::ranges::find(fields, "max_retries", &MeasuredField::name);
  ASSERT_NE(field, fields.end());
  EXPECT_EQ(field->value, 1) << "the base's";
  EXPECT_NE(field->assumed, "");
}

// Its lengths wrap round, and there are neither datagrams nor timewait.
TEST(Measure, OfIWarpDepthsAreFound) {
  const Profile& siw = *FindProfile("6.1-siw");
  Profile base = Other();
  base.transport = siw.transport;
  const std::map<std::string, int64_t> expected = {{"max_depth", siw.limits.max_depth}};
  EXPECT_EQ(Values(Measured(siw, base)), expected);
}

TEST(Measure, TheFileIsAProfileAndSaysWhatWasMeasured) {
  const Profile& of = *FindProfile("6.12-rxe");
  const std::vector<MeasuredField> fields = Measured(of, Other());
  EXPECT_THAT(fields, SizeIs(13));
  const std::string text = ProfileText("mine", *FindProfile("6.1-rxe"), "a \"sim\"", fields);
  const auto parsed = ParseProfile(text);
  ASSERT_TRUE(std::holds_alternative<Profile>(parsed)) << std::get<std::string>(parsed) << text;
  const auto& profile = std::get<Profile>(parsed);
  EXPECT_EQ(profile.name, "mine");
  EXPECT_EQ(ValuesOf(profile), ValuesOf(of));
  EXPECT_THAT(text, HasSubstr("// measured: time until UNREACHABLE"));
  EXPECT_THAT(text, HasSubstr("// assumed: a larger backlog"));
}

// Linux 6.1 and 6.12 differ in one of the fields that are measured: see the profiles.
TEST(Measure, IsComparedWithAKnownProfileFieldByField) {
  const Profile& known = *FindProfile("6.1-rxe");
  const Profile& newer = *FindProfile("6.12-rxe");
  const std::vector<MeasuredField> fields = Measured(newer, Other());
  const BesideKnown same = CompareWithKnown(fields, newer);
  EXPECT_EQ(same.differing, 0) << same.lines;
  EXPECT_THAT(same.lines, HasSubstr("10 of 10 measured fields are as in 6.12-rxe\n"));
  const BesideKnown other = CompareWithKnown(fields, known);
  EXPECT_EQ(other.differing, 1) << other.lines;
  EXPECT_THAT(other.lines, ContainsRegex("differs   packet_lifetime +16  6.1-rxe: 18\n"));
  EXPECT_THAT(other.lines, ContainsRegex("same      max_depth +128  6.1-rxe: 128\n"));
  EXPECT_THAT(other.lines, HasSubstr("9 of 10 measured fields are as in 6.1-rxe\n"));
}

// One that is assumed is no difference, whatever the base has.
TEST(Measure, WhatIsAssumedIsNotCompared) {
  const BesideKnown beside = CompareWithKnown({{.section = "timing",
                                                .name = "ack_delay",
                                                .value = 3,
                                                .assumed = "no one asked",
                                                .how = ""}},
                                              *FindProfile("6.1-rxe"));
  EXPECT_EQ(beside.differing, 0);
  EXPECT_THAT(beside.lines, ContainsRegex("assumed   ack_delay +3  6.1-rxe: 15\n"));
  EXPECT_THAT(beside.lines, HasSubstr("0 of 0 measured fields"));
}

// What a guest has left is no profile by being there.
TEST(WrittenProfileTest, IsAProfileOrAProblem) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "written.json";
  std::filesystem::remove(path);
  const auto problem_of = [&](const std::string& text) {
    std::ofstream(path) << text;
    return ReadWritten(path).problem;
  };
  EXPECT_EQ(ReadWritten(path).problem, "no profile was left");
  EXPECT_EQ(problem_of(""), "no profile was left");
  EXPECT_THAT(problem_of("{\"name\": 1}"), HasSubstr("no profile: "));
  const std::string text = ProfileText("mine", *FindProfile("6.1-rxe"), "a guest", {});
  EXPECT_EQ(problem_of(text), "");
  EXPECT_EQ(ReadWritten(path).text, text);
}

}  // namespace
}  // namespace cm
