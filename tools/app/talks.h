// What test programs that talk to another host have in common.
#ifndef TOOLS_APP_TALKS_H_
#define TOOLS_APP_TALKS_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace cm::app {

inline constexpr uint16_t kPort = 5000;
inline constexpr int64_t kMicrosecond = 1'000;
inline constexpr int64_t kSecond = 1'000'000'000;
inline constexpr useconds_t kPause = 10'000;

inline int64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec * kSecond + now.tv_nsec) / kMicrosecond;
}

// Calls take half a microsecond each, which this does not show.
inline int64_t Since(int64_t before) { return (Now() - before) / 10 * 10; }

inline sockaddr_in AddressOf(const char* host) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  inet_pton(AF_INET, host, &address.sin_addr);
  return address;
}

inline const sockaddr* Any(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

inline int Accepted(const char* host) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in own = AddressOf(host);
  static_cast<void>(bind(listener, Any(own), sizeof own));
  listen(listener, 1);
  const int accepted = accept(listener, nullptr, nullptr);
  close(listener);
  return accepted;
}

inline int Connected(const char* host) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in peer = AddressOf(host);
  const int64_t before = Now();
  const bool connects = connect(fd, Any(peer), sizeof peer) == 0;
  const int error = errno;
  std::printf("%s after %ld us\n", connects ? "connected" : std::strerror(error), Since(before));
  return connects ? fd : -1;
}

}  // namespace cm::app

#endif  // TOOLS_APP_TALKS_H_
