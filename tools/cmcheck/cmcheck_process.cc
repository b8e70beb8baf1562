#include "tools/cmcheck/cmcheck_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "model/base/check.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void Become(const std::vector<std::string>& command,
                         const std::vector<std::string>& environment, const fs::path& folder,
                         int output, int error) {
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
  unsetenv("BUILD_WORKING_DIRECTORY");
  if (chdir(folder.c_str()) == 0) execv(command.front().c_str(), Pointers(command).data());
  _exit(127);
}

}  // namespace

Running::Running(const std::vector<std::string>& command,
                 const std::vector<std::string>& environment, const fs::path& folder) {
  int output[2];
  int error[2];
  CM_CHECK(pipe2(output, O_CLOEXEC) == 0 && pipe2(error, O_CLOEXEC) == 0);
  pid_ = fork();
  CM_CHECK(pid_ >= 0);
  if (pid_ == 0) Become(command, environment, folder, output[1], error[1]);
  close(output[1]);
  close(error[1]);
  streams_[0] = output[0];
  streams_[1] = error[0];
}

Running::~Running() {
  if (pid_ != 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const int stream : streams_)
    if (stream >= 0) close(stream);
}

bool Running::Read() {
  std::array<pollfd, 2> waits = {pollfd{.fd = streams_[0], .events = POLLIN, .revents = 0},
                                 pollfd{.fd = streams_[1], .events = POLLIN, .revents = 0}};
  poll(waits.data(), waits.size(), -1);
  for (size_t i = 0; i < waits.size(); ++i) {
    if (waits[i].revents == 0) continue;
    std::array<char, 4096> bytes;
    const ssize_t count = read(streams_[i], bytes.data(), bytes.size());
    if (count > 0) {
      (i == 0 ? ended_.output : ended_.error).append(bytes.data(), static_cast<size_t>(count));
    } else {
      close(streams_[i]);
      streams_[i] = -1;
    }
  }
  return streams_[0] >= 0 || streams_[1] >= 0;
}

void Running::AwaitErrorLines(size_t lines) {
  while (static_cast<size_t>(std::count(ended_.error.begin(), ended_.error.end(), '\n')) < lines)
    if (!Read()) return;
}

void Running::Signal(int signal) const { kill(pid_, signal); }

Ended Running::Wait() {
  while (Read()) {
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = 0;
  ended_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended_;
}

CmcheckFolder::CmcheckFolder() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test->test_suite_name()) + "." + test->name();
  std::replace(name.begin(), name.end(), '/', '.');
  path_ = fs::path(testing::TempDir()) / name;
  fs::remove_all(path_);
  fs::create_directories(path_);
}

CmcheckFolder::~CmcheckFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> CmcheckFolder::CommandOf(const std::vector<std::string>& arguments) const {
  std::vector<std::string> command = {DataFile("tools/cmcheck/cmcheck").string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

Ended CmcheckFolder::Cmcheck(const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment) const {
  return Running(CommandOf(arguments), environment, path_).Wait();
}

std::vector<std::string> CmcheckFolder::Files() const {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path_))
    files.push_back(entry.path().filename().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string CmcheckFolder::Read(const std::string& file) const {
  std::ifstream in(path_ / file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void CmcheckFolder::Write(const std::string& file, const std::string& text) const {
  std::ofstream(path_ / file, std::ios::binary) << text;
}

fs::path DataFile(const std::string& path) { return fs::absolute(path); }

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace cm
