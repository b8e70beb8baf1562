// Drawn conversations are printed and parsed without loss, and drawn reproducibly.
#include "conformance/walks/walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "conformance/walks/generator_model.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

DrawOptions Options(uint64_t index) {
  const Profile& profile = *FindProfile("6.1-rxe");
  DrawOptions options{.profile = profile,
                      .capabilities = profile.capabilities.With(Capability::kCrashes)
                                          .With(Capability::kMisuse)
                                          .With(Capability::kLaterCalls)
                                          .With(Capability::kSilenceSm),
                      .seed = 3,
                      .index = index};
  for (const Topology& topology : Topologies()) options.topologies.push_back({&topology, 1});
  return options;
}

void ReadsBack(const Conversation& drawn) {
  const std::string text = ToText(drawn);
  const auto parsed = ParseConversation(text);
  const auto* problem = std::get_if<TextProblem>(&parsed);
  ASSERT_EQ(problem, nullptr) << problem->line << ": " << problem->what << "\n" << text;
  const auto& read = std::get<Conversation>(parsed);
  ASSERT_EQ(ToText(read), text);
  ASSERT_EQ(read.topology, drawn.topology);
  ASSERT_EQ(read.names, drawn.names);
  ASSERT_EQ(read.origin, drawn.origin);
  ASSERT_EQ(read.capabilities, drawn.capabilities);
  ASSERT_EQ(read.lines.size(), drawn.lines.size());
  for (size_t i = 0; i < read.lines.size(); ++i)
    ASSERT_EQ(read.lines[i].index(), drawn.lines[i].index());
}

TEST(ADrawnConversation, ReadsBackAsItWasWritten) {
  for (const Walk& walk : Walks()) {
    for (uint64_t index = 0; index < 300; ++index) {
      DrawOptions options = Options(index);
      options.walk = walk.name;
      ASSERT_NO_FATAL_FAILURE(ReadsBack(Draw(options)));
    }
  }
}

TEST(ADrawnConversation, IsOfEveryWalkSomeTimeUnlessThatIsDrawnByName) {
  std::set<std::string> drawn;
  for (uint64_t index = 0; index < 1500; ++index) drawn.insert(Draw(Options(index)).origin->walk);
  for (const Walk& walk : Walks())
    EXPECT_EQ(drawn.contains(std::string(walk.name)), walk.weight != 0) << walk.name;
}

TEST(ADrawnConversation, HasEveryKindOfFaultSomeTime) {
  std::set<FaultKind> drawn;
  for (const Walk& walk : Walks()) {
    for (uint64_t index = 0; index < 50; ++index) {
      DrawOptions options = Options(index);
      options.walk = walk.name;
      for (const Line& line : Draw(options).lines)
        if (const auto* injects = std::get_if<line::Injects>(&line))
          drawn.insert(injects->fault.kind);
    }
  }
  for (const FaultRow& row : kFaultKinds)
    EXPECT_TRUE(drawn.contains(row.kind)) << "no walk draws " << row.name;
}

TEST(ADrawnConversation, IsAFunctionOfItsOptions) {
  for (uint64_t index = 0; index < 200; ++index)
    ASSERT_EQ(ToText(Draw(Options(index))), ToText(Draw(Options(index))));
  EXPECT_NE(ToText(Draw(Options(0))), ToText(Draw(Options(1))));
}

// Text cut anywhere after the header is either a shorter conversation or an error with its line.
TEST(ADrawnConversation, IsReadOrRefusedWhenItIsCut) {
  const std::string text = ToText(Draw(Options(5)));
  for (size_t size = 0; size < text.size(); ++size) {
    const auto parsed = ParseConversation(text.substr(0, size));
    if (std::holds_alternative<Conversation>(parsed)) {
      const std::string again = ToText(std::get<Conversation>(parsed));
      EXPECT_TRUE(ParseConversation(again).index() == 0);
    } else {
      EXPECT_LE(std::get<TextProblem>(parsed).line, std::ranges::count(text, '\n'));
    }
  }
}

TEST(ADrawnConversation, IsDrawnAgainWhereItDoesNotSuit) {
  const auto rejects_for_options = [](const Conversation& drawn) {
    return ToText(drawn).find(" rdma_reject_ece ") != std::string::npos;
  };
  int without = 0;
  for (uint64_t index = 0; index < 100; ++index) {
    DrawOptions options = Options(index);
    options.walk = "refusal";
    const Conversation drawn = Draw(options);
    options.suits = [&](const Conversation& one) { return !rejects_for_options(one); };
    const Conversation suiting = Draw(options);
    EXPECT_FALSE(rejects_for_options(suiting));
    EXPECT_EQ(ToText(suiting) == ToText(drawn), !rejects_for_options(drawn));
    without += rejects_for_options(drawn) ? 0 : 1;
  }
  EXPECT_LT(without, 100);
}

// The end of a process does not bring it back.
TEST(TheGeneratorModel, TakesADeviceForGoneUntilItIsAdded) {
  const Names names;
  GeneratorModel model(&names);
  EXPECT_FALSE(model.DeviceGone(kPassiveSide));
  model.Injects({.kind = FaultKind::kRemoveDevice, .side = kPassiveSide});
  EXPECT_TRUE(model.DeviceGone(kPassiveSide));
  EXPECT_FALSE(model.DeviceGone(kActiveSide));
  model.Injects({.kind = FaultKind::kExit, .side = kPassiveSide});
  EXPECT_TRUE(model.DeviceGone(kPassiveSide));
  model.Injects({.kind = FaultKind::kAddDevice, .side = kPassiveSide});
  EXPECT_FALSE(model.DeviceGone(kPassiveSide));
}

}  // namespace
}  // namespace cm
