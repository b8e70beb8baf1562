// Measures everything that the tree has. What is permitted is listed with a reason, and what is
// listed is permitted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/sharpness/admissible.h"
#include "conformance/sharpness/measure.h"
#include "conformance/sharpness/sharpness.h"
#include "model/base/files.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

using testing::IsEmpty;

constexpr size_t kAtLeast = 9500;  // of ten thousand

Sharpness MeasureFolders(const std::vector<fs::path>& folders) {
  std::vector<fs::path> files;
  for (const fs::path& folder : folders)
    for (const fs::path& file : MeasurableFiles(folder)) files.push_back(file);
  MeasureOptions options;
  options.jobs = 2;
  return Measure(files, options);
}

// The patterns of the folder's list that have permitted nothing.
std::set<std::string> Unused(const Sharpness& sharpness, const fs::path& folder) {
  std::set<std::string> unused;
  const AdmissibleAlterations list(ReadFile(folder / "admissible.txt").value());
  for (const ListedAlterations& listed : list.listed()) {
    EXPECT_GT(listed.reason.size(), 40u) << listed.pattern;
    EXPECT_TRUE(unused.insert(listed.pattern).second) << "listed twice: " << listed.pattern;
  }
  for (const FileSharpness& file : sharpness.files())
    for (const PermittedAlteration& one : file.permitted) unused.erase(one.pattern);
  return unused;
}

// Of every kind, whether or not the others are listed.
void ExpectHighEnough(const Sharpness& sharpness) {
  for (const FileSharpness& file : sharpness.files())
    EXPECT_EQ(file.problem, FileProblem::kNone) << file.path << ": " << file.why;
  for (const MeasuredFormatRow& format : kMeasuredFormats)
    for (const AlterationKind& kind : AlterationKinds())
      EXPECT_GE(sharpness.of(format.format, kind.name).basis_points(), kAtLeast)
          << kind.name << " of " << format.plural;
}

TEST(Sharpness, OfRecordingsAndCapturesIsThatOfThePage) {
  const fs::path recordings = "conformance/recordings";
  const fs::path captures = "model/mad/captures";
  const Sharpness sharpness = MeasureFolders({recordings, captures});
  ExpectHighEnough(sharpness);
  for (const FileSharpness& file : sharpness.files()) {
    for (const PermittedAlteration& one : file.permitted)
      EXPECT_FALSE(one.reason.empty()) << one.name << " is permitted and not listed";
    for (const std::string& name : file.listed_and_refused)
      ADD_FAILURE() << name << " is listed and refused";
  }
  EXPECT_THAT(Unused(sharpness, recordings), IsEmpty());
  EXPECT_EQ(SharpnessMarkdown(sharpness), ReadFile("docs/sharpness.md").value())
      << "tools/run sharpness conformance/recordings model/mad/captures --page docs/sharpness.md";
}

TEST(Sharpness, OfGoldenConversationsIsHighEnough) {
  const fs::path scenarios = "conformance/scenarios";
  const Sharpness sharpness = MeasureFolders({scenarios});
  ExpectHighEnough(sharpness);
  EXPECT_GT(sharpness.measured(MeasuredFormat::kConversation), 300u);
  EXPECT_THAT(Unused(sharpness, scenarios), IsEmpty());
}

}  // namespace
}  // namespace cm
