// The result of each sequence as a JSON line. The lines are written in the order of the sequences,
// each as soon as it and all before it are judged: a kill loses what was under way, and runs of
// parts can be combined.
#ifndef CONFORMANCE_RUNNER_JOURNAL_H_
#define CONFORMANCE_RUNNER_JOURNAL_H_

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "conformance/runner/verdict.h"

namespace cm {

// One line, without its end.
std::string ToJsonLine(const SequenceResult& result);
std::variant<SequenceResult, std::string> ParseJsonLine(const std::string& line);

// The first line lists the rows and properties that the other lines refer to: a journal of another
// build is not read. `campaign` identifies the drawn sequences; a journal of another campaign is
// not continued.
class Journal {
 public:
  // Opens it for appending; writes the first line of a new one.
  static std::variant<std::unique_ptr<Journal>, std::string> Open(const std::string& path,
                                                                  const std::string& campaign);
  // Empty, or the error of the last write.
  std::string Add(const SequenceResult& result);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit Journal(std::FILE* file) : file_(file) {}
  std::unique_ptr<std::FILE, Close> file_;
};

// By number. A partial last line, as a kill leaves it, is left out.
using JournalContent = std::map<uint64_t, SequenceResult>;
// A missing file is an empty journal.
std::variant<JournalContent, std::string> ReadJournal(const std::string& path,
                                                      const std::string& campaign);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_JOURNAL_H_
