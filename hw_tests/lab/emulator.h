// One QEMU process, its monitor and its agent. Guest is what others use.
#ifndef HW_TESTS_LAB_EMULATOR_H_
#define HW_TESTS_LAB_EMULATOR_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "hw_tests/lab/frame.h"
#include "hw_tests/lab/image.h"
#include "hw_tests/lab/monitor.h"
#include "hw_tests/lab/problem.h"
#include "hw_tests/lab/process.h"

namespace lab {

struct RunSettings {
  // Kept on the host: a limit inside the guest would be virtual time.
  std::chrono::milliseconds wall_limit = std::chrono::seconds(60);
  // Take the output as it comes; without them it is collected.
  std::function<void(std::string_view)> output;
  std::function<void(std::string_view)> error;
  std::function<bool()> cancelled;  // asked ten times a second
};

struct Ended {
  int status = 0;  // as in the shell's $?
  std::string output;
  std::string error;
  std::chrono::nanoseconds guest_time{};
  std::chrono::milliseconds wall_time{};
};

// The path of QEMU, or one line that says how to get it.
Outcome<std::string> FindEmulator(const std::string& search_path);

class Emulator {
 public:
  struct Settings {
    std::string program;
    std::filesystem::path share;
    bool share_writable = false;
    std::filesystem::path saved;  // a saved machine to go on with; empty: boot
  };

  // Starts it. A saved machine is paused then; one that boots runs, see AwaitAgent.
  static Outcome<Emulator> Start(const Image& image, const Settings& settings);

  // After a boot, until the agent takes commands.
  std::optional<Problem> AwaitAgent(std::chrono::milliseconds limit, const Caller& caller);

  // Lets the machine go on, runs a command, pauses the machine again: an idle guest would race
  // through virtual time and burn a processor. Out of time or cancelled, the command is killed.
  Outcome<Ended> Run(const std::string& command, const RunSettings& settings);

  // Writes the machine, which stays paused for good, into a file.
  std::optional<Problem> Save(int file);

  pid_t pid() const { return process_.pid(); }

 private:
  using Clock = std::chrono::steady_clock;

  Emulator() = default;
  std::optional<Problem> Launch(const Image& image, const Settings& settings);
  std::optional<Problem> Send(const Frame& frame);
  // The next frame; empty when there is none before `until`.
  Outcome<std::optional<Frame>> Receive(Clock::time_point until);
  Outcome<Ended> Collect(const RunSettings& settings, Clock::time_point until);
  Problem KillCommand(const Problem& why);
  std::optional<Problem> Monitored(const std::string& command);
  // With what QEMU, or else the guest's kernel, said last.
  Problem Explained(const Problem& problem) const;

  Process process_;
  Monitor monitor_;
  Descriptor agent_;
  Descriptor console_;
  Descriptor said_;  // QEMU's own output
  FrameDecoder decoder_;
  uint32_t command_ = 0;
};

}  // namespace lab

#endif  // HW_TESTS_LAB_EMULATOR_H_
