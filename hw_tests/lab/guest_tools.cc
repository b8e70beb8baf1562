#include "hw_tests/lab/guest_tools.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

#include "conformance/process/process.h"

namespace lab {
namespace {

// Longer than any command that does not wait for another process; on the guest's clock.
constexpr cm::Duration kPatience = cm::Duration::Seconds(60);

class Command {
 public:
  static Outcome<Command> Start(const std::string& text) {
    Command command(text);
    auto started = cm::Process::Start(
        {.arguments = {"/bin/sh", "-c", text}, .output = command.printed_.get()});
    if (auto* const problem = std::get_if<std::string>(&started)) return Problem{*problem};
    command.process_ = std::get<cm::Process>(std::move(started));
    return command;
  }

  const std::string& text() const { return text_; }

  std::optional<Ran> Wait(cm::Duration limit) {
    const std::optional<int> status = process_.Wait(limit);
    if (!status) return std::nullopt;
    return Ran{cm::ExitCodeOf(*status), cm::ReadFromStart(printed_)};
  }

  // Neither of these waits: a process blocked inside the kernel ends when the kernel releases it.
  void Kill() { process_.Signal(SIGKILL); }
  void Abandon() {
    Kill();
    process_.Release();
  }

 private:
  explicit Command(std::string text) : text_(std::move(text)), printed_(cm::MemoryFile("")) {}

  std::string text_;
  cm::Descriptor printed_;
  cm::Process process_;
};

class RealGuestTools : public GuestTools {
 public:
  explicit RealGuestTools(CmFilter filter) : filter_(std::move(filter)) {}
  RealGuestTools(const RealGuestTools&) = delete;
  RealGuestTools& operator=(const RealGuestTools&) = delete;
  ~RealGuestTools() override {
    for (Command& command : behind_) command.Abandon();
  }

  Ran Run(const std::string& command) override {
    Outcome<Command> started = Command::Start(command);
    if (!started.ok()) return {127, started.problem().line};
    const std::optional<Ran> ran = started.value().Wait(kPatience);
    if (ran) return *ran;
    started.value().Abandon();
    return {124, "it does not end"};
  }

  std::optional<Ran> RunBehind(const std::string& command, cm::Duration within) override {
    Outcome<Command> started = Command::Start(command);
    if (!started.ok()) return Ran{127, started.problem().line};
    std::optional<Ran> ran = started.value().Wait(within);
    if (!ran) behind_.push_back(std::move(started.value()));
    return ran;
  }

  std::vector<std::string> AwaitBehind(cm::Duration within) override {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point until = Clock::now() + std::chrono::nanoseconds(within.nanoseconds());
    std::erase_if(behind_, [&](Command& command) {
      const std::chrono::nanoseconds left = until - Clock::now();
      return command.Wait(cm::Duration::Nanoseconds(left.count())).has_value();
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
