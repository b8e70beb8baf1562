#include "tools/cmcheck/cmcheck_process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>
#include <variant>

#include "model/base/check.h"
#include "model/base/duration.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

}  // namespace

Running::Running(const std::vector<std::string>& command,
                 const std::vector<std::string>& environment, const fs::path& folder) {
  std::array<std::optional<Ends>, 2> ends = {Pipe(), Pipe()};
  CM_CHECK(ends[0] && ends[1]);
  unsetenv("BUILD_WORKING_DIRECTORY");
  auto started = Process::Start({.arguments = command,
                                 .environment = environment,
                                 .output = ends[0]->second.get(),
                                 .error = ends[1]->second.get(),
                                 .folder = folder.string()});
  const auto* const problem = std::get_if<std::string>(&started);
  CM_CHECK(problem == nullptr) << *problem;
  process_ = std::get<Process>(std::move(started));
  for (size_t i = 0; i < streams_.size(); ++i) streams_[i] = std::move(ends[i]->first);
}

bool Running::Read() {
  if (streams_[0].get() < 0 && streams_[1].get() < 0) return false;
  std::array<pollfd, 2> waits = {pollfd{.fd = streams_[0].get(), .events = POLLIN, .revents = 0},
                                 pollfd{.fd = streams_[1].get(), .events = POLLIN, .revents = 0}};
  poll(waits.data(), waits.size(), -1);
  for (size_t i = 0; i < waits.size(); ++i) {
    if (waits[i].revents == 0) continue;
    std::array<char, 4096> bytes;
    const ssize_t count = read(streams_[i].get(), bytes.data(), bytes.size());
    if (count > 0) {
      (i == 0 ? ended_.output : ended_.error).append(bytes.data(), static_cast<size_t>(count));
    } else {
      streams_[i].Close();
    }
  }
  return streams_[0].get() >= 0 || streams_[1].get() >= 0;
}

void Running::AwaitErrorLines(size_t lines) {
  while (static_cast<size_t>(std::count(ended_.error.begin(), ended_.error.end(), '\n')) < lines)
    if (!Read()) return;
}

bool Running::AwaitFile(const fs::path& file) const {
  while (!fs::exists(file)) {
    siginfo_t ended = {};
    const auto id = static_cast<id_t>(process_.pid());  // without one the question is refused
    const bool lives =
        waitid(P_PID, id, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
    if (!lives) return fs::exists(file);
    pollfd watched{.fd = process_.watch(), .events = POLLIN, .revents = 0};
    poll(&watched, 1, 1);
  }
  return true;
}

Ended Running::Wait() {
  while (Read()) {
  }
  constexpr Duration kLong = Duration::Seconds(600);
  if (process_.pid() != 0) ended_.exit_code = ExitCodeOf(process_.Wait(kLong).value_or(SIGKILL));
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
