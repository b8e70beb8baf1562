#include "tools/app/socket_notes.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sim/fabric/fabric.h"

namespace cm::app {
namespace {

using sim::SocketEnd;
using sim::SocketNote;
using What = SocketNote::What;

mad::Gid Mapped(std::span<const uint8_t> v4) {
  mad::Gid gid{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  std::copy_n(v4.begin(), sizeof(in_addr), gid.end() - sizeof(in_addr));
  return gid;
}

SocketEnd EndOf(const sockaddr_storage& address) {
  SocketEnd end;
  if (address.ss_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    std::array<uint8_t, sizeof(in_addr)> bytes{};
    std::memcpy(bytes.data(), &in.sin_addr, sizeof in.sin_addr);
    return {.address = Mapped(bytes), .port = ntohs(in.sin_port)};
  }
  if (address.ss_family != AF_INET6) return end;
  sockaddr_in6 in6{};
  std::memcpy(&in6, &address, sizeof in6);
  std::memcpy(end.address.data(), &in6.sin6_addr, sizeof in6.sin6_addr);
  end.port = ntohs(in6.sin6_port);
  return end;
}

SocketEnd EndOf(std::span<const uint8_t> bytes) {
  sockaddr_storage address{};
  std::memcpy(&address, bytes.data(), std::min(bytes.size(), sizeof address));
  return EndOf(address);
}

SocketEnd EndOf(int socket, decltype(&getsockname) which) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (which(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    address.ss_family = AF_UNSPEC;
  return EndOf(address);
}

bool IsAnywhere(const SocketEnd& end) {
  constexpr std::array<uint8_t, sizeof(in_addr)> kZeros{};
  return end.address == mad::Gid{} || end.address == Mapped(kZeros);
}

// That of the socket; its address is `own` where it is bound to none.
SocketEnd OwnEndOf(int socket, const std::string& own) {
  SocketEnd end = EndOf(socket, &getsockname);
  if (!IsAnywhere(end)) return end;
  const std::span bytes(reinterpret_cast<const uint8_t*>(own.data()), own.size());
  if (bytes.size() == sizeof(in_addr)) end.address = Mapped(bytes);
  if (bytes.size() == end.address.size()) std::ranges::copy(bytes, end.address.begin());
  return end;
}

// TCP_CLOSE where there is none.
uint8_t StateOf(int socket) {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return TCP_CLOSE;
  return info.tcpi_state;
}

What WhatOf(sim::uapi::Carry what) {
  if (what == sim::uapi::Carry::kShuts) return What::kFin;
  return what == sim::uapi::Carry::kCloses ? What::kClose : What::kData;
}

}  // namespace

void SocketNotes::Connects(const Sent& sent, uint32_t attempt, std::span<const uint8_t> peer,
                           const std::string& own) {
  if (!watched()) return;
  const Ends ends = {OwnEndOf(sent.socket, own), EndOf(peer)};
  requests_.insert_or_assign(sent.name, ends);
  sink_({.what = What::kSyn,
         .at = sent.at,
         .arrives = sent.arrives,
         .from = ends.first,
         .to = ends.second,
         .socket = sent.name,
         .number = attempt,
         .bytes = {}});
}

void SocketNotes::Replied(const Sent& sent, uint32_t attempt) {
  const auto found = requests_.find(sent.name);
  if (!watched() || found == requests_.end()) return;
  const uint8_t state = StateOf(sent.socket);
  Ends ends = found->second;
  if (const SocketEnd own = EndOf(sent.socket, &getsockname); ends.first.port == 0)
    ends.first.port = own.port;
  // Nothing has answered.
  if (state == TCP_SYN_SENT) return;
  sink_({.what = state == TCP_CLOSE ? What::kRefusal : What::kSynAck,
         .at = sent.at,
         .arrives = sent.arrives,
         .from = ends.second,
         .to = ends.first,
         .number = attempt,
         .bytes = {}});
}

void SocketNotes::Leaves(const Sent& sent, sim::uapi::Carry what, uint64_t number,
                         std::span<const uint8_t> bytes) {
  if (!watched()) return;
  const SocketEnd peer = EndOf(sent.socket, &getpeername);
  // One that has failed has forgotten them.
  if (peer.port != 0)
    ends_.insert_or_assign(sent.name, Ends(EndOf(sent.socket, &getsockname), peer));
  const auto found = ends_.find(sent.name);
  if (found == ends_.end()) return;
  sink_({.what = WhatOf(what),
         .at = sent.at,
         .arrives = sent.arrives,
         .from = found->second.first,
         .to = found->second.second,
         .socket = sent.name,
         .number = number,
         .bytes = {bytes.begin(), bytes.end()}});
}

// Between the system's sockets a reset takes no time.
void SocketNotes::HasArrived(uint64_t name, int socket, Instant at) {
  if (!watched()) return;
  pollfd state = {.fd = socket, .events = 0, .revents = 0};
  const bool failed = poll(&state, 1, 0) == 1 && (state.revents & POLLERR) != 0;
  const auto found = ends_.find(name);
  if (!failed || found == ends_.end()) return;
  sink_({.what = What::kReset,
         .at = at,
         .arrives = at + sim::Fabric::kLatency,
         .from = found->second.second,
         .to = found->second.first,
         .bytes = {}});
}

void SocketNotes::Datagram(const Sent& sent, std::span<const uint8_t> peer, const std::string& own,
                           std::span<const uint8_t> bytes) {
  if (!watched()) return;
  sink_({.what = What::kDatagram,
         .at = sent.at,
         .arrives = sent.arrives,
         .from = OwnEndOf(sent.socket, own),
         .to = peer.empty() ? EndOf(sent.socket, &getpeername) : EndOf(peer),
         .socket = sent.name,
         .bytes = {bytes.begin(), bytes.end()}});
}

}  // namespace cm::app
