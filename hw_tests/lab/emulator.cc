#include "hw_tests/lab/emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "hw_tests/lab/kernel_failure.h"
#include "hw_tests/lab/last_line.h"

namespace lab {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAskEvery = milliseconds(100);
constexpr milliseconds kKillLimit = std::chrono::seconds(60);
constexpr milliseconds kTransferLimit = std::chrono::seconds(300);

std::string SystemError(const std::string& what) { return what + ": " + strerror(errno); }

// A command as printed in a message: one line, not too long.
std::string Shown(const std::string& command) {
  const std::string line = command.substr(0, command.find('\n'));
  return line.size() <= 60 ? line : line.substr(0, 57) + "...";
}

}  // namespace

Outcome<std::string> FindEmulator(const std::string& search_path) {
  const auto found = cm::FindProgram("qemu-system-x86_64", search_path);
  if (const auto* path = std::get_if<std::string>(&found)) return *path;
  return Problem{"qemu-system-x86_64 is not installed: run tools/setup.sh --lab"};
}

Outcome<Emulator> Emulator::Start(const Image& image, const Settings& settings) {
  Emulator emulator;
  std::optional<Problem> problem = emulator.Launch(image, settings);
  if (!problem) problem = emulator.monitor_.Greet();
  if (!problem && !settings.saved.empty()) {
    const Outcome<std::string> state =
        emulator.monitor_.AwaitOtherThan("query-status", "inmigrate", kTransferLimit);
    if (!state.ok()) problem = state.problem();
  }
  if (problem) return emulator.Explained(*problem);
  return emulator;
}

std::optional<Problem> Emulator::Launch(const Image& image, const Settings& settings) {
  std::optional<cm::Ends> agent = cm::SocketPair(SOCK_STREAM);
  std::optional<cm::Ends> monitor = cm::SocketPair(SOCK_STREAM);
  if (!agent || !monitor) return Problem{SystemError("cannot make a socket")};
  cm::Descriptor saved;
  if (!settings.saved.empty()) {
    saved = cm::Descriptor(open(settings.saved.c_str(), O_RDONLY | O_CLOEXEC));
    if (saved.get() < 0) return Problem{SystemError(settings.saved.string())};
  }
  console_ = cm::MemoryFile("");
  said_ = cm::MemoryFile("");
  MachinePlaces places;
  places.kernel = image.kernel().string();
  places.root = image.root().string();
  places.share = settings.share.string();
  places.share_writable = settings.share_writable;
  places.agent = agent->second.get();
  places.monitor = monitor->second.get();
  places.console = cm::InheritedPath(console_);
  places.incoming = saved.get();
  places.kind = settings.kind;
  places.node = settings.node;
  cm::Launch launch;
  launch.arguments = MachineOptions(places);
  launch.arguments.insert(launch.arguments.begin(), settings.program);
  launch.inherited = {places.agent, places.monitor, console_.get()};
  for (const int more : {saved.get(), settings.node.driver})
    if (more >= 0) launch.inherited.push_back(more);
  launch.output = said_.get();
  auto started = cm::Process::Start(launch);
  if (auto* const problem = std::get_if<std::string>(&started)) return Problem{*problem};
  process_ = std::get<cm::Process>(std::move(started));
  agent_ = std::move(agent->first);
  monitor_ = Monitor(std::move(monitor->first));
  return std::nullopt;
}

std::optional<Problem> Emulator::AwaitAgent(milliseconds limit, const Caller& caller) {
  const auto until = Clock::now() + limit;
  while (Clock::now() < until) {
    if (caller.cancelled && caller.cancelled()) {
      return Problem{"interrupted while the guest booted", ProblemKind::kCancelled};
    }
    const Outcome<std::optional<Frame>> frame = Receive(Clock::now() + kAskEvery);
    if (!frame.ok()) return Explained(frame.problem());
    if (frame.value() && frame.value()->type == FrameType::kReady) return Monitored("stop");
  }
  return Explained({"the guest did not boot in time", ProblemKind::kTimedOut});
}

Outcome<Ended> Emulator::Run(const std::string& command, const RunSettings& settings) {
  const auto began = Clock::now();
  if (command.size() > kFramePayloadMax) return Problem{"the command is longer than 1 MB"};
  ++command_;
  if (std::optional<Problem> problem = Monitored("cont")) return *problem;
  if (std::optional<Problem> problem = Send({FrameType::kRun, command_, command})) return *problem;
  Outcome<Ended> ended = Collect(settings, began + settings.wall_limit);
  if (!ended.ok() && ended.problem().kind == ProblemKind::kTimedOut) {
    ended = KillCommand({ended.problem().line + ": " + Shown(command), ProblemKind::kTimedOut});
  } else if (!ended.ok() && ended.problem().kind == ProblemKind::kCancelled) {
    ended = KillCommand(ended.problem());
  }
  if (!ended.ok() && Lost(ended.problem())) return ended;
  if (std::optional<Problem> problem = Monitored("stop")) return *problem;
  if (ended.ok()) {
    ended.value().wall_time = std::chrono::duration_cast<milliseconds>(Clock::now() - began);
  }
  return ended;
}

// Until the command's exit; its output goes where the settings say.
Outcome<Ended> Emulator::Collect(const RunSettings& settings, Clock::time_point until) {
  Ended ended;
  const auto take = [](const auto& consumer, std::string& collected, const std::string& bytes) {
    if (consumer) {
      consumer(bytes);
    } else {
      collected += bytes;
    }
  };
  for (;;) {
    if (settings.cancelled && settings.cancelled()) {
      return Problem{"interrupted", ProblemKind::kCancelled};
    }
    if (Clock::now() >= until) {
      return Problem{"no end within the wall-clock limit", ProblemKind::kTimedOut};
    }
    const auto next = std::min(until, Clock::now() + kAskEvery);
    const Outcome<std::optional<Frame>> received = Receive(next);
    if (!received.ok()) return Explained(received.problem());
    const std::optional<Frame>& frame = received.value();
    if (!frame || frame->command != command_) continue;
    if (frame->type == FrameType::kOutput) take(settings.output, ended.output, frame->payload);
    if (frame->type == FrameType::kError) take(settings.error, ended.error, frame->payload);
    if (frame->type != FrameType::kExit) continue;
    const std::optional<Exit> exit = DecodeExit(frame->payload);
    if (!exit) return Problem{"the agent does not speak our language", ProblemKind::kLost};
    ended.status = exit->status;
    ended.guest_time = std::chrono::nanoseconds(exit->guest_ns);
    return ended;
  }
}

// Afterwards the guest accepts the next command; otherwise the result is that it is lost.
Problem Emulator::KillCommand(const Problem& why) {
  if (std::optional<Problem> problem = Send({FrameType::kKill, command_, ""})) return *problem;
  const auto until = Clock::now() + kKillLimit;
  while (Clock::now() < until) {
    const Outcome<std::optional<Frame>> frame = Receive(until);
    if (!frame.ok()) return Explained(frame.problem());
    if (frame.value() && frame.value()->type == FrameType::kExit) return why;
  }
  return {why.line + " (and it cannot be killed)", ProblemKind::kLost};
}

std::optional<Problem> Emulator::Save(int file) {
  const auto ask = [&](const std::string& command, const nlohmann::json& arguments, int passed) {
    const Outcome<nlohmann::json> answer = monitor_.Ask(command, arguments, passed);
    return answer.ok() ? std::nullopt : std::optional<Problem>(answer.problem());
  };
  std::optional<Problem> problem = ask("getfd", {{"fdname", "saved"}}, file);
  // As fast as the disk permits; the default limit is meant for networks.
  if (!problem) problem = ask("migrate-set-parameters", {{"max-bandwidth", 1LL << 40}}, -1);
  if (!problem) problem = ask("migrate", {{"uri", "fd:saved"}}, -1);
  if (problem) return Explained(*problem);
  for (std::string state = "none";;) {
    const Outcome<std::string> next =
        monitor_.AwaitOtherThan("query-migrate", state, kTransferLimit);
    if (!next.ok()) return Explained(next.problem());
    state = next.value();
    if (state == "completed") return std::nullopt;
    if (state == "failed") return Explained({"QEMU could not save the guest", ProblemKind::kLost});
  }
}

std::optional<Problem> Emulator::Send(const Frame& frame) {
  const std::string bytes = Encode(frame);
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = send(agent_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Explained({"QEMU has ended", ProblemKind::kLost});
    sent += static_cast<size_t>(n);
  }
  return std::nullopt;
}

Outcome<std::optional<Frame>> Emulator::Receive(Clock::time_point until) {
  for (;;) {
    if (std::optional<Frame> frame = decoder_.Next()) return frame;
    if (decoder_.broken()) return Problem{"the agent's stream is broken", ProblemKind::kLost};
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
    if (left.count() <= 0) return std::optional<Frame>();
    pollfd ready = {agent_.get(), POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(left.count())) <= 0) continue;
    std::array<char, 65536> buffer;
    const ssize_t n = read(agent_.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Problem{"QEMU has ended", ProblemKind::kLost};
    decoder_.Append({buffer.data(), static_cast<size_t>(n)});
  }
}

std::optional<Problem> Emulator::Monitored(const std::string& command) {
  const Outcome<nlohmann::json> answer = monitor_.Ask(command);
  if (answer.ok()) return std::nullopt;
  return Explained(answer.problem());
}

Problem Emulator::Explained(const Problem& problem) const {
  if (const std::optional<std::string> failure = KernelFailure(console()))
    return {"the guest's kernel has failed: " + *failure, ProblemKind::kKernel};
  std::string last = LastLine(cm::ReadFromStart(said_));
  if (last.empty()) last = LastLine(console());
  if (last.empty()) return problem;
  return {problem.line + " (" + last + ")", problem.kind};
}

std::string Emulator::console() const { return cm::ReadFromStart(console_); }

}  // namespace lab
