#include "tools/app/socket_ends.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "model/base/files.h"
#include "tools/app/threads.h"

namespace cm::app {
namespace {

namespace fs = std::filesystem;

// source: man signal(7), those that do not end a process by default
constexpr std::array kHarmless = {SIGCHLD, SIGCONT, SIGURG,  SIGWINCH,
                                  SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
// Those whose handlers mostly end the process.
constexpr std::array kAsking = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

// What follows the name in its line. source: man proc(5), /proc/pid/status
std::string_view In(std::string_view status, std::string_view name) {
  const size_t at = status.find(fmt::format("\n{}:\t", name));
  if (at == std::string_view::npos) return {};
  const std::string_view rest = status.substr(at + name.size() + 3);
  return rest.substr(0, rest.find('\n'));
}

bool HasBit(std::string_view hexadecimal, int signal) {
  uint64_t mask = 0;
  std::from_chars(hexadecimal.data(), hexadecimal.data() + hexadecimal.size(), mask, 16);
  return (mask >> (signal - 1) & 1U) != 0;
}

bool MayEndBy(pid_t process, int signal) {
  if (signal < 1 || signal > 64 || std::ranges::count(kHarmless, signal) != 0) return false;
  const std::string status = ReadFile(fmt::format("/proc/{}/status", process)).value_or("");
  if (HasBit(In(status, "SigIgn"), signal)) return false;
  return !HasBit(In(status, "SigCgt"), signal) || std::ranges::count(kAsking, signal) != 0;
}

// source: man proc(5), /proc/pid/fdinfo
bool ClosesAtExec(pid_t process, int fd) {
  const std::string info = ReadFile(fmt::format("/proc/{}/fdinfo/{}", process, fd)).value_or("");
  return (std::strtoul(std::string(In(info, "flags")).c_str(), nullptr, 8) & O_CLOEXEC) != 0;
}

// Calls `use` with each descriptor of a socket, and the number of the socket.
template <typename Use>
void EachSocket(pid_t process, Use use) {
  constexpr std::string_view kSocket = "socket:[";
  std::error_code error;
  for (fs::directory_iterator at(fmt::format("/proc/{}/fd", process), error), end;
       !error && at != end; at.increment(error)) {
    std::error_code none;
    const std::string what = fs::read_symlink(at->path(), none);
    if (none || !what.starts_with(kSocket)) continue;
    use(std::atoi(at->path().filename().c_str()),
        std::strtoull(what.c_str() + kSocket.size(), nullptr, 10));
  }
}

}  // namespace

// None where its end takes no way.
Descriptor SocketEnds::Duplicate(const Process& process, int pidfd, int fd) const {
  Descriptor socket(static_cast<int>(syscall(SYS_pidfd_getfd, pidfd, fd, 0)));
  return links_->HasItsEndCarried(socket.get(), process.side) ? std::move(socket) : Descriptor();
}

void SocketEnds::Keep(const Process& process, bool surely, Instant at) {
  Kept& kept = kept_[process.number];
  kept.surely |= surely;
  kept.at = at;
  kept.sockets.clear();
  const Descriptor of(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
  if (of.get() < 0) return;
  EachSocket(process.pid, [&](int fd, uint64_t /*name*/) {
    Descriptor socket = Duplicate(process, of.get(), fd);
    if (socket.get() >= 0) kept.sockets.push_back(std::move(socket));
  });
}

// A socket stays that has another descriptor, which does not close.
void SocketEnds::Executes(const Process& asking, const sim::uapi::CarryRecord& record) {
  executing_.erase(asking.number);
  if (record.attempt == 0) return;
  const Descriptor of(static_cast<int>(syscall(SYS_pidfd_open, asking.pid, 0)));
  if (of.get() < 0) return;
  Kept& kept = executing_[asking.number];
  kept.at = Instant::FromNanoseconds(record.now);
  std::set<uint64_t> stay;
  EachSocket(asking.pid, [&](int fd, uint64_t name) {
    if (!ClosesAtExec(asking.pid, fd)) stay.insert(name);
  });
  EachSocket(asking.pid, [&](int fd, uint64_t name) {
    if (stay.contains(name)) return;
    Descriptor socket = Duplicate(asking, of.get(), fd);
    if (socket.get() >= 0) kept.sockets.push_back(std::move(socket));
  });
}

void SocketEnds::HasDisconnected(const Process& process) {
  auto found = executing_.extract(process.number);
  if (!found.empty()) Close(std::move(found.mapped().sockets), process, found.mapped().at);
}

void SocketEnds::MayEnd(const Process& asking, const sim::uapi::CarryRecord& record) {
  const Instant at = Instant::FromNanoseconds(record.now);
  const auto signal = static_cast<int>(record.attempt);
  const auto named = static_cast<pid_t>(record.address);
  if (signal == 0) return Keep(asking, true, at);
  const uint8_t kernel = topology_->KernelOf(asking.side);
  for (const auto& process : processes_->all()) {
    if (process->gone || topology_->KernelOf(process->side) != kernel) continue;
    const bool is_it = named <= 0 || ThreadCalled(process->pid, named) == process->pid;
    if (is_it && MayEndBy(process->pid, signal)) Keep(*process, false, at);
  }
}

void SocketEnds::Asks(const Process& process) {
  const auto found = kept_.find(process.number);
  if (found != kept_.end() && !found->second.surely) kept_.erase(found);
}

// Also of processes that have never asked for anything.
std::set<uint64_t> SocketEnds::OfOthers(const Process& process) const {
  std::set<uint64_t> names;
  for (const pid_t other : processes_->Running())
    if (other != process.pid)
      EachSocket(other, [&](int /*fd*/, uint64_t name) { names.insert(name); });
  return names;
}

void SocketEnds::Close(std::vector<Descriptor> sockets, const Process& process, Instant at) {
  if (sockets.empty() || process.host_has_crashed) return;
  const std::set<uint64_t> others = OfOthers(process);
  for (Descriptor& socket : sockets)
    if (!others.contains(SocketLinks::NumberOf(socket.get())))
      links_->Closes(std::move(socket), process.side, at);
}

void SocketEnds::HasEnded(const Process& process) {
  HasDisconnected(process);
  auto found = kept_.extract(process.number);
  if (!found.empty()) Close(std::move(found.mapped().sockets), process, found.mapped().at);
}

}  // namespace cm::app
