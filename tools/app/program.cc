#include "tools/app/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace cm::app {
namespace {

// A longer piece without end of line is passed on as it is.
constexpr size_t kLongestLine = size_t{1} << 20;

}  // namespace

std::variant<Program, std::string> Program::Start(
    const ProgramToRun& program, const std::vector<std::string>& environment, int process_ids,
    std::vector<std::pair<std::string, std::string>> places) {
  std::optional<Ends> output = Pipe();
  if (!output) return fmt::format("no pipe for {}: {}", program.words[0], std::strerror(errno));
  auto started = cm::Process::Start({.arguments = program.words,
                                     .environment = environment,
                                     .output = output->second.get(),
                                     .fixed_addresses = true,
                                     .process_ids = process_ids,
                                     .places = std::move(places)});
  if (auto* const problem = std::get_if<std::string>(&started)) return std::move(*problem);
  fcntl(output->first.get(), F_SETFL, O_NONBLOCK);
  return Program(std::get<cm::Process>(std::move(started)), std::move(output->first));
}

std::vector<std::string> Program::TakeLines(size_t most) {
  std::array<char, 4096> buffer{};
  for (size_t taken = 0; output_.get() >= 0 && taken < most;) {
    const ssize_t size = read(output_.get(), buffer.data(), buffer.size());
    if (size > 0) {
      said_.append(buffer.data(), static_cast<size_t>(size));
      taken += static_cast<size_t>(size);
      continue;
    }
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) break;
    output_.Close();
  }
  if (output_.get() < 0 && !said_.empty() && said_.back() != '\n') said_ += '\n';
  std::vector<std::string> lines;
  size_t begin = 0;
  for (size_t end = said_.find('\n'); end != std::string::npos; end = said_.find('\n', begin)) {
    lines.push_back(said_.substr(begin, end - begin));
    begin = end + 1;
  }
  said_.erase(0, begin);
  if (said_.size() >= kLongestLine) lines.push_back(std::exchange(said_, {}));
  return lines;
}

bool Program::Ended() {
  if (!status_) status_ = process_.Wait({});
  return status_.has_value();
}

std::string HowItEnded(int status) {
  if (WIFEXITED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  if (!WIFSIGNALED(status)) return fmt::format("wait status {}", status);
  return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

}  // namespace cm::app
