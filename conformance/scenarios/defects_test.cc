// Each defect of the simulator has a conversation that a person wrote to show it, and that cannot
// be shortened by leaving out any line. The shrinker is measured against them.
#include "conformance/defects/defects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "conformance/scenarios/on_sim.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

using testing::IsEmpty;
using testing::Not;

const std::string kFolder = "conformance/defects";

std::string FileOf(const std::string& defect) { return kFolder + "/" + defect + ".conv"; }

Conversation WithoutLine(const Conversation& conversation, size_t line) {
  Conversation shorter = conversation;
  shorter.lines.erase(shorter.lines.begin() + static_cast<std::ptrdiff_t>(line));
  return shorter;
}

bool Shows(const Conversation& conversation, const std::string& defect) {
  return !Objections(OnSim(conversation, defect)).empty() &&
         Objections(OnSim(conversation)).empty();
}

class ShortestConversation : public testing::TestWithParam<std::string> {
 protected:
  const Conversation conversation_ = ConversationOf(TextOf(FileOf(GetParam())));
};

TEST_P(ShortestConversation, ShowsItsDefect) {
  EXPECT_THAT(Objections(OnSim(conversation_, GetParam())), Not(IsEmpty()));
}

TEST_P(ShortestConversation, ShowsNothingWithoutIt) {
  EXPECT_THAT(Objections(OnSim(conversation_)), IsEmpty());
}

TEST_P(ShortestConversation, NeedsEachOfItsLines) {
  for (size_t line = 0; line < conversation_.lines.size(); ++line) {
    EXPECT_FALSE(Shows(WithoutLine(conversation_, line), GetParam()))
        << "it can do without: " << ToString(conversation_.lines[line], conversation_);
  }
}

TEST_P(ShortestConversation, IsWrittenAsItIsPrinted) {
  EXPECT_EQ(ToText(conversation_), TextOf(FileOf(GetParam())));
}

std::vector<std::string> AllDefects() {
  std::vector<std::string> names;
  for (const Defect& defect : Defects()) names.emplace_back(defect.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Defect, ShortestConversation, testing::ValuesIn(AllDefects()),
                         [](const auto& defect) {
                           std::string name = defect.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(ShortestConversations, AreOfDefectsThatThereAre) {
  std::set<std::string> files;
  for (const std::string& defect : AllDefects()) files.insert(FileOf(defect));
  for (const std::string& file : ConversationFiles(kFolder))
    EXPECT_TRUE(files.contains(file)) << file;
}

}  // namespace
}  // namespace cm
