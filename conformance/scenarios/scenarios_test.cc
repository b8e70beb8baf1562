// Every golden conversation, on the simulator: its history equals the file's, and conforms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/scenarios/golden.h"
#include "conformance/scenarios/on_sim.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

using testing::IsEmpty;

const std::string kFolder = "conformance/scenarios";

std::vector<std::string> Scenarios() { return ConversationFiles(kFolder); }

class Scenario : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto read = ReadGolden(TextOf(GetParam()));
    const auto* problem = std::get_if<TextProblem>(&read);
    ASSERT_EQ(problem, nullptr) << "line " << problem->line << ": " << problem->what;
    golden_ = std::get<Golden>(read);
  }
  Golden golden_;
};

TEST_P(Scenario, ComesToWhatItsFileSays) {
  const History history = OnSim(golden_.conversation);
  const std::string rewrite = "if the file is wrong: cmcheck rewrite " + GetParam();
  EXPECT_EQ(Difference(golden_, history, GoldenView::kExact), "") << rewrite;
  EXPECT_TRUE(Rewritten(golden_, history) == TextOf(GetParam())) << rewrite;
}

TEST_P(Scenario, ConformsToRowsAndProperties) {
  EXPECT_THAT(Objections(OnSim(golden_.conversation)), IsEmpty());
}

TEST_P(Scenario, SaysWhatItShowsAndWhereItIsFrom) {
  EXPECT_NE(golden_.conversation.comment.find("\nsource: "), std::string::npos);
}

TEST_P(Scenario, HasNoLineThatCannotBeCarriedOut) {
  const History history = OnSim(golden_.conversation);
  for (const Record& record : history.records) {
    const auto* answered = std::get_if<seen::Answered>(&record.seen);
    if (answered == nullptr) continue;
    EXPECT_NE(answered->reply, Reply::NotApplicable())
        << ToString(golden_.conversation.lines[record.line], golden_.conversation);
  }
}

INSTANTIATE_TEST_SUITE_P(File, Scenario, testing::ValuesIn(Scenarios()), [](const auto& file) {
  std::string name = file.param.substr(kFolder.size() + 1);
  name.resize(name.size() - std::string(".conv").size());
  std::ranges::replace(name, '/', '_');
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace cm
