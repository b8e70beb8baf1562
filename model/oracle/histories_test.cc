// Histories in files: each in `permitted` is permitted to its end, each in `refused` is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "model/base/files.h"
#include "model/conversation/parse.h"
#include "model/oracle/judge.h"
#include "model/vocabulary/profile.h"

namespace cm::model {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry :
       fs::directory_iterator("model/oracle/histories/" + folder))
    files.push_back(entry.path().string());
  std::ranges::stable_sort(files);
  return files;
}

HistoryResult ResultOf(const std::string& file) {
  const auto parsed = ParseHistory(ReadFile(file).value_or(""));
  if (const auto* problem = std::get_if<TextProblem>(&parsed)) {
    ADD_FAILURE() << file << ":" << problem->line << ": " << problem->what;
    return {};
  }
  const auto& history = std::get<History>(parsed);
  return JudgeHistory(history, *FindProfile(history.conversation.profile));
}

std::string NameOf(const testing::TestParamInfo<std::string>& info) {
  return fs::path(info.param).stem().string();
}

class PermittedHistory : public testing::TestWithParam<std::string> {};

TEST_P(PermittedHistory, IsPermittedToItsEnd) {
  const HistoryResult result = ResultOf(GetParam());
  EXPECT_EQ(result.kind, VerdictKind::kPermitted) << "record " << result.record << "\n"
                                                  << Explain(result.at_record);
}

INSTANTIATE_TEST_SUITE_P(File, PermittedHistory, testing::ValuesIn(FilesIn("permitted")), NameOf);

class RefusedHistory : public testing::TestWithParam<std::string> {};

TEST_P(RefusedHistory, IsRefused) { EXPECT_EQ(ResultOf(GetParam()).kind, VerdictKind::kRefused); }

INSTANTIATE_TEST_SUITE_P(File, RefusedHistory, testing::ValuesIn(FilesIn("refused")), NameOf);

}  // namespace
}  // namespace cm::model
