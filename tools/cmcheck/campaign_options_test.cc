// The arguments that draw a sequence again, read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "conformance/runner/campaign.h"
#include "model/base/own_folder.h"
#include "model/conversation/print.h"
#include "model/vocabulary/profile.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/run.h"

namespace cm {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

CampaignOptions Campaign(const RunOptions& options) {
  const Profile& profile = *FindProfile(options.asked.profile);
  auto campaign = CampaignOf(options, profile, profile.capabilities);
  if (const auto* problem = std::get_if<std::string>(&campaign)) ADD_FAILURE() << *problem;
  return std::get<CampaignOptions>(std::move(campaign));
}

// None of the words has a space.
RunOptions Read(const std::string& arguments) {
  std::istringstream words(arguments);
  RunOptions options;
  EXPECT_EQ(ParseBehindDashes(
                "run", "",
                {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()},
                &options, [] { return 0; }),
            0)
      << arguments;
  return options;
}

constexpr uint64_t kNumber = 17;

void ExpectDrawnAgain(const RunOptions& options) {
  const std::string arguments = ArgumentsOfSequence(options, kNumber);
  SCOPED_TRACE(arguments);
  const RunOptions again = Read(arguments);
  EXPECT_EQ(CampaignText(again, "dl", ""), CampaignText(options, "dl", ""));
  const CampaignOptions campaign = Campaign(again);
  EXPECT_EQ(campaign.first, kNumber);
  EXPECT_EQ(campaign.sequences, 1U);
  EXPECT_EQ(ToText(ConversationOf(campaign, kNumber)),
            ToText(ConversationOf(Campaign(options), kNumber)));
}

TEST(ArgumentsOfSequence, DrawASequenceOfTheDefaultsAgain) { ExpectDrawnAgain({}); }

TEST(ArgumentsOfSequence, DrawASequenceOfAnyCampaignAgain) {
  ExpectDrawnAgain({.seed = 5, .calls = 30});
  ExpectDrawnAgain({.asked = {.profile = "7.2-rxe"}});
  ExpectDrawnAgain({.topology = "bond:1,one-kernel-two-devices:4"});
  ExpectDrawnAgain({.walk = "link"});
  ExpectDrawnAgain({.property = "REM-1"});
  ExpectDrawnAgain({.asked = {.capabilities = "drop"}});
  ExpectDrawnAgain({.asked = {.profile = "5.10-rxe"},
                    .topology = "bond",
                    .seed = 3,
                    .calls = 12,
                    .walk = "address-change"});
}

TEST(ArgumentsOfSequence, TakeAFileUnderTheSameProfile) {
  const std::filesystem::path folder = MakeOwnFolder("arguments");
  for (const char* name : {"a.conv", "b.conv"})
    EXPECT_EQ(WriteFile(folder / name,
                        "topology bond\nprofile 7.2-rxe\nactive rdma_create_event_channel " +
                            std::string(name, 1) + "\n"),
              "");
  const RunOptions options{
      .asked = {.profile = "7.2-rxe"}, .topology = "bond", .conversations = folder.string()};
  const RunOptions again = Read(ArgumentsOfSequence(options, 1));
  EXPECT_THAT(again.conversations, EndsWith("b.conv"));
  EXPECT_EQ(again.asked.profile, options.asked.profile);
  EXPECT_EQ(ToText(ConversationOf(Campaign(again), 0)),
            ToText(ConversationOf(Campaign(options), 1)));
  std::filesystem::remove_all(folder);
}

TEST(ArgumentsOfSequence, AreWordsForAShell) {
  EXPECT_THAT(ArgumentsOfSequence({.asked = {.profile = "my own.json"}}, 0),
              HasSubstr("--profile 'my own.json'"));
}

}  // namespace
}  // namespace cm
