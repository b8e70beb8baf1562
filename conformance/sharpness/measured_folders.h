// Measuring everything of a folder of the tree, for tests.
#ifndef CONFORMANCE_SHARPNESS_MEASURED_FOLDERS_H_
#define CONFORMANCE_SHARPNESS_MEASURED_FOLDERS_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "conformance/sharpness/admissible.h"
#include "conformance/sharpness/measure.h"
#include "conformance/sharpness/sharpness.h"
#include "model/base/files.h"

namespace cm {

inline constexpr size_t kAtLeast = 9500;  // of ten thousand

inline Sharpness MeasureFolders(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& folder : folders)
    for (const std::filesystem::path& file : MeasurableFiles(folder)) files.push_back(file);
  MeasureOptions options;
  options.jobs = 2;
  return Measure(files, options);
}

// The patterns of the folder's list that have permitted nothing.
inline std::set<std::string> Unused(const Sharpness& sharpness,
                                    const std::filesystem::path& folder) {
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
inline void ExpectHighEnough(const Sharpness& sharpness) {
  for (const FileSharpness& file : sharpness.files())
    EXPECT_EQ(file.problem, FileProblem::kNone) << file.path << ": " << file.why;
  for (const MeasuredFormatRow& format : kMeasuredFormats)
    for (const AlterationKind& kind : AlterationKinds())
      EXPECT_GE(sharpness.of(format.format, kind.name).basis_points(), kAtLeast)
          << kind.name << " of " << format.plural;
}

}  // namespace cm

#endif  // CONFORMANCE_SHARPNESS_MEASURED_FOLDERS_H_
