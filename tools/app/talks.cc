// A test program that talks to another host over TCP or UDP, as its arguments say: what to do, and
// the address of the passive side. It prints times in whole tens of microseconds.
#include "tools/app/talks.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace cm::app {
namespace {

constexpr size_t kMuch = size_t{8} << 20U;
constexpr size_t kPiece = size_t{64} << 10U;

void Echo(const char* host) {
  const int fd = Accepted(host);
  std::array<char, 64> bytes{};
  for (ssize_t size = 0; (size = read(fd, bytes.data(), bytes.size())) > 0;)
    if (write(fd, bytes.data(), static_cast<size_t>(size)) != size) std::printf("no answer\n");
  close(fd);
}

void Ask(const char* host) {
  const int fd = Connected(host);
  std::array<char, 64> bytes{};
  for (int i = 0; fd >= 0 && i < 2; ++i) {
    usleep(kPause);
    const int64_t before = Now();
    if (write(fd, "hello", 5) != 5) std::printf("not sent\n");
    const ssize_t size = read(fd, bytes.data(), bytes.size());
    std::printf("%zd bytes after %ld us\n", size, Since(before));
  }
  close(fd);
}

// What is expected: bytes 0, 1, 2 and so on. Begins to read after a while.
void CountAfter(useconds_t pause, const char* host) {
  const int fd = Accepted(host);
  std::vector<unsigned char> bytes(1U << 16U);
  size_t all = 0;
  size_t wrong = 0;
  const int64_t begin = Now();
  if (pause > 0) usleep(pause);
  for (ssize_t size = 0; (size = read(fd, bytes.data(), bytes.size())) > 0;)
    for (ssize_t i = 0; i < size; ++i)
      if (bytes[static_cast<size_t>(i)] != static_cast<unsigned char>(all++ % 251)) ++wrong;
  std::printf("%zu bytes, %zu wrong, after %ld ms\n", all, wrong, (Now() - begin) / 1'000);
  close(fd);
}

std::vector<unsigned char> Numbered(size_t size) {
  std::vector<unsigned char> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i % 251);
  return bytes;
}

// In pieces of several sizes, by all functions in turn; the end follows at once.
void Pour(const char* host) {
  const int fd = Connected(host);
  std::vector<unsigned char> bytes = Numbered(kMuch);
  for (size_t sent = 0, turn = 0; sent < bytes.size(); ++turn) {
    unsigned char* const from = bytes.data() + sent;
    const size_t size = std::min(bytes.size() - sent, size_t{1} << (turn % 18));
    const std::array<iovec, 2> pieces = {
        {{.iov_base = from, .iov_len = size / 2},
         {.iov_base = from + size / 2, .iov_len = size - size / 2}}};
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(pieces.data());
    message.msg_iovlen = pieces.size();
    ssize_t done = 0;
    if (turn % 4 == 0) done = write(fd, from, size);
    if (turn % 4 == 1) done = writev(fd, pieces.data(), pieces.size());
    if (turn % 4 == 2) done = send(fd, from, size, 0);
    if (turn % 4 == 3) done = sendmsg(fd, &message, 0);
    if (done <= 0) break;
    sent += static_cast<size_t>(done);
  }
  shutdown(fd, SHUT_WR);
  close(fd);
}

// A file behind bytes that are under way.
void SendFile(const char* host) {
  FILE* const file = std::tmpfile();
  const std::vector<unsigned char> bytes = Numbered(kMuch);
  constexpr size_t kAtEnd = 500;
  std::fwrite(bytes.data() + kMuch - kAtEnd, 1, kAtEnd, file);
  std::fflush(file);
  const int fd = Connected(host);
  off_t from = 0;
  if (write(fd, bytes.data(), kMuch - kAtEnd) != kMuch - kAtEnd ||
      sendfile(fd, fileno(file), &from, kAtEnd) != kAtEnd)
    std::printf("not sent\n");
  close(fd);
}

// The number of a file that the C library has closed is that of a socket.
void AskAfterAFile(const char* host) {
  std::ofstream("/dev/null") << "a line" << std::endl;
  Ask(host);
}

// With an edge for each time that there is room again.
void PourByEdges(const char* host) {
  const int fd = Connected(host);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  const int set = epoll_create1(0);
  epoll_event wanted{};
  wanted.events = EPOLLOUT | EPOLLET;
  epoll_ctl(set, EPOLL_CTL_ADD, fd, &wanted);
  const std::vector<unsigned char> bytes = Numbered(kMuch);
  int edges = 0;
  for (size_t sent = 0; sent < bytes.size(); ++edges) {
    epoll_wait(set, &wanted, 1, -1);
    for (ssize_t size = 1; size > 0 && sent < bytes.size();) {
      size = send(fd, bytes.data() + sent, std::min(kPiece, bytes.size() - sent), 0);
      if (size > 0) sent += static_cast<size_t>(size);
    }
  }
  std::printf("%s\n", edges > 1 ? "several edges" : "one edge");
  close(fd);
}

// What comes after the end, while that is under way and when it has arrived, and a datagram that is
// too long. The peer does not read yet.
void Exceed(const char* host) {
  signal(SIGPIPE, [](int) { std::printf("SIGPIPE\n"); });
  const int fd = Connected(host);
  static_cast<void>(!write(fd, "hello", 5));
  shutdown(fd, SHUT_WR);
  bool is_shut = write(fd, "hello", 5) < 0 && errno == EPIPE;
  usleep(kPause / 2);
  is_shut = is_shut && send(fd, "hello", 5, MSG_NOSIGNAL) < 0 && errno == EPIPE;
  const bool is_no_way = shutdown(fd, 77) < 0 && errno == EINVAL;
  const int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in peer = AddressOf(host);
  const std::vector<char> much(65508);
  const bool is_long = sendto(datagrams, much.data(), much.size(), 0, Any(peer), sizeof peer) < 0 &&
                       errno == EMSGSIZE;
  std::printf("%s %s %s\n", is_shut ? "shut" : "open", is_no_way ? "refused" : "taken",
              is_long ? "too long" : "not too long");
  close(fd);
}

// Polls for room, and counts how often there was none.
void PourWithoutWaiting(const char* host) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const sockaddr_in peer = AddressOf(host);
  static_cast<void>(connect(fd, Any(peer), sizeof peer));
  const std::vector<unsigned char> bytes = Numbered(kMuch);
  bool full = false;
  for (size_t sent = 0; sent < bytes.size();) {
    pollfd room = {.fd = fd, .events = POLLOUT, .revents = 0};
    poll(&room, 1, -1);
    const ssize_t size = send(fd, bytes.data() + sent, std::min(kPiece, bytes.size() - sent), 0);
    if (size < 0 && errno != EAGAIN) break;
    if (size < 0) full = true;
    if (size > 0) sent += static_cast<size_t>(size);
  }
  std::printf("%s\n", full ? "no room at times" : "always room");
  close(fd);
}

// Whether poll, select and epoll say that there is room.
void SayWhetherThereIsRoom(int fd, int set) {
  pollfd room = {.fd = fd, .events = POLLOUT, .revents = 0};
  fd_set writes{};
  FD_SET(fd, &writes);
  timeval none{};
  epoll_event event{};
  const int polled = poll(&room, 1, 0);
  const int selected = select(fd + 1, nullptr, &writes, nullptr, &none);
  std::printf("room by poll %d, select %d, epoll %d\n", polled, selected,
              epoll_wait(set, &event, 1, 0));
}

// Sends until there is no room, and waits until there is.
void Fill(const char* host) {
  const int fd = Connected(host);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  const int set = epoll_create1(0);
  epoll_event wanted{};
  wanted.events = EPOLLOUT;
  wanted.data.fd = fd;
  epoll_ctl(set, EPOLL_CTL_ADD, fd, &wanted);
  SayWhetherThereIsRoom(fd, set);
  const std::vector<unsigned char> bytes = Numbered(kMuch);
  size_t sent = 0;
  for (ssize_t size = 0; size >= 0; sent += static_cast<size_t>(std::max<ssize_t>(size, 0)))
    size = send(fd, bytes.data() + sent, std::min(kPiece, bytes.size() - sent), 0);
  std::printf("%zu MiB\n", (sent + (size_t{1} << 19U)) >> 20U);
  SayWhetherThereIsRoom(fd, set);
  const int64_t before = Now();
  epoll_event event{};
  const int found = epoll_wait(set, &event, 1, -1);
  std::printf("%d, of the socket: %d, after %ld ms\n", found, event.data.fd == fd ? 1 : 0,
              (Now() - before) / 1'000);
  SayWhetherThereIsRoom(fd, set);
  std::printf("%zd bytes\n", send(fd, bytes.data() + sent, kPiece, 0));
  close(fd);
}

// On a socket of either family, which is bound to no address.
void Hear(int family) {
  const int fd = socket(family, SOCK_DGRAM, 0);
  sockaddr_in6 own{};  // of which the port is where that of sockaddr_in is
  own.sin6_family = static_cast<sa_family_t>(family);
  own.sin6_port = htons(kPort);
  static_cast<void>(bind(fd, reinterpret_cast<const sockaddr*>(&own), sizeof own));
  for (int i = 0; i < 2; ++i) {
    std::array<char, 64> bytes{};
    std::array<char, NI_MAXHOST> name{};
    sockaddr_storage peer{};
    socklen_t length = sizeof peer;
    auto* const at = reinterpret_cast<sockaddr*>(&peer);
    const ssize_t size = recvfrom(fd, bytes.data(), bytes.size(), 0, at, &length);
    getnameinfo(at, length, name.data(), name.size(), nullptr, 0, NI_NUMERICHOST);
    std::printf("%.*s from %s\n", static_cast<int>(size), bytes.data(), name.data());
    sendto(fd, bytes.data(), static_cast<size_t>(size), 0, at, length);
  }
}

// Says each word again after a second without an answer.
void Say(const char* host) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  constexpr timeval kLimit = {.tv_sec = 1, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kLimit, sizeof kLimit);
  const sockaddr_in peer = AddressOf(host);
  for (const char* const word : {"one", "two"}) {
    std::array<char, 64> bytes{};
    sockaddr_in from{};
    socklen_t length = sizeof from;
    const int64_t before = Now();
    ssize_t size = -1;
    while (size < 0) {
      sendto(fd, word, std::strlen(word), 0, Any(peer), sizeof peer);
      size =
          recvfrom(fd, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&from), &length);
    }
    std::array<char, INET_ADDRSTRLEN> name{};
    inet_ntop(AF_INET, &from.sin_addr, name.data(), name.size());
    std::printf("answer from %s after %ld us\n", name.data(), Since(before));
  }
}

// The number of a connection to its own host, which the C library has closed, is that of a socket
// which goes to another.
void SayAfterAFile(const char* host) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in own = AddressOf("127.0.0.1");
  own.sin_port = 0;
  socklen_t length = sizeof own;
  static_cast<void>(bind(listener, Any(own), length));
  listen(listener, 1);
  getsockname(listener, reinterpret_cast<sockaddr*>(&own), &length);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, Any(own), length) != 0 || write(fd, "hello", 5) != 5) return;
  std::fclose(fdopen(fd, "w"));
  Say(host);
}

// A duplicate that fails is no end of the connection, after which the system would not linger.
void FailToDuplicate(const char* host) {
  const int fd = Connected(host);
  linger how = {.l_onoff = 1, .l_linger = 1};
  socklen_t length = sizeof how;
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &how, length);
  const bool fails = dup2(-1, fd) < 0 && dup3(-1, fd, 0) < 0;
  usleep(kPause);
  getsockopt(fd, SOL_SOCKET, SO_LINGER, &how, &length);
  std::printf("%s, lingers %d\n", fails ? "fails" : "has a duplicate", how.l_onoff);
  close(fd);
}

// The peer has gone when the second message comes.
void Break(const char* host) {
  signal(SIGPIPE, SIG_IGN);
  const int fd = Connected(host);
  int error = 0;
  for (int i = 0; i < 3 && error == 0; ++i) {
    error = write(fd, "hello", 5) == 5 ? 0 : errno;
    usleep(kPause);
  }
  std::printf("%s\n", std::strerror(error));
}

void AcceptAndGo(const char* host) { close(Accepted(host)); }

void Ticks(const char* /*host*/) {
  tms used{};
  const clock_t before = times(&used);
  sleep(2);
  std::printf("%ld ticks\n", (times(&used) - before) * 100 / sysconf(_SC_CLK_TCK));
}

// Its receiver does not read for a while.
void SendWithALimit(const char* host) {
  const int fd = Connected(host);
  constexpr timeval kLimit = {.tv_sec = 1, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &kLimit, sizeof kLimit);
  const std::vector<unsigned char> bytes = Numbered(kMuch);
  const int64_t before = Now();
  ssize_t size = 0;
  while (size >= 0) size = write(fd, bytes.data(), bytes.size());
  std::printf("%s after %ld s\n", std::strerror(errno), (Now() - before) / 1'000'000);
}

uint16_t PortOf(int fd) {
  sockaddr_in own{};
  socklen_t length = sizeof own;
  getsockname(fd, reinterpret_cast<sockaddr*>(&own), &length);
  return ntohs(own.sin_port);
}

// Has all ports and a loopback of its own. Those that it leaves to the system are printed.
void ShowPorts(const char* /*host*/) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in any = AddressOf("0.0.0.0");
  const bool listens = bind(listener, Any(any), sizeof any) == 0 && listen(listener, 1) == 0;
  const int unbound = socket(AF_INET, SOCK_STREAM, 0);
  listen(unbound, 1);
  const int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in none = any;
  none.sin_port = 0;
  static_cast<void>(bind(datagrams, Any(none), sizeof none));
  const int sends = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in own = AddressOf("127.0.0.1");
  sendto(sends, "", 1, 0, Any(own), sizeof own);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const bool connects = connect(fd, Any(own), sizeof own) == 0;
  std::printf("%s, %s, ports %u %u %u %u\n", listens ? "listens" : "does not listen",
              connects ? "connects" : "does not connect", PortOf(unbound), PortOf(datagrams),
              PortOf(sends), PortOf(fd));
}

// Its peer says nothing.
void HearNothing(const char* host) {
  const int fd = Connected(host);
  constexpr timeval kLimit = {.tv_sec = 5, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kLimit, sizeof kLimit);
  char byte = 0;
  const ssize_t size = recv(fd, &byte, 1, 0);
  std::printf("%zd %s\n", size, size < 0 ? std::strerror(errno) : "");
  static_cast<void>(!write(fd, "hello", 5));
  usleep(1'000'000);
  const ssize_t later = recv(fd, &byte, 1, MSG_DONTWAIT);
  std::printf("%zd %s\n", later, later < 0 ? std::strerror(errno) : "");
}

void AcceptAndStay(const char* host) {
  Accepted(host);
  pause();
}

int64_t seen_by_handler = 0;

// A signal comes while the host of the peer cannot be reached.
void ConnectFor(int flags, const char* host) {
  struct sigaction hears {};
  hears.sa_handler = [](int) { seen_by_handler = Now(); };
  hears.sa_flags = flags;
  sigaction(SIGALRM, &hears, nullptr);
  alarm(5);
  Connected(host);
}

// A signal comes while the program waits in the library.
void Handle(const char* /*host*/) {
  struct sigaction reads {};
  reads.sa_handler = [](int) { seen_by_handler = Now(); };
  sigaction(SIGALRM, &reads, nullptr);
  rdma_event_channel* const channel = rdma_create_event_channel();
  rdma_cm_event* event = nullptr;
  const int64_t before = Now();
  alarm(2);
  const bool none = rdma_get_cm_event(channel, &event) != 0;
  std::printf("%s after %ld us\n", none ? "no event" : "an event",
              (seen_by_handler - before) / 10 * 10);
}

volatile sig_atomic_t rings = 0;

// For 10 ms.
void StreamUntilAnAlarm(int to) {
  std::signal(SIGALRM, [](int) { rings = 1; });
  const itimerval after = {.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 10'000}};
  const std::vector<char> bytes(kPiece);
  const int64_t before = Now();
  setitimer(ITIMER_REAL, &after, nullptr);
  int writes = 0;
  while (rings == 0)
    if (write(to, bytes.data(), bytes.size()) > 0) ++writes;
  std::printf("%d writes in %ld ms\n", writes, (Now() - before) / 1'000);
  close(to);
}

void Stream(const char* host) { StreamUntilAnAlarm(Connected(host)); }

// To one that does not read.
void StreamInVain(const char* host) {
  const int fd = Connected(host);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  StreamUntilAnAlarm(fd);
}

void StreamToAChild(const char* /*host*/) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return;
  const auto [from, to] = ends;
  if (fork() == 0) {
    std::vector<char> bytes(kPiece);
    close(to);
    while (read(from, bytes.data(), bytes.size()) > 0) continue;
    _exit(0);
  }
  StreamUntilAnAlarm(to);
}

}  // namespace
}  // namespace cm::app

int main(int count, char** words) {
  using namespace cm::app;
  const std::map<std::string, void (*)(const char*)> all = {
      {"echo", Echo},
      {"ask", Ask},
      {"count", [](const char* host) { CountAfter(0, host); }},
      {"late", [](const char* host) { CountAfter(kPause, host); }},
      {"pour", Pour},
      {"file", SendFile},
      {"after-file", AskAfterAFile},
      {"edges", PourByEdges},
      {"exceed", Exceed},
      {"limited", SendWithALimit},
      {"interrupted", [](const char* host) { ConnectFor(0, host); }},
      {"restarted", [](const char* host) { ConnectFor(SA_RESTART, host); }},
      {"asleep", [](const char* host) { CountAfter(10 * kPause * 100, host); }},
      {"hear", [](const char*) { Hear(AF_INET); }},
      {"hear6", [](const char*) { Hear(AF_INET6); }},
      {"say", Say},
      {"say-after-file", SayAfterAFile},
      {"duplicate", FailToDuplicate},
      {"break", Break},
      {"go", AcceptAndGo},
      {"ticks", Ticks},
      {"handle", Handle},
      {"ports", ShowPorts},
      {"nothing", HearNothing},
      {"stay", AcceptAndStay},
      {"stream", Stream},
      {"stream-in-vain", StreamInVain},
      {"stream-to-child", StreamToAChild},
      {"fill", Fill},
      {"flood", PourWithoutWaiting}};
  if (count != 3 || all.count(words[1]) == 0) return 2;
  // A program of RDMA: so it loads the object.
  rdma_destroy_event_channel(rdma_create_event_channel());
  all.at(words[1])(words[2]);
  return 0;
}
