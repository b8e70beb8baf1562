// Profiles from files: their fields, and the one line of each error.
#include "conformance/runner/profile_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace cm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Profile Parsed(std::string_view text) {
  auto parsed = ParseProfile(text);
  if (auto* problem = std::get_if<std::string>(&parsed)) {
    ADD_FAILURE() << *problem;
    return {};
  }
  return std::get<Profile>(std::move(parsed));
}

std::string ProblemOf(std::string_view text) {
  auto parsed = ParseProfile(text);
  auto* problem = std::get_if<std::string>(&parsed);
  if (problem == nullptr) return "it was accepted";
  EXPECT_EQ(problem->find('\n'), std::string::npos) << *problem;
  return *problem;
}

TEST(ProfileFile, WithANameAloneIsTheReferenceUnderThatName) {
  Profile expected = *FindProfile("6.1-rxe");
  expected.name = "mine";
  expected.sentence = "";
  EXPECT_EQ(Parsed(R"({"name": "mine"})"), expected);
}

TEST(ProfileFile, ChangesWhatItNamesAndNothingElse) {
  Profile expected = *FindProfile("6.12-rxe");
  expected.name = "mine";
  expected.sentence = "Our own.";
  expected.timing.packet_lifetime = 17;
  expected.timing.max_retries = 3;
  expected.timing.quiet = Duration::Milliseconds(50);
  expected.limits.request_data = 40;
  expected.timing.clock = TimerClock::kWheel;
  expected.limits.max_backlog = 2000;
  expected.limits.max_outstanding = 16;
  expected.limits.max_address_handles = 50;
  expected.dialect = {.link_down_fails_sends = true,
                      .link_down_keeps_sends = false,
                      .long_messages_as_manual = true,
                      .accept_releases_datagram_request = false,
                      .last_receive_is_told = false,
                      .neighbour_changes_are_told = false,
                      .refused_resolve_clears_destination = true,
                      .route_timeout_may_be_zero = true,
                      .unknown_path_is_fatal = true,
                      .delayed_reply_outlives_dreq = true,
                      .get_request_sets_status = true,
                      .late_sends_are_flushed = false,
                      .refused_posts_are_negative = true};
  expected.capabilities = *ParseCapabilities("drop link time");
  expected.deviations.push_back({.id = "LEAK-1", .reason = "until release 3", .cause = "LEAK-1"});
  EXPECT_EQ(Parsed(R"({"name": "mine", "base": "6.12-rxe", "sentence": "Our own.",
      "timing": {"packet_lifetime": 17, "max_retries": 3, "quiet_ms": 50, "clock": "wheel"},
      "limits": {"request_data": 40, "max_backlog": 2000, "max_outstanding": 16,
                 "max_address_handles": 50},
      "dialect": {"link_down_fails_sends": true, "link_down_keeps_sends": false,
                  "link_down_mutes": false,
                  "long_messages_as_manual": true,
                  "accept_releases_datagram_request": false,
                  "last_receive_is_told": false,
                  "neighbour_changes_are_told": false,
                  "refused_resolve_clears_destination": true,
                  "route_timeout_may_be_zero": true,
                  "unknown_path_is_fatal": true,
                  "delayed_reply_outlives_dreq": true,
                  "get_request_sets_status": true,
                  "late_sends_are_flushed": false,
                  "refused_posts_are_negative": true},
      "capabilities": "drop link time",
      "deviations": [{"id": "LEAK-1", "reason": "until release 3", "cause": "LEAK-1"}]})"),
            expected);
}

TEST(ProfileFile, AcceptsTheEndsOfARangeAndNothingBeyond) {
  EXPECT_EQ(Parsed(R"({"name": "m", "limits": {"max_retry_count": 7}})").limits.max_retry_count, 7);
  EXPECT_EQ(Parsed(R"({"name": "m", "limits": {"max_retry_count": 0}})").limits.max_retry_count, 0);
  for (const char* number : {"8", "-1", "1e3", "2.5", "\"3\"", "null", "18446744073709551615"})
    EXPECT_EQ(
        ProblemOf(std::string(R"({"name": "m", "limits": {"max_retry_count": )") + number + "}}"),
        std::string("'max_retry_count' is ") + (std::string(number) == "1e3" ? "1000.0" : number) +
            "; it has to be a whole number from 0 to 7");
}

struct Bad {
  const char* what;
  const char* text;
  const char* given;
  const char* accepted;
};

class BadProfile : public testing::TestWithParam<Bad> {};

TEST_P(BadProfile, IsRefusedInOneLineNamingWhatWasGivenAndWhatIsAccepted) {
  const std::string problem = ProblemOf(GetParam().text);
  EXPECT_THAT(problem, HasSubstr(GetParam().given));
  EXPECT_THAT(problem, HasSubstr(GetParam().accepted));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BadProfile,
    testing::Values(
        Bad{"Empty", "", "parse error", "unexpected end of input"},
        Bad{"NoJson", "name = mine", "parse error", "line 1"},
        Bad{"CutOff", "{\"name\": \"mine\",\n \"base\"", "parse error at line 2", "unexpected end"},
        Bad{"NoObject", "[1]", "a profile is [1]", "an object"},
        Bad{"NoName", "{}", "a profile", "'name'"},
        Bad{"EmptyName", R"({"name": ""})", "a profile", "'name'"},
        Bad{"NameNoText", R"({"name": 7})", "'name' is 7", "a text"},
        Bad{"SentenceNoText", R"({"name": "m", "sentence": [1]})", "'sentence' is [1]", "a text"},
        Bad{"UnknownKey", R"({"name": "m", "naem": 1})", "a profile has no 'naem'",
            "name, base, sentence, timing, limits, dialect, capabilities, deviations"},
        Bad{"UnknownBase", R"({"name": "m", "base": "2.4"})", "'base' is '2.4'",
            "6.1-rxe, 6.12-rxe, 7.2-rxe, 5.10-rxe, 6.1-siw, 6.1-ib, strict"},
        Bad{"TimingNoObject", R"({"name": "m", "timing": 5})", "'timing' is 5", "an object"},
        Bad{"UnknownTiming", R"({"name": "m", "timing": {"quiet": 5}})", "'timing' has no 'quiet'",
            "quiet_ms"},
        Bad{"TimingTooLarge", R"({"name": "m", "timing": {"ack_delay": 32}})", "'ack_delay' is 32",
            "from 0 to 31"},
        Bad{"SpanNegative", R"({"name": "m", "timing": {"prompt_ms": -1}})", "'prompt_ms' is -1",
            "from 0 to 3600000"},
        Bad{"UnknownLimit", R"({"name": "m", "limits": {"backlog": 5}})",
            "'limits' has no 'backlog'", "max_backlog"},
        Bad{"LimitTooSmall", R"({"name": "m", "limits": {"max_backlog": 0}})", "'max_backlog' is 0",
            "from 1 to"},
        Bad{"UnknownDialect", R"({"name": "m", "dialect": {"rude": true}})",
            "'dialect' has no 'rude'", "link_down_fails_sends"},
        Bad{"DialectNoBoolean", R"({"name": "m", "dialect": {"link_down_fails_sends": 1}})",
            "'link_down_fails_sends' is 1", "true or false"},
        Bad{"UnknownCapability", R"({"name": "m", "capabilities": "drop fly"})", "'drop fly'",
            "drop drop-nth delay"},
        Bad{"CapabilitiesNoText", R"({"name": "m", "capabilities": ["drop"]})",
            "'capabilities' is [\"drop\"]", "a text"},
        Bad{"DeviationsNoList", R"({"name": "m", "deviations": {}})", "'deviations' is {}",
            "a list"},
        Bad{"DeviationNoObject", R"({"name": "m", "deviations": ["LEAK-1"]})",
            "a deviation is \"LEAK-1\"", "an object"},
        Bad{"UnknownDeviation", R"({"name": "m", "deviations": [{"id": "X-1", "reason": "r"}]})",
            "'X-1'", "`cmcheck list properties`"},
        Bad{"DeviationWithoutReason", R"({"name": "m", "deviations": [{"id": "LEAK-1"}]})",
            "LEAK-1", "'reason'"}),
    [](const auto& bad) { return std::string(bad.param.what); });

TEST(ProfileFile, IsFoundByNameBeforeItIsLookedForAsAFile) {
  auto loaded = LoadProfile("strict");
  ASSERT_TRUE(std::holds_alternative<Profile>(loaded));
  EXPECT_EQ(std::get<Profile>(loaded).name, "strict");
}

TEST(ProfileFile, IsNamedInWhatIsWrongWithIt) {
  const std::string path = testing::TempDir() + "/profile.json";
  std::ofstream(path) << R"({"name": "m", "base": "2.4"})";
  EXPECT_THAT(std::get<std::string>(LoadProfile(path)),
              AllOf(HasSubstr(path + ": "), HasSubstr("'2.4'")));
  std::ofstream(path) << R"({"name": "m"})";
  EXPECT_TRUE(std::holds_alternative<Profile>(LoadProfile(path)));
}

TEST(ProfileFile, ThatIsNotThereOrIsADirectoryIsNotRead) {
  EXPECT_THAT(
      std::get<std::string>(LoadProfile("missing.json")),
      AllOf(HasSubstr("'missing.json'"), HasSubstr("6.1-rxe, 6.12-rxe"), Not(HasSubstr("\n"))));
  EXPECT_THAT(std::get<std::string>(LoadProfile(testing::TempDir())), HasSubstr("is a directory"));
}

TEST(JointProfile, OfEqualOnesIsThatOne) {
  EXPECT_EQ(std::get<Profile>(LoadProfile("7.2-rxe+7.2-rxe")), *FindProfile("7.2-rxe"));
}

TEST(JointProfile, PermitsTheTimesOfBothAndDrawsWhatBothDoAlike) {
  const Profile& old = *FindProfile("6.1-rxe");
  const Profile& later = *FindProfile("6.12-rxe");
  const auto joint = std::get<Profile>(LoadProfile("6.12-rxe+6.1-rxe"));
  EXPECT_EQ(joint.name, "6.12-rxe+6.1-rxe");
  EXPECT_LE(joint.timing.Timewait(), later.timing.Timewait());
  EXPECT_GE(joint.timing.Latest(joint.timing.Timewait()), old.timing.Timewait());
  EXPECT_TRUE(joint.capabilities.Has(Capability::kLanes));
  for (const Capability one : {Capability::kTime, Capability::kData, Capability::kLink})
    EXPECT_FALSE(joint.capabilities.Has(one));
}

TEST(JointProfile, TakesTheDialectOfTheSideThatShowsItAndTheNarrowerLimit) {
  const auto earlier_connects = std::get<Profile>(LoadProfile("5.10-rxe+6.12-rxe"));
  EXPECT_TRUE(earlier_connects.dialect.route_timeout_may_be_zero);
  EXPECT_TRUE(earlier_connects.dialect.accept_releases_datagram_request);
  const auto earlier_listens = std::get<Profile>(LoadProfile("6.12-rxe+5.10-rxe"));
  EXPECT_FALSE(earlier_listens.dialect.route_timeout_may_be_zero);
  EXPECT_FALSE(earlier_listens.dialect.accept_releases_datagram_request);
  for (const Profile& joint : {earlier_connects, earlier_listens}) {
    EXPECT_TRUE(joint.dialect.unknown_path_is_fatal) << joint.name;
    EXPECT_EQ(joint.limits.max_address_handles, 100) << joint.name;
    for (const Capability one : {Capability::kData, Capability::kNeighbour})
      EXPECT_FALSE(joint.capabilities.Has(one)) << joint.name;
  }
}

TEST(JointProfile, OfTwoThatCannotConnectIsRefused) {
  EXPECT_THAT(std::get<std::string>(LoadProfile("6.1-rxe+6.1-siw")),
              HasSubstr("6.1-rxe and 6.1-siw differ in more"));
}

TEST(JointProfile, IsOneForEachSide) {
  const auto loaded = LoadProfilesOfSides("6.12-rxe+6.1-rxe");
  const auto& [active, passive] = std::get<std::pair<Profile, Profile>>(loaded);
  EXPECT_EQ(active.name, "6.12-rxe");
  EXPECT_EQ(passive.name, "6.1-rxe");
  EXPECT_FALSE(IsProfileName("6.12-rxe+mine.json"));
}

}  // namespace
}  // namespace cm
