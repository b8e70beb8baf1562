// For tests: runs the command as a shell would, and collects its output and files.
#ifndef TOOLS_CMCHECK_CMCHECK_PROCESS_H_
#define TOOLS_CMCHECK_CMCHECK_PROCESS_H_

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/process/process.h"

namespace cm {

struct Ended {
  int exit_code = 0;  // 128 + n when signal n ended it
  std::string output;
  std::string error;
};

// A running command.
class Running {
 public:
  // Captures its output; `environment` is NAME=VALUE added to ours.
  Running(const std::vector<std::string>& command, const std::vector<std::string>& environment,
          const std::filesystem::path& folder);

  // Returns when it has written this many lines to stderr, or has ended.
  void AwaitErrorLines(size_t lines);
  // Waits for the file. False when the command has ended without it.
  bool AwaitFile(const std::filesystem::path& file) const;
  const std::string& error() const { return ended_.error; }  // so far
  void Signal(int signal) const { process_.Signal(signal); }
  Ended Wait();  // again: the same

 private:
  bool Read();  // false when both streams have ended

  Process process_;
  std::array<Descriptor, 2> streams_;
  Ended ended_;
};

// A folder of its own for each test; cmcheck runs in it.
class CmcheckFolder {
 public:
  CmcheckFolder();
  ~CmcheckFolder();

  const std::filesystem::path& path() const { return path_; }
  Ended Cmcheck(const std::vector<std::string>& arguments,
                const std::vector<std::string>& environment = {}) const;
  // The same, while the test goes on.
  std::vector<std::string> CommandOf(const std::vector<std::string>& arguments) const;
  // The files of the folder, sorted.
  std::vector<std::string> Files() const;
  std::string Read(const std::string& file) const;
  void Write(const std::string& file, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

// The path of a data dependency, valid in any folder.
std::filesystem::path DataFile(const std::string& path);

std::vector<std::string> LinesOf(const std::string& text);

}  // namespace cm

#endif  // TOOLS_CMCHECK_CMCHECK_PROCESS_H_
