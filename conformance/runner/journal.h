// What became of each sequence, one JSON line each, written before the next one begins: nothing is
// lost when a run is killed, and runs of parts can be put together.
#ifndef CONFORMANCE_RUNNER_JOURNAL_H_
#define CONFORMANCE_RUNNER_JOURNAL_H_

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "conformance/runner/verdict.h"

namespace cm {

// One line, without its end.
std::string ToJsonLine(const SequenceResult& result);
std::variant<SequenceResult, std::string> ParseJsonLine(const std::string& line);

// The first line says which rows and properties the others count: a journal of another build is not
// read. `campaign` names what was drawn; a journal of another campaign is not continued.
class Journal {
 public:
  // Opens it for more lines; a new one gets its first line.
  static std::variant<std::unique_ptr<Journal>, std::string> Open(const std::string& path,
                                                                  const std::string& campaign);
  // Empty, or why it could not be written.
  std::string Add(const SequenceResult& result);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit Journal(std::FILE* file) : file_(file) {}
  std::unique_ptr<std::FILE, Close> file_;
};

// By number. A last line that ends early, as a kill leaves it, is left out.
using JournalContent = std::map<uint64_t, SequenceResult>;
// No file is an empty journal.
std::variant<JournalContent, std::string> ReadJournal(const std::string& path,
                                                      const std::string& campaign);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_JOURNAL_H_
