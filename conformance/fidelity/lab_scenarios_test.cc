#include "conformance/fidelity/lab_scenarios.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace cm {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

const TimedEvent kEvent{"active",
                        {EventType::kUnreachable, -110},
                        Duration::Microseconds(99),
                        Duration::Microseconds(7)};

LabScenarios Some() {
  return {.library = "44.0-2",
          .kernel = "6.1 \"quoted\"",
          .profile = "6.1-rxe",
          .scenarios = {{"loss/s05.conv", {{kEvent}, {kEvent, kEvent}}}, {"loss/s06.conv", {{}}}}};
}

TEST(LabScenarios, AreReadAsTheyWereWritten) {
  const auto read = ReadLabScenarios(ToJson(Some()));
  ASSERT_TRUE(std::holds_alternative<LabScenarios>(read)) << std::get<std::string>(read);
  const LabScenarios& again = std::get<LabScenarios>(read);
  EXPECT_EQ(again.kernel, "6.1 \"quoted\"");
  ASSERT_THAT(again.scenarios, SizeIs(2));
  EXPECT_EQ(again.Find("loss/s05.conv")->runs, Some().scenarios[0].runs);
  EXPECT_THAT(again.Find("loss/s06.conv")->runs, SizeIs(1));
  EXPECT_EQ(again.Find("loss/s07.conv"), nullptr);
}

TEST(LabScenarios, ThatAreDamagedAreRefused) {
  const std::string whole = ToJson(Some());
  for (const std::string part : {"library", "profile", "scenarios", "UNREACHABLE", "path"}) {
    std::string damaged = whole;
    damaged.replace(damaged.find(part), part.size(), "nothing");
    EXPECT_TRUE(std::holds_alternative<std::string>(ReadLabScenarios(damaged))) << part;
  }
  EXPECT_TRUE(std::holds_alternative<std::string>(ReadLabScenarios(whole.substr(0, 50))));
}

TEST(ScenarioComparison, SaysWhichIsWhich) {
  TimedEvent late = kEvent;
  late.at = Duration::Seconds(5);
  const ScenarioComparison comparison{
      .path = "loss/s05.conv",
      .runs = {SideBySide({kEvent}, {Duration::Milliseconds(256)}, {kEvent}, kGuestSlack),
               SideBySide({kEvent}, {Duration::Milliseconds(256)}, {late}, kGuestSlack)}};
  EXPECT_FALSE(comparison.same());
  EXPECT_THAT(ToText(comparison), HasSubstr("DIFFERENT"));
  EXPECT_THAT(ToText(comparison), HasSubstr("UNR -110"));
  EXPECT_THAT(ToMarkdown(comparison),
              HasSubstr("| active | UNR -110 | 0.000099s | 0.000099s | 5.000000s | 0.256000s | "
                        "too late |"));
}

TEST(ScenarioComparison, WithoutARunIsNotTheSame) {
  EXPECT_FALSE((ScenarioComparison{.path = "loss/s05.conv", .runs = {}}.same()));
}

}  // namespace
}  // namespace cm
