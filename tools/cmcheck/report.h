// The report folder of a run.
#ifndef TOOLS_CMCHECK_REPORT_H_
#define TOOLS_CMCHECK_REPORT_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "conformance/process/descriptor.h"
#include "conformance/runner/campaign.h"
#include "conformance/runner/tally.h"

namespace cm {

// Writes the whole file or returns the error; never leaves a partial file.
std::string WriteFile(const std::filesystem::path& path, const std::string& text);
// The error that WriteFile would return, as far as it is known beforehand; empty when none is.
std::string WhyUnwritable(const std::filesystem::path& path);

// Whether one of the two is in the other, or is the other.
bool Overlap(const std::filesystem::path& one, const std::filesystem::path& other);
// Removes what runs have written into a folder of a report, and the folder when nothing else is
// there: a report may stand among the user's own files.
void Forget(const std::filesystem::path& folder);

// results.json, table.txt, and a conversation for each finding:
//   findings/rows-1-rdma_connect.conv     the shortest one, with its outcome
//   findings/rows-1-rdma_connect-2.conv   of another cause at the same call
class Report {
 public:
  explicit Report(std::filesystem::path folder) : folder_(std::move(folder)) {}
  // Creates the folder if necessary, and keeps other runs from it until the end. Empty, or the
  // error, also where results could not be written.
  std::string Create();
  // Undoes Create, when the run has no result.
  void Discard();
  // Removes the findings of an earlier run, and without `goes_on` all else that it has left. What
  // is given to be carried out stays.
  void ForgetEarlier(bool goes_on, const std::filesystem::path& given);

  const std::filesystem::path& folder() const { return folder_; }
  // Writes a conversation that shows the finding; `cmcheck replay` takes the path.
  std::string WriteFinding(const Finding& finding, const History& history,
                           std::filesystem::path* path);
  std::string WriteConversation(uint64_t index, const History& history);

 private:
  std::filesystem::path folder_;
  std::filesystem::path made_;        // the outermost created folder
  Descriptor lock_;                   // of the folder, while the run goes on
  std::map<std::string, int> named_;  // findings by the beginning of their files' names
};

// Sequences that show each cause: a few for each, preferably of different walks, to find a short
// conversation.
class Examples {
 public:
  void Add(const SequenceRun& judged);
  const std::vector<SequenceRun>* Of(const Finding& finding) const;

 private:
  std::map<std::string, std::vector<SequenceRun>> examples_;  // by cause
};

}  // namespace cm

#endif  // TOOLS_CMCHECK_REPORT_H_
