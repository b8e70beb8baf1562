#include "tools/app/socket_ends.h"

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
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace cm::app {
namespace {

namespace fs = std::filesystem;

// source: man signal(7), those that do not end a process by default
constexpr std::array kHarmless = {SIGCHLD, SIGCONT, SIGURG,  SIGWINCH,
                                  SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
// Those whose handlers mostly end the process.
constexpr std::array kAsking = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

std::string StatusOf(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/status", process));
  return {std::istreambuf_iterator<char>(file), {}};
}

// What follows the name in its line. source: man proc(5), /proc/pid/status
std::string_view In(std::string_view status, std::string_view name) {
  const size_t at = status.find(fmt::format("\n{}:\t", name));
  if (at == std::string_view::npos) return {};
  const std::string_view rest = status.substr(at + name.size() + 3);
  return rest.substr(0, rest.find('\n'));
}

// The last of its ids is that of its own namespace.
bool IsCalled(pid_t process, pid_t own) {
  const std::string status = StatusOf(process);
  const std::string_view ids = In(status, "NSpid");
  pid_t last = 0;
  const char* const begin = ids.data() + ids.rfind('\t') + 1;
  return !ids.empty() && std::from_chars(begin, ids.data() + ids.size(), last).ec == std::errc() &&
         last == own;
}

bool HasBit(std::string_view hexadecimal, int signal) {
  uint64_t mask = 0;
  std::from_chars(hexadecimal.data(), hexadecimal.data() + hexadecimal.size(), mask, 16);
  return (mask >> (signal - 1) & 1U) != 0;
}

bool MayEndBy(pid_t process, int signal) {
  if (signal < 1 || signal > 64 || std::ranges::count(kHarmless, signal) != 0) return false;
  const std::string status = StatusOf(process);
  if (HasBit(In(status, "SigIgn"), signal)) return false;
  return !HasBit(In(status, "SigCgt"), signal) || std::ranges::count(kAsking, signal) != 0;
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

void SocketEnds::Keep(const Process& process, bool surely, Instant at) {
  Kept& kept = kept_[process.number];
  kept.surely |= surely;
  kept.at = at;
  kept.sockets.clear();
  const OwnedDescriptor of(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
  if (of.get() < 0) return;
  EachSocket(process.pid, [&](int fd, uint64_t /*name*/) {
    OwnedDescriptor socket(static_cast<int>(syscall(SYS_pidfd_getfd, of.get(), fd, 0)));
    if (links_->HasItsEndCarried(socket.get(), process.side))
      kept.sockets.push_back(std::move(socket));
  });
}

void SocketEnds::MayEnd(const Process& asking, const sim::uapi::CarryRecord& record) {
  const Instant at = Instant::FromNanoseconds(record.now);
  const auto signal = static_cast<int>(record.attempt);
  const auto named = static_cast<pid_t>(record.address);
  if (signal == 0) return Keep(asking, true, at);
  const uint8_t kernel = topology_->KernelOf(asking.side);
  for (const auto& process : processes_->all()) {
    if (process->gone || topology_->KernelOf(process->side) != kernel) continue;
    const bool is_it = named <= 0 || IsCalled(process->pid, named);
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

void SocketEnds::HasEnded(const Process& process) {
  auto found = kept_.extract(process.number);
  if (found.empty() || found.mapped().sockets.empty() || process.host_has_crashed) return;
  Kept& kept = found.mapped();
  const std::set<uint64_t> others = OfOthers(process);
  for (OwnedDescriptor& socket : kept.sockets)
    if (!others.contains(SocketLinks::NumberOf(socket.get())))
      links_->Closes(std::move(socket), process.side, kept.at);
}

}  // namespace cm::app
