#include "conformance/adapters/exec/connection.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

namespace cm {
namespace {

constexpr Duration kEndsAfterItsLast = Duration::Seconds(1);
constexpr Duration kEndsByItself = Duration::Seconds(5);
constexpr Duration kEndsWhenAsked = Duration::Seconds(10);

// Milliseconds until a wait looks whether it is interrupted: a signal may come to another thread.
constexpr int kLook = 100;

// What a person can read of it.
std::string Printable(std::string_view bytes) {
  constexpr size_t kEnough = 60;
  std::string text;
  for (const char c : bytes.substr(0, kEnough))
    text += c >= ' ' && c <= '~' ? std::string(1, c)
                                 : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return bytes.size() > kEnough ? text + "…" : text;
}

bool IsText(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; });
}

// getaddrinfo takes a greater number for another port.
bool IsPort(std::string_view text) {
  uint16_t port = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, port);
  return error == std::errc() && end == last && port != 0;
}

struct Addresses {
  addrinfo* first = nullptr;
  ~Addresses() {
    if (first != nullptr) freeaddrinfo(first);
  }
};

// False with errno, which is EINPROGRESS when the time is over. source: man socket(7) SO_SNDTIMEO
bool Connects(int socket, const addrinfo& to, Duration within) {
  constexpr int64_t kSecond = 1'000'000;
  const timeval limit{.tv_sec = within.microseconds() / kSecond,
                      .tv_usec = within.microseconds() % kSecond};
  const int at_once = 1;  // each line is written whole
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof(at_once));
  return connect(socket, to.ai_addr, to.ai_addrlen) == 0;
}

}  // namespace

std::variant<std::unique_ptr<Connection>, std::string> Connection::Run(
    const std::string& command, const std::atomic<bool>* interrupted) {
  std::optional<Ends> ends = SocketPair(SOCK_STREAM);
  if (!ends) return fmt::format("no connection could be made: {}", strerror(errno));
  auto started = Process::Start({.arguments = {"/bin/sh", "-c", command},
                                 .input = ends->second.get(),
                                 .output = ends->second.get(),
                                 .error = 2,
                                 .death_signal = SIGTERM});  // for a launcher, see ~Connection
  if (auto* problem = std::get_if<std::string>(&started)) return std::move(*problem);
  return std::unique_ptr<Connection>(
      new Connection(std::get<Process>(std::move(started)), std::move(ends->first), interrupted));
}

std::variant<std::unique_ptr<Connection>, std::string> Connection::ConnectTo(
    const std::string& address, Duration within, const std::atomic<bool>* interrupted) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == address.size())
    return fmt::format("tcp:{}: tcp:HOST:PORT is wanted", address);
  if (!IsPort(std::string_view(address).substr(colon + 1)))
    return fmt::format("tcp:{}: a port from 1 to 65535 is wanted, and not \"{}\"", address,
                       address.substr(colon + 1));
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const addrinfo hints{.ai_flags = AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
  Addresses found;
  const int error = getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found.first);
  if (error != 0) return fmt::format("tcp:{}: {}", address, gai_strerror(error));
  int why = 0;
  for (const addrinfo* one = found.first; one != nullptr; one = one->ai_next) {
    Descriptor socket(::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol));
    if (socket.get() >= 0 && Connects(socket.get(), *one, within))
      return std::unique_ptr<Connection>(new Connection({}, std::move(socket), interrupted));
    why = errno;
  }
  return fmt::format(
      "tcp:{}: {}", address,
      why == EINPROGRESS ? fmt::format("no answer within {}", ToString(within)) : strerror(why));
}

Connection::~Connection() {
  socket_.Close();
  const Duration by_itself = cut_short_ ? kEndsAfterItsLast : kEndsByItself;
  if (process_.pid() == 0 || ExitCodeWithin(by_itself)) return;
  process_.Signal(SIGTERM);
  ExitCodeWithin(kEndsWhenAsked);
}

// Waits until the socket is ready for the events; false when the time is over, or interrupted.
bool Connection::Await(short events, const Deadline& deadline) {
  for (;;) {
    const int left = deadline.milliseconds_left();
    pollfd watched{.fd = socket_.get(), .events = events, .revents = 0};
    const int ready = poll(&watched, 1, std::min(left, kLook));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;  // a failure shows in what follows
    if (left == 0) return false;
    cut_short_ = interrupted_ != nullptr && *interrupted_;
    if (cut_short_) return false;
  }
}

bool Connection::Send(std::string_view line, Duration within) {
  std::string text(line);
  text += '\n';
  const Deadline deadline(within);
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t sent = send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) rest.remove_prefix(static_cast<size_t>(sent));
    if (sent >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN || !Await(POLLOUT, deadline)) return false;
  }
  return true;
}

// The first whole line of what is there, without its end.
std::optional<std::string> Connection::TakeLine() {
  const size_t end = unread_.find('\n', searched_);
  searched_ = unread_.size();
  if (end == std::string::npos) return std::nullopt;
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  searched_ = 0;
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

Heard Connection::Silent(Duration within) const {
  const std::string until =
      cut_short_ ? "until the interrupt" : fmt::format("within {}", ToString(within));
  if (!unread_.empty())
    return {Heard::Kind::kSilent,
            fmt::format("only \"{}\" and no end of the line {}", Printable(unread_), until)};
  const char* const hint = cut_short_ ? "" : " (does it write each line through?)";
  return {Heard::Kind::kSilent, fmt::format("no line {}{}", until, hint)};
}

Heard Connection::Ended() {
  if (!unread_.empty())
    return {Heard::Kind::kCut, fmt::format("it ended in the middle of the line \"{}\"",
                                           Printable(std::exchange(unread_, {})))};
  if (const std::optional<int> code = ExitCodeWithin(kEndsAfterItsLast))
    return {Heard::Kind::kEnded, fmt::format("it ended with exit code {}", *code)};
  return {Heard::Kind::kEnded, "it closed its output"};
}

Heard Connection::Receive(const Deadline& deadline, Duration within) {
  for (;;) {
    if (std::optional<std::string> line = TakeLine()) {
      if (line->size() <= kLongestLine && IsText(*line)) return {Heard::Kind::kLine, *line};
      return {
          Heard::Kind::kWrong,
          line->size() > kLongestLine
              ? fmt::format("a line of {} bytes, where {} are the most", line->size(), kLongestLine)
              : fmt::format("the line \"{}\", which is not of printable ASCII", Printable(*line))};
    }
    if (unread_.size() > kLongestLine)
      return {Heard::Kind::kWrong,
              fmt::format("{} bytes without the end of a line", unread_.size())};
    if (!Await(POLLIN, deadline)) return Silent(within);
    std::array<char, 4096> buffer;
    const ssize_t size = recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size > 0) unread_.append(buffer.data(), static_cast<size_t>(size));
    if (size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN))) continue;
    return Ended();
  }
}

bool Connection::HasMore() {
  char one = 0;
  return !unread_.empty() || recv(socket_.get(), &one, sizeof(one), MSG_DONTWAIT | MSG_PEEK) > 0;
}

std::optional<int> Connection::End(Duration within) {
  shutdown(socket_.get(), SHUT_WR);
  const std::optional<int> code = ExitCodeWithin(within);
  process_.Kill();
  return code;
}

// That of the process, which is not reaped: until it is killed with its group, no other group gets
// the number.
std::optional<int> Connection::ExitCodeWithin(Duration limit) const {
  if (process_.pid() == 0) return std::nullopt;
  const auto id = static_cast<id_t>(process_.pid());
  const Deadline deadline(limit);
  for (;;) {
    siginfo_t ended = {};
    if (waitid(P_PID, id, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR) return 0;
    if (ended.si_pid != 0)
      return ended.si_code == CLD_EXITED ? ended.si_status : 128 + ended.si_status;
    const int left = deadline.milliseconds_left();
    if (left == 0) return std::nullopt;
    pollfd watched{.fd = process_.watch(), .events = POLLIN, .revents = 0};
    poll(&watched, 1, watched.fd >= 0 ? left : 1);
  }
}

}  // namespace cm
