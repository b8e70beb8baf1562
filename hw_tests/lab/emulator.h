// One QEMU process, its monitor and its agent. Other code uses Guest.
#ifndef HW_TESTS_LAB_EMULATOR_H_
#define HW_TESTS_LAB_EMULATOR_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/process/process.h"
#include "hw_tests/lab/frame.h"
#include "hw_tests/lab/image.h"
#include "hw_tests/lab/machine.h"
#include "hw_tests/lab/monitor.h"
#include "hw_tests/lab/problem.h"

namespace lab {

struct RunSettings {
  // Measured on the host: a limit inside the guest would be virtual time.
  std::chrono::milliseconds wall_limit = std::chrono::seconds(60);
  // Receive the output as it arrives; without them it is collected.
  std::function<void(std::string_view)> output;
  std::function<void(std::string_view)> error;
  std::function<bool()> cancelled;  // called ten times a second
};

struct Ended {
  int status = 0;  // like the shell's $?
  std::string output;
  std::string error;
  std::chrono::nanoseconds guest_time{};
  std::chrono::milliseconds wall_time{};
};

// The path of QEMU, or one line that says how to install it.
Outcome<std::string> FindEmulator(const std::string& search_path);

class Emulator {
 public:
  struct Settings {
    std::string program;
    std::filesystem::path share;
    bool share_writable = false;
    std::filesystem::path saved;  // a saved machine to restore; empty: boot
    MachineKind kind = MachineKind::kAlone;
    NodePlaces node;
  };

  // Starts QEMU. A saved machine is paused then; one that boots runs, see AwaitAgent.
  static Outcome<Emulator> Start(const Image& image, const Settings& settings);

  // After a boot: waits until the agent accepts commands.
  std::optional<Problem> AwaitAgent(std::chrono::milliseconds limit, const Caller& caller);

  // Resumes the machine, runs a command, pauses the machine again: an idle guest would race through
  // virtual time and use a whole CPU. On a timeout or when cancelled, the command is killed.
  Outcome<Ended> Run(const std::string& command, const RunSettings& settings);

  // Saves the machine, which stays paused for good, to a file.
  std::optional<Problem> Save(int file);

  pid_t pid() const { return process_.pid(); }

  // What the guest's kernel has said.
  std::string console() const;

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
  // With the failure of the guest's kernel, or the last output of QEMU, or else of that kernel.
  Problem Explained(const Problem& problem) const;

  cm::Process process_;
  Monitor monitor_;
  cm::Descriptor agent_;
  cm::Descriptor console_;
  cm::Descriptor said_;  // QEMU's own output
  FrameDecoder decoder_;
  uint32_t command_ = 0;
};

}  // namespace lab

#endif  // HW_TESTS_LAB_EMULATOR_H_
