#include "hw_tests/lab/guest_tools.h"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

#include "hw_tests/lab/process.h"

namespace lab {
namespace {

using std::chrono::milliseconds;

// Longer than any command that does not wait for another process; on the guest's clock.
constexpr milliseconds kPatience{60'000};

milliseconds MillisecondsOf(cm::Duration duration) { return milliseconds(duration.milliseconds()); }

class Command {
 public:
  static Outcome<Command> Start(const std::string& text) {
    Command command(text);
    Launch launch;
    launch.arguments = {"/bin/sh", "-c", text};
    launch.output = command.printed_.get();
    Outcome<Process> process = Process::Start(launch);
    if (!process.ok()) return process.problem();
    command.process_ = std::move(process.value());
    return command;
  }

  const std::string& text() const { return text_; }

  std::optional<Ran> Wait(milliseconds limit) {
    const std::optional<int> status = process_.Wait(limit);
    if (!status) return std::nullopt;
    const int code = WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
    return Ran{code, ReadFromStart(printed_)};
  }

  // Does not wait: a process blocked inside the kernel ends when the kernel releases it.
  void Kill() { process_.Signal(SIGKILL); }

 private:
  explicit Command(std::string text) : text_(std::move(text)), printed_(MemoryFile("")) {}

  std::string text_;
  Descriptor printed_;
  Process process_;
};

class RealGuestTools : public GuestTools {
 public:
  explicit RealGuestTools(CmFilter filter) : filter_(std::move(filter)) {}

  Ran Run(const std::string& command) override {
    Outcome<Command> started = Command::Start(command);
    if (!started.ok()) return {127, started.problem().line};
    const std::optional<Ran> ran = started.value().Wait(kPatience);
    if (!ran) return {124, "it does not end"};
    return *ran;
  }

  std::optional<Ran> RunBehind(const std::string& command, cm::Duration within) override {
    Outcome<Command> started = Command::Start(command);
    if (!started.ok()) return Ran{127, started.problem().line};
    std::optional<Ran> ran = started.value().Wait(MillisecondsOf(within));
    if (!ran) behind_.push_back(std::move(started.value()));
    return ran;
  }

  std::vector<std::string> AwaitBehind(cm::Duration within) override {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point until = Clock::now() + MillisecondsOf(within);
    std::erase_if(behind_, [&](Command& command) {
      const auto limit = std::chrono::duration_cast<milliseconds>(until - Clock::now());
      return command.Wait(std::max(limit, milliseconds(0))).has_value();
    });
    std::vector<std::string> left;
    for (const Command& command : behind_) left.push_back(command.text());
    return left;
  }

  void KillBehind() override {
    for (Command& command : behind_) command.Kill();
  }

  std::optional<Problem> AddRule(const CmRule& rule) override { return filter_.Add(rule); }
  std::optional<Problem> ClearRules() override { return filter_.ClearAll(); }

  std::string Read(const std::string& path) override {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  CmFilter filter_;
  std::vector<Command> behind_;
};

}  // namespace

Outcome<std::unique_ptr<GuestTools>> MakeGuestTools() {
  Outcome<CmFilter> filter = CmFilter::Open();
  if (!filter.ok()) return Problem{"this is no guest of the lab: " + filter.problem().line};
  std::unique_ptr<GuestTools> tools = std::make_unique<RealGuestTools>(std::move(filter.value()));
  return tools;
}

}  // namespace lab
