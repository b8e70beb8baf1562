// For tests: runs the command as a shell would, and sees what it leaves behind.
#ifndef TOOLS_CMCHECK_CMCHECK_PROCESS_H_
#define TOOLS_CMCHECK_CMCHECK_PROCESS_H_

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace cm {

struct Ended {
  int exit_code = 0;  // 128 + n when signal n ended it
  std::string output;
  std::string error;
};

// A command in the middle of its work.
class Running {
 public:
  // Takes what it writes; `environment` is NAME=VALUE besides ours.
  Running(const std::vector<std::string>& command, const std::vector<std::string>& environment,
          const std::filesystem::path& folder);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

  // Returns when it has written so many lines to stderr, or has ended.
  void AwaitErrorLines(size_t lines);
  void Signal(int signal) const;
  Ended Wait();

 private:
  bool Read();  // false when both streams have ended

  pid_t pid_ = 0;
  int streams_[2] = {-1, -1};
  Ended ended_;
};

// A folder of its own for each test, and cmcheck run in it.
class CmcheckFolder {
 public:
  CmcheckFolder();
  ~CmcheckFolder();

  const std::filesystem::path& path() const { return path_; }
  Ended Cmcheck(const std::vector<std::string>& arguments,
                const std::vector<std::string>& environment = {}) const;
  // The same, going on while the test looks at it.
  std::vector<std::string> CommandOf(const std::vector<std::string>& arguments) const;
  // What is in the folder, sorted.
  std::vector<std::string> Files() const;
  std::string Read(const std::string& file) const;
  void Write(const std::string& file, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

// The path of a data dependency, from any folder.
std::filesystem::path DataFile(const std::string& path);

std::vector<std::string> LinesOf(const std::string& text);

}  // namespace cm

#endif  // TOOLS_CMCHECK_CMCHECK_PROCESS_H_
