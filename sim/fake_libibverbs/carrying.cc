// Sockets of TCP and UDP between hosts: the machine's broker sends what the program gives them.
//
// The descriptor stays the system's. What the C library sends by itself (stdio on a socket), and
// raw system calls, are sent at once.
#undef _FORTIFY_SOURCE

#include "sim/fake_libibverbs/carrying.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "sim/fake_libibverbs/client.h"
#include "sim/fake_libibverbs/computation.h"
#include "sim/fake_libibverbs/descriptors.h"
#include "sim/fake_libibverbs/gates.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/polling.h"
#include "sim/fake_libibverbs/ports.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/fake_libibverbs/turns.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {
namespace {

using uapi::Carry;

enum class Kind : uint8_t { kUnknown, kStream, kDatagram, kSameHost, kOther };

constexpr size_t kMost = 1U << 16U;
constexpr size_t kMostBytes = 1U << 30U;
constexpr size_t kMostOfDatagram = 65'507;  // over IPv4
// What the broker does not send: urgent bytes, those that come with the connection, and those
// whose end is reported.
constexpr int kOfSystem = MSG_OOB | MSG_FASTOPEN | MSG_ZEROCOPY;

// By descriptor, but for what is no socket: the C library closes files of its own (fclose), and
// their numbers become sockets. Where a program closes one by a raw system call, the broker says
// what the new one is.
std::array<std::atomic<Kind>, kMost> kinds{};
// Those that a parent has as well: their end is that of the last process that has them.
std::array<std::atomic<bool>, kMost> inherited{};

int OptionOf(int fd, int name) {
  int value = -1;
  socklen_t length = sizeof value;
  return syscall(SYS_getsockopt, fd, SOL_SOCKET, name, &value, &length) == 0 ? value : -1;
}

// Asks the kernel itself: what a preloaded object calls a socket may be none.
Kind Looked(int fd) {
  const int family = OptionOf(fd, SO_DOMAIN);
  if (family != AF_INET && family != AF_INET6) return Kind::kOther;
  const int protocol = OptionOf(fd, SO_PROTOCOL);
  if (protocol == IPPROTO_TCP) return Kind::kStream;
  return protocol == IPPROTO_UDP ? Kind::kDatagram : Kind::kOther;
}

Kind KindOf(int fd) {
  if (fd < 0 || static_cast<size_t>(fd) >= kMost || !TakeTurns()) return Kind::kOther;
  std::atomic<Kind>& kind = kinds[static_cast<size_t>(fd)];
  if (kind != Kind::kUnknown) return kind;
  const int before = errno;
  const Kind found = Looked(fd);
  errno = before;
  if (found != Kind::kOther) kind = found;
  return found;
}

bool GoesByLinks(Kind kind) { return kind == Kind::kStream || kind == Kind::kDatagram; }

void Forget(int fd) {
  if (fd < 0 || static_cast<size_t>(fd) >= kMost) return;
  kinds[static_cast<size_t>(fd)] = Kind::kUnknown;
  inherited[static_cast<size_t>(fd)] = false;
}

__attribute__((constructor)) void NoteInChildren() {
  pthread_atfork(nullptr, nullptr, [] {
    for (size_t fd = 0; fd < kMost; ++fd) inherited[fd] = kinds[fd] != Kind::kUnknown;
  });
}

bool HasPeer(int fd) {
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  return syscall(SYS_getpeername, fd, &peer, &length) == 0;
}

int64_t AskToCarry(int fd, uapi::CarryRecord record, std::span<const uint8_t> peer = {}) {
  SpendComputation();
  const int before = errno;
  record.now = TheBackend()->Shown();
  uapi::Request request = {.op = uapi::Op::kCarry, .on = static_cast<uint32_t>(fd)};
  request.bytes.resize(sizeof record + peer.size());
  std::memcpy(request.bytes.data(), &record, sizeof record);
  if (!peer.empty()) std::memcpy(request.bytes.data() + sizeof record, peer.data(), peer.size());
  const int64_t value = Ask(request).value;
  errno = before;
  return value;
}

int64_t AskAs(Carry what, int fd) { return AskToCarry(fd, {.what = static_cast<uint32_t>(what)}); }

void TellExecution(bool begins) {
  AskToCarry(-1, {.what = static_cast<uint32_t>(Carry::kExecutes), .attempt = begins ? 1U : 0U});
}

// The system closes what the program leaves open: those ends take their way, too. A child that has
// only what its parent has as well, and has asked for nothing, does not begin to for its end.
__attribute__((destructor)) void CarryEndsThatAreLeft() {
  const InObject here;
  const auto is_left = [](size_t i) {
    return kinds[i] == Kind::kStream && (IsConnected() || !inherited[i]) &&
           HasPeer(static_cast<int>(i));
  };
  for (size_t i = 0; i < kMost; ++i)
    if (is_left(i)) return CarryMayEnd(0, 0);
}

// Behind the program's own functions, which are registered later.
__attribute__((constructor)) void CarryEndsAtQuickExit() { at_quick_exit(&CarryEndsThatAreLeft); }

// From now on poll says that the socket has no room, until the broker says that it has.
void HasNoRoom(int fd) {
  if (const int gate = GateOf(fd); gate >= 0 && !IsOpen(gate)) return;
  const int gate = CloseGate(fd);
  if (gate < 0) return;
  const uapi::CarryRecord record = {.what = static_cast<uint32_t>(Carry::kGate),
                                    .attempt = static_cast<uint32_t>(gate)};
  if (AskToCarry(fd, record) != uapi::kNoRoom) OpenGate(gate);
}

enum class Room : uint8_t { kThere, kOfSystem, kNone, kInterrupted };

// SO_SNDTIMEO; empty without one.
std::optional<timespec> LimitOf(int fd) {
  timeval limit{};
  socklen_t length = sizeof limit;
  if (syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, &limit, &length) != 0 ||
      (limit.tv_sec == 0 && limit.tv_usec == 0))
    return std::nullopt;
  return timespec{.tv_sec = limit.tv_sec, .tv_nsec = limit.tv_usec * 1'000};
}

// The system's socket has room, or its gate is open, or it says why it never has. None: at the
// limit of a wait, too.
Room AwaitRoom(int fd, bool blocks, int gate = -1) {
  pollfd writable = {.fd = fd, .events = POLLOUT, .revents = 0};
  if (RealLibc().poll(&writable, 1, 0) < 0) return Room::kOfSystem;
  if (gate >= 0 && !IsOpen(gate)) writable.revents &= ~POLLOUT;
  if ((writable.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) return Room::kOfSystem;
  if ((writable.revents & POLLOUT) != 0) return Room::kThere;
  if (!blocks) return Room::kNone;
  const std::optional<timespec> limit = LimitOf(fd);
  std::array<pollfd, 2> both = {writable, {.fd = gate, .events = POLLOUT, .revents = 0}};
  if (gate >= 0) both[0].events = 0;
  const int found = limit ? ppoll(both.data(), both.size(), &*limit, nullptr)  // in virtual time
                          : RealLibc().poll(both.data(), both.size(), -1);
  AwaitTurn();
  if (found == 0) return Room::kNone;
  if (found > 0 || !SomeHandlerInterrupts()) return Room::kThere;
  errno = EINTR;
  return Room::kInterrupted;
}

// What the system does next must not overtake what is under way. False: errno is set.
bool AwaitArrival(int fd, bool blocks) {
  if (KindOf(fd) != Kind::kStream) return true;
  while (AskAs(Carry::kWaits, fd) == uapi::kNoRoom) {
    const Room room = AwaitRoom(fd, blocks);
    if (room == Room::kOfSystem) return true;
    if (room == Room::kNone) errno = EAGAIN;
    if (room != Room::kThere) return false;
  }
  return true;
}

// Whether a socket with a gate has room is for the broker to say, by a refusal. A closed gate alone
// is none: it closes when two thirds of the buffer are full. source: as kWritable of
// socket_links.cc
Room RoomToSend(int fd, bool blocks, bool refused) {
  const int gate = GateOf(fd);
  if (gate < 0) return AwaitRoom(fd, blocks);
  if (refused) return AwaitRoom(fd, blocks, gate);
  pollfd state = {.fd = fd, .events = 0, .revents = 0};
  return RealLibc().poll(&state, 1, 0) == 0 ? Room::kThere : Room::kOfSystem;
}

bool Blocks(int fd, int flags) { return (flags & MSG_DONTWAIT) == 0 && !IsNonBlocking(fd); }

std::span<const uint8_t> AddressIn(const msghdr& message) {
  return {static_cast<const uint8_t*>(message.msg_name),
          message.msg_name == nullptr ? 0 : message.msg_namelen};
}

// The bytes of all pieces, one after the other.
std::vector<uint8_t> Gathered(const msghdr& message) {
  std::vector<uint8_t> all;
  for (const iovec& piece : std::span(message.msg_iov, message.msg_iovlen)) {
    const auto* const bytes = static_cast<const uint8_t*>(piece.iov_base);
    all.insert(all.end(), bytes, bytes + piece.iov_len);
  }
  return all;
}

size_t SizeOf(const msghdr& message) {
  size_t size = 0;
  for (const iovec& piece : std::span(message.msg_iov, message.msg_iovlen)) size += piece.iov_len;
  return size;
}

std::optional<ssize_t> Fails(int error) {
  errno = error;
  NotePoll(error != EAGAIN);
  return -1;
}

// The program's signal, unless it does not want it.
std::optional<ssize_t> IsShut(int flags) {
  if ((flags & MSG_NOSIGNAL) == 0) raise(SIGPIPE);
  return Fails(EPIPE);
}

std::optional<ssize_t> CarrySome(int fd, const iovec& bytes, std::span<const uint8_t> peer,
                                 int flags) {
  const bool blocks = Blocks(fd, flags);
  const bool is_stream = KindOf(fd) == Kind::kStream;
  bool refused = false;
  for (size_t done = 0;;) {
    const Room room = RoomToSend(fd, blocks, refused);
    const auto some = done > 0 ? std::optional(static_cast<ssize_t>(done)) : std::nullopt;
    if (room == Room::kOfSystem) return some;
    if (room == Room::kInterrupted) return some ? some : -1;
    if (room == Room::kNone) return some ? some : Fails(EAGAIN);
    int64_t taken = AskToCarry(fd,
                               {.address = std::bit_cast<uint64_t>(bytes.iov_base) + done,
                                .length = static_cast<uint32_t>(bytes.iov_len - done),
                                .what = static_cast<uint32_t>(Carry::kSends),
                                .blocks = blocks ? 1U : 0U},
                               peer);
    if (taken == uapi::kLeftToSystem && is_stream) kinds[static_cast<size_t>(fd)] = Kind::kSameHost;
    const bool filled = taken >= uapi::kFilled && taken < uapi::kFilled * 2;
    if (filled) taken -= uapi::kFilled;
    refused = taken == uapi::kNoRoom;
    if (is_stream && (filled || refused)) HasNoRoom(fd);
    if (taken == -EPIPE) return some ? some : IsShut(flags);
    if (taken < 0 || taken == uapi::kLeftToSystem) return some;
    if (refused && !blocks) return some ? some : Fails(EAGAIN);
    if (!refused) done += static_cast<size_t>(taken);
    if (!refused && (!blocks || !is_stream || done == bytes.iov_len))
      return static_cast<ssize_t>(done);
  }
}

// As CarryBytes, with an address or without.
std::optional<ssize_t> CarryMessage(int fd, const msghdr& message, int flags) {
  const InObject here;
  SpendComputation();
  const Kind kind = KindOf(fd);
  if (!GoesByLinks(kind)) return std::nullopt;
  const size_t size = SizeOf(message);
  if (size == 0 && kind == Kind::kStream) return std::nullopt;
  if (kind == Kind::kDatagram && size > kMostOfDatagram) return Fails(EMSGSIZE);
  if ((flags & kOfSystem) != 0 || message.msg_controllen != 0 || size > kMostBytes) {
    if (!AwaitArrival(fd, Blocks(fd, flags))) return -1;
    return std::nullopt;
  }
  const std::span<const uint8_t> peer = AddressIn(message);
  if (kind == Kind::kDatagram && !peer.empty()) BindUnbound(fd);
  if (message.msg_iovlen == 1) return CarrySome(fd, message.msg_iov[0], peer, flags);
  std::vector<uint8_t> all = Gathered(message);
  return CarrySome(fd, {.iov_base = all.data(), .iov_len = all.size()}, peer, flags);
}

}  // namespace

std::optional<ssize_t> CarryBytes(int fd, const iovec* pieces, size_t count, int flags) {
  SpendComputation();
  if (!GoesByLinks(KindOf(fd))) return std::nullopt;
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces);
  message.msg_iovlen = count;
  return CarryMessage(fd, message, flags);
}

ssize_t SentBySystem(int fd, ssize_t sent) {
  if ((sent < 0 && errno != EAGAIN) || KindOf(fd) == Kind::kOther) return sent;
  if (sent > 0) SpendSending(static_cast<uint64_t>(sent));
  if (sent < 0) NotePoll(false);
  return sent;
}

void CarryMayEnd(pid_t process, int signal) {
  if (!TakeTurns()) return;
  AskToCarry(-1, {.address = static_cast<uint64_t>(process),
                  .what = static_cast<uint32_t>(Carry::kMayEnd),
                  .attempt = static_cast<uint32_t>(signal)});
}

bool CarryEndsAtExec() {
  const auto ends = [](size_t i) {
    const int fd = static_cast<int>(i);
    return kinds[i] == Kind::kStream && !inherited[i] && HasPeer(fd) &&
           (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
  };
  for (size_t i = 0; i < kMost; ++i)
    if (ends(i)) return TellExecution(true), true;
  return false;
}

void CarryNoEndsAtExec() { TellExecution(false); }

void CarryEnd(int fd) {
  ForgetGate(fd);
  if (fd < 0 || static_cast<size_t>(fd) >= kMost) return;
  const Kind kind = kinds[static_cast<size_t>(fd)];
  if (kind == Kind::kStream && TakeTurns()) AskAs(Carry::kCloses, fd);
  Forget(fd);
}

void CarryNew(int fd) {
  ForgetGate(fd);
  Forget(fd);
  static_cast<void>(KindOf(fd));
}

int CarryRequest(int fd, const sockaddr* peer, socklen_t length) {
  Forget(fd);
  if (KindOf(fd) != Kind::kStream) return 0;
  const std::span to(reinterpret_cast<const uint8_t*>(peer), length);
  for (uint32_t attempt = 0;;) {
    int64_t value =
        AskToCarry(fd, {.what = static_cast<uint32_t>(Carry::kConnects), .attempt = attempt}, to);
    if (value == 0)
      value =
          AskToCarry(fd, {.what = static_cast<uint32_t>(Carry::kArrives), .attempt = attempt}, to);
    if (value == -EINTR && !SomeHandlerInterrupts()) continue;
    if (value < 0) return static_cast<int>(-value);
    if (value != uapi::kLost) return 0;
    ++attempt;
  }
}

void CarryReply(int fd, const sockaddr* peer, socklen_t length) {
  if (KindOf(fd) != Kind::kStream) return;
  const std::span to(reinterpret_cast<const uint8_t*>(peer), length);
  for (uint32_t attempt = 0;; ++attempt)
    if (AskToCarry(fd, {.what = static_cast<uint32_t>(Carry::kReplied), .attempt = attempt}, to) !=
        uapi::kLost)
      return;
}

}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

// The number may be that of a socket which the C library has closed by itself (fclose).
int socket(int family, int type, int protocol) noexcept {
  static auto* const kReal = Next("socket", &socket);
  const int fd = kReal(family, type, protocol);
  if (fd >= 0) CarryNew(fd);
  return fd;
}

ssize_t send(int fd, const void* bytes, size_t size, int flags) {
  static auto* const kReal = Next("send", &send);
  const iovec piece = {.iov_base = const_cast<void*>(bytes), .iov_len = size};
  if (const auto carried = CarryBytes(fd, &piece, 1, flags)) return *carried;
  return SentBySystem(fd, kReal(fd, bytes, size, flags));
}

ssize_t sendto(int fd, const void* bytes, size_t size, int flags, const sockaddr* peer,
               socklen_t length) {
  static auto* const kReal = Next("sendto", &sendto);
  iovec piece = {.iov_base = const_cast<void*>(bytes), .iov_len = size};
  msghdr message{};
  message.msg_name = const_cast<sockaddr*>(peer);
  message.msg_namelen = length;
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (const auto carried = CarryMessage(fd, message, flags)) return *carried;
  return SentBySystem(fd, kReal(fd, bytes, size, flags, peer, length));
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  static auto* const kReal = Next("sendmsg", &sendmsg);
  if (message != nullptr)
    if (const auto carried = CarryMessage(fd, *message, flags)) return *carried;
  return SentBySystem(fd, kReal(fd, message, flags));
}

// Up to the first that is not sent whole. source: man sendmmsg(2)
int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  static auto* const kReal = Next("sendmmsg", &sendmmsg);
  if (messages == nullptr || count == 0 || !TakeTurns()) return kReal(fd, messages, count, flags);
  int sent = 0;
  for (mmsghdr& each : std::span(messages, count)) {
    const ssize_t size = sendmsg(fd, &each.msg_hdr, flags);
    if (size < 0) return sent == 0 ? -1 : sent;
    each.msg_len = static_cast<unsigned>(size);
    ++sent;
  }
  return sent;
}

ssize_t writev(int fd, const iovec* pieces, int count) {
  static auto* const kReal = Next("writev", &writev);
  if (count > 0 && count <= IOV_MAX && pieces != nullptr)
    if (const auto carried = CarryBytes(fd, pieces, static_cast<size_t>(count), 0)) return *carried;
  return SentBySystem(fd, kReal(fd, pieces, count));
}

ssize_t sendfile(int to, int from, off_t* offset, size_t size) noexcept {
  static auto* const kReal = Next("sendfile", &sendfile);
  if (!AwaitArrival(to, !IsNonBlocking(to))) return -1;
  return SentBySystem(to, kReal(to, from, offset, size));
}

ssize_t sendfile64(int to, int from, off64_t* offset, size_t size) noexcept {
  static auto* const kReal = Next("sendfile64", &sendfile64);
  if (!AwaitArrival(to, !IsNonBlocking(to))) return -1;
  return SentBySystem(to, kReal(to, from, offset, size));
}

int epoll_ctl(int set, int operation, int fd, epoll_event* event) noexcept {
  static auto* const kReal = Next("epoll_ctl", &epoll_ctl);
  const bool wants = event != nullptr && (event->events & EPOLLOUT) != 0;
  if ((!wants && !AnyInSets()) || KindOf(fd) != Kind::kStream)
    return kReal(set, operation, fd, event);
  return PutSocketInSet(set, operation, fd, event);
}

void _exit(int status) {
  static auto* const kReal = Next("_exit", &_exit);
  CarryEndsThatAreLeft();
  kReal(status);
  __builtin_unreachable();
}

void _Exit(int status) noexcept { _exit(status); }

int shutdown(int fd, int how) noexcept {
  static auto* const kReal = Next("shutdown", &shutdown);
  const bool sends_no_more = how == SHUT_WR || how == SHUT_RDWR;
  if (!sends_no_more || KindOf(fd) != Kind::kStream) return kReal(fd, how);
  if (AskAs(Carry::kShuts, fd) != 0) return kReal(fd, how);
  return how == SHUT_RDWR ? kReal(fd, SHUT_RD) : 0;
}
}
