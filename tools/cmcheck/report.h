// The folder that a run leaves behind.
#ifndef TOOLS_CMCHECK_REPORT_H_
#define TOOLS_CMCHECK_REPORT_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "conformance/runner/campaign.h"
#include "conformance/runner/tally.h"

namespace cm {

// Writes the whole file or says why not; nothing half-written stays under the name.
std::string WriteFile(const std::filesystem::path& path, const std::string& text);
// What WriteFile would say, as far as that can be known beforehand; empty when it could be written.
std::string WhyUnwritable(const std::filesystem::path& path);

// results.json, table.txt, and a conversation for each finding:
//   findings/rows-1-rdma_connect.conv   the shortest that was met, with what came of it
class Report {
 public:
  // Empty `problem` on success; the folder is made if it is not there.
  explicit Report(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::string Prepare();
  // Takes back what Prepare made, when nothing came of the run.
  void Discard();

  const std::filesystem::path& folder() const { return folder_; }
  // Writes what shows the finding; the path is what `cmcheck replay` takes.
  std::string WriteFinding(const Finding& finding, const History& history,
                           std::filesystem::path* path);
  std::string WriteConversation(uint64_t index, const History& history);

 private:
  std::filesystem::path folder_;
  std::filesystem::path made_;  // the outermost folder that was not there before
};

// The sequences that show each finding: a few for each, preferably of different walks, so that one
// of them leads to a short conversation.
class Examples {
 public:
  void Add(const Judged& judged);
  const std::vector<Judged>* Of(const Finding& finding) const;

 private:
  static std::string KeyOf(const Finding& finding);
  std::map<std::string, std::vector<Judged>> examples_;
};

}  // namespace cm

#endif  // TOOLS_CMCHECK_REPORT_H_
