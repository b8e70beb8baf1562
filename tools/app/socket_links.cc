#include "tools/app/socket_links.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "model/vocabulary/topology.h"
#include "sim/fabric/fabric.h"
#include "sim/uapi/bytes.h"
#include "tools/app/socket_addresses.h"

namespace cm::app {
namespace {

using sim::uapi::Carry;
using sim::uapi::CarryRecord;

// source: linux 6.1 tcp.h TCP_RTO_MIN, TCP_RTO_MAX, TCP_TIMEOUT_INIT, TCP_RETR2, TCP_SYN_RETRIES
constexpr Duration kSentAgainAfter = Duration::Milliseconds(200);
constexpr Duration kSentAgainAtMost = Duration::Seconds(120);
constexpr Duration kConnectsAgainAfter = Duration::Seconds(1);
constexpr uint32_t kAttempts = 15;
constexpr uint32_t kAttemptsToConnect = 6;
// Bytes under way from one socket; as much as Linux lets a sender have, whose buffer it enlarges up
// to there. source: man tcp(7), the default of the largest tcp_wmem; linux 6.1 tcp.c tcp_init
constexpr uint64_t kRoom = uint64_t{4} << 20U;
// There is room for poll(2) where at least half as much is free as is under way.
// source: linux 6.1 sock.h sk_stream_min_wspace
constexpr uint64_t kWritable = kRoom * 2 / 3;
// Beside its bytes: in that room, and on the link. The first is about what Linux takes for one, the
// second the headers of Ethernet, IPv4 and TCP.
constexpr uint64_t kOfEach = 768;
constexpr uint64_t kHeaders = 66;

Duration Doubled(Duration first, uint32_t times) {
  Duration after = first;
  for (; times > 0 && after < kSentAgainAtMost; --times) after = after * 2;
  return std::min(after, kSentAgainAtMost);
}

// What the program has under that number.
Descriptor Duplicate(pid_t process, uint32_t fd) {
  const Descriptor of(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (of.get() < 0) return Descriptor();
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_getfd, of.get(), fd, 0)));
}

// To a program that has been refused: the system's own socket was never full. So epoll with EPOLLET
// sees an edge. source: linux 6.1 tcp.c do_tcp_setsockopt, which calls sk_write_space
void MakeAnEdge(int socket) {
  int value = 0;
  socklen_t length = sizeof value;
  if (getsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &value, &length) == 0)
    setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &value, length);
}

// The last descriptor of the socket is ours, whose closing must not wait for the peer.
void DoNotLinger(int socket) {
  linger how{};
  socklen_t length = sizeof how;
  if (getsockopt(socket, SOL_SOCKET, SO_LINGER, &how, &length) != 0) return;
  if (how.l_onoff == 0 || how.l_linger == 0) return;
  how.l_onoff = 0;
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &how, length);
}

// Its error is the program's to see.
bool HasFailed(int socket) {
  pollfd state = {.fd = socket, .events = 0, .revents = 0};
  return poll(&state, 1, 0) == 1 && (state.revents & (POLLERR | POLLHUP)) != 0;
}

// Its sending side is shut: a send of no bytes says so. source: linux 6.1 tcp.c tcp_sendmsg_locked
bool IsShut(int socket) {
  return !HasFailed(socket) && send(socket, nullptr, 0, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
         errno == EPIPE;
}

}  // namespace

SocketLinks::SocketLinks(sim::World* world, SocketNotes::Sink noted)
    : world_(world), notes_(std::move(noted)) {
  const std::vector<DeviceInfo>& devices = world->topology().devices;
  for (uint8_t device = 0; device < devices.size(); ++device) {
    for (size_t nth = 0; nth < devices[device].AddressCount(); ++nth)
      for (const bool v6 : {false, true})
        device_of_.emplace(BytesOfHost(std::string(devices[device].Host(nth, v6))), device);
    sources_.push_back({BytesOfHost(devices[device].v4), BytesOfHost(devices[device].v6)});
  }
  device_of_.erase("");
}

std::optional<uint8_t> SocketLinks::DeviceOf(const sockaddr_storage& address) const {
  const auto found = device_of_.find(BytesOfHost(address));
  return found == device_of_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<SocketLinks::Way> SocketLinks::WayOf(int socket, uint8_t device,
                                                   std::span<const uint8_t> peer) const {
  sockaddr_storage there{};
  socklen_t length = sizeof there;
  if (!peer.empty())
    std::memcpy(&there, peer.data(), std::min(peer.size(), sizeof there));
  else if (getpeername(socket, reinterpret_cast<sockaddr*>(&there), &length) != 0)
    return std::nullopt;
  const std::optional<uint8_t> to = DeviceOf(there);
  if (!to) return std::nullopt;
  const uint8_t from = DeviceOf(LocalOf(socket)).value_or(device);
  const Topology& topology = world_->topology();
  if (topology.devices[from].kernel == topology.devices[*to].kernel) return std::nullopt;
  int protocol = 0;
  length = sizeof protocol;
  getsockopt(socket, SOL_SOCKET, SO_PROTOCOL, &protocol, &length);
  return Way{.from = from, .to = *to, .is_tcp = protocol == IPPROTO_TCP};
}

bool SocketLinks::GetsThrough(const Way& way) const {
  if (counts_) counts_(way.from, way.to);
  const sim::Fabric& fabric = *world_->Context().fabric;
  return fabric.CarriesTcp(way.from, way.to) &&
         !fabric.OfData(world_->Now(), way.from, way.to).lost;
}

bool SocketLinks::IsHalted(uint8_t device) const {
  return world_->Context().fabric->device(device).halted;
}

Instant SocketLinks::Arrives(Instant leaves, const Way& way, uint64_t bytes) {
  sim::Fabric& fabric = *world_->Context().fabric;
  return leaves +
         fabric.Leaves(leaves, way.from, way.to, bytes + kHeaders, fabric.bandwidth.sockets) +
         sim::Fabric::kLatency + fabric.OfData(world_->Now(), way.from, way.to).later;
}

SocketLinks::Answered SocketLinks::Ask(pid_t process, uint8_t side,
                                       const sim::uapi::Request& request, const Reads& reads) {
  const auto record = sim::uapi::As<CarryRecord>(request.bytes);
  const auto what = static_cast<Carry>(record.what);
  const std::span<const uint8_t> peer =
      std::span(request.bytes).subspan(std::min(sizeof record, request.bytes.size()));
  Descriptor socket = Duplicate(process, request.on);
  const uint64_t name = NumberOf(socket.get());
  if (what == Carry::kWaits) return Waits(name);
  if (what == Carry::kGate) return WaitsForRoom(name, Duplicate(process, record.attempt));
  const std::optional<Way> way =
      name == 0 ? std::nullopt : WayOf(socket.get(), world_->topology().sides[side].device, peer);
  const bool connects =
      what == Carry::kConnects || what == Carry::kArrives || what == Carry::kReplied;
  if (!way) return {.value = connects ? 0 : sim::uapi::kLeftToSystem, .at = world_->Now()};
  const Instant now = std::max(world_->Now(), Instant::FromNanoseconds(record.now));
  if (what == Carry::kArrives)
    return IsHalted(way->to) ? NotConnected(now + sim::Fabric::kLatency * -1, record.attempt)
                             : Answered{.value = 0, .at = now};
  if (connects) {
    const Way back = {.from = way->to, .to = way->from};
    const Answered answered = Connects(now, what == Carry::kConnects ? *way : back, record.attempt);
    NoteRequest(name, socket.get(), *way, record, peer, now, answered);
    return answered;
  }
  return Sends(now, name, std::move(socket), *way, record, peer, reads);
}

SocketLinks::Answered SocketLinks::Connects(Instant now, const Way& way, uint32_t attempt) {
  if (GetsThrough(way)) return {.value = 0, .at = Arrives(now, way, 0)};
  return NotConnected(now, attempt);
}

SocketLinks::Answered SocketLinks::NotConnected(Instant now, uint32_t attempt) {
  const Instant again = now + Doubled(kConnectsAgainAfter, attempt);
  return {.value = attempt < kAttemptsToConnect ? sim::uapi::kLost : -ETIMEDOUT, .at = again};
}

void SocketLinks::NoteRequest(uint64_t name, int socket, const Way& way, const CarryRecord& record,
                              std::span<const uint8_t> peer, Instant now,
                              const Answered& answered) {
  const SocketNotes::Sent sent = {
      .name = name,
      .socket = socket,
      .at = now,
      .arrives = answered.value == 0 ? std::optional(answered.at) : std::nullopt};
  if (static_cast<Carry>(record.what) == Carry::kReplied)
    return notes_.Replied(sent, record.attempt);
  sockaddr_storage there{};
  std::memcpy(&there, peer.data(), std::min(peer.size(), sizeof there));
  notes_.Connects(sent, record.attempt, peer, sources_[way.from][IsOfV4(there) ? 0 : 1]);
}

void SocketLinks::NoteArrival(uint64_t name, const Flow& flow, const Message& message) {
  const int socket = flow.socket.get();
  if (flow.way.is_tcp) {
    if (message.what == Carry::kSends) notes_.HasArrived(name, socket, world_->Now());
    return;
  }
  sockaddr_storage peer{};
  std::memcpy(&peer, message.peer.data(), std::min(message.peer.size(), sizeof peer));
  notes_.Datagram({.name = name,
                   .socket = socket,
                   .at = message.left,
                   .arrives = message.lost ? std::nullopt : std::optional(world_->Now())},
                  message.peer, sources_[flow.way.from][IsOfV4(peer) ? 0 : 1], message.bytes);
}

// kNoRoom: not all has arrived, or the receiver has no room for it.
SocketLinks::Answered SocketLinks::Waits(uint64_t name) {
  Answered answered = {.value = 0, .at = world_->Now()};
  const auto found = flows_.find(name);
  if (found == flows_.end()) return answered;
  if (found->second.stuck) Deliver(name, &found->second);
  if (found->second.messages.empty()) {
    Forget(found);
    return answered;
  }
  answered.value = sim::uapi::kNoRoom;
  for (const auto& [at, due] : due_)
    if (due.flow == name) answered.at = at;
  return answered;
}

SocketLinks::Answered SocketLinks::WaitsForRoom(uint64_t name, Descriptor gate) {
  const auto found = flows_.find(name);
  const bool full = found != flows_.end() && found->second.bytes > kWritable;
  if (full) found->second.gates.push_back(std::move(gate));
  return {.value = full ? sim::uapi::kNoRoom : 0, .at = world_->Now()};
}

void SocketLinks::SayThatThereIsRoom(Flow* flow) {
  uint64_t count = 0;
  for (const Descriptor& gate : std::exchange(flow->gates, {}))
    static_cast<void>(!read(gate.get(), &count, sizeof count));
  if (flow->refused) MakeAnEdge(flow->socket.get());
  flow->refused = false;
}

void SocketLinks::Closes(Descriptor socket, uint8_t side, Instant at) {
  const uint64_t name = NumberOf(socket.get());
  const std::optional<Way> way = WayOf(socket.get(), world_->topology().sides[side].device, {});
  if (name == 0 || !way || !way->is_tcp) return;
  const CarryRecord record = {.what = static_cast<uint32_t>(Carry::kCloses)};
  Sends(std::max(world_->Now(), at), name, std::move(socket), *way, record, {}, {});
}

bool SocketLinks::HasItsEndCarried(int socket, uint8_t side) const {
  if (NumberOf(socket) == 0) return false;
  const std::optional<Way> way = WayOf(socket, world_->topology().sides[side].device, {});
  return way && way->is_tcp;
}

uint64_t SocketLinks::NumberOf(int socket) {
  struct stat status {};
  if (socket < 0 || fstat(socket, &status) != 0 || !S_ISSOCK(status.st_mode)) return 0;
  return status.st_ino;
}

SocketLinks::Answered SocketLinks::Sends(Instant now, uint64_t name, Descriptor socket,
                                         const Way& way, const CarryRecord& record,
                                         std::span<const uint8_t> peer, const Reads& reads) {
  const auto what = static_cast<Carry>(record.what);
  uint64_t room = kRoom;
  const auto found = flows_.find(name);
  if (found != flows_.end() && what == Carry::kSends) {
    Flow& flow = found->second;
    if (flow.stuck) Deliver(name, &flow);
    const auto shuts = [](const Message& one) { return one.what == Carry::kShuts; };
    if (std::ranges::any_of(flow.messages, shuts)) return {.value = -EPIPE, .at = now};
    room -= std::min(room, flow.bytes);
    flow.refused = room == 0;
    if (room == 0)
      return {.value = sim::uapi::kNoRoom, .at = record.blocks != 0 ? NextAt().value_or(now) : now};
  }
  // A shutdown that has arrived is known to the system alone.
  const bool is_idle = found == flows_.end() || found->second.messages.empty();
  if (way.is_tcp && what == Carry::kSends && is_idle && IsShut(socket.get()))
    return {.value = -EPIPE, .at = now};
  Message message = {.what = what, .peer = {peer.begin(), peer.end()}};
  message.bytes.resize(way.is_tcp ? std::min<uint64_t>(record.length, room) : record.length);
  if (!message.bytes.empty() && !reads(record.address, message.bytes))
    return {.value = sim::uapi::kLeftToSystem, .at = now};
  const auto size = static_cast<int64_t>(message.bytes.size());
  Flow& flow =
      flows_.try_emplace(name, Flow{.socket = std::move(socket), .way = way, .first = next_first_})
          .first->second;
  flow.way = way;
  flow.bytes += message.bytes.size() + kOfEach;
  flow.messages.push_back(std::move(message));
  SetOut(now, name, flow.first + flow.messages.size() - 1);
  const bool filled = way.is_tcp && what == Carry::kSends && flow.bytes > kWritable;
  return {.value = filled ? size + sim::uapi::kFilled : size, .at = now};
}

// The numbers of its messages are not used again: some may still be due.
SocketLinks::Flows::iterator SocketLinks::Forget(Flows::iterator flow) {
  next_first_ = std::max(next_first_, flow->second.first);
  return flows_.erase(flow);
}

// A message leaves, for the first time or again.
void SocketLinks::SetOut(Instant now, uint64_t name, uint64_t number) {
  Flow& flow = flows_.at(name);
  Message& message = flow.messages[number - flow.first];
  message.left = now;
  const auto note = [&](std::optional<Instant> arrives) {
    if (flow.way.is_tcp)
      notes_.Leaves({.name = name, .socket = flow.socket.get(), .at = now, .arrives = arrives},
                    message.what, number, message.bytes);
  };
  if (GetsThrough(flow.way)) {
    const Instant arrives = Arrives(now, flow.way, message.bytes.size());
    flow.last = flow.way.is_tcp ? std::max(flow.last, arrives) : arrives;
    note(flow.last);
    due_.emplace(flow.last, Due{.flow = name, .message = number, .sends_again = false});
    return;
  }
  note({});
  IsLost(now, name, number);
}

void SocketLinks::IsLost(Instant now, uint64_t name, uint64_t number) {
  Flow& flow = flows_.at(name);
  Message& message = flow.messages[number - flow.first];
  if (!flow.way.is_tcp || message.attempts >= kAttempts) {
    message.lost = true;
    due_.emplace(now, Due{.flow = name, .message = number, .sends_again = false});
    return;
  }
  const Duration after = Doubled(kSentAgainAfter, message.attempts++);
  due_.emplace(now + after, Due{.flow = name, .message = number, .sends_again = true});
}

std::optional<Instant> SocketLinks::NextAt() const {
  if (due_.empty()) return std::nullopt;
  return due_.begin()->first;
}

bool SocketLinks::Happen() {
  bool any = false;
  while (!due_.empty() && due_.begin()->first <= world_->Now()) {
    const Due due = due_.begin()->second;
    due_.erase(due_.begin());
    any = true;
    const auto found = flows_.find(due.flow);
    if (found == flows_.end() || due.message < found->second.first) continue;
    if (due.sends_again) {
      SetOut(world_->Now(), due.flow, due.message);
      continue;
    }
    Flow& flow = found->second;
    Message& message = flow.messages[due.message - flow.first];
    if (!message.lost && IsHalted(flow.way.to)) {
      IsLost(world_->Now(), due.flow, due.message);
      continue;
    }
    message.arrived = true;
    Deliver(due.flow, &flow);
    if (flow.messages.empty()) Forget(found);
  }
  return any;
}

void SocketLinks::HostCrashes(uint8_t kernel) {
  for (auto at = flows_.begin(); at != flows_.end();) {
    const bool its = world_->topology().devices[at->second.way.from].kernel == kernel;
    if (its) at->second.first += at->second.messages.size();
    at = its ? Forget(at) : std::next(at);
  }
}

bool SocketLinks::Flush() {
  bool any = false;
  for (auto at = flows_.begin(); at != flows_.end();) {
    if (at->second.stuck) any |= Deliver(at->first, &at->second);
    at = at->second.messages.empty() ? Forget(at) : std::next(at);
  }
  return any;
}

// Gives the system what has arrived. Returns whether it took any.
bool SocketLinks::Deliver(uint64_t name, Flow* flow) {
  bool any = false;
  flow->stuck = false;
  while (!flow->messages.empty() && flow->messages.front().arrived) {
    Message& message = flow->messages.front();
    const size_t before = message.sent;
    const Sent sent = SendOn(*flow, &message);
    any |= sent == Sent::kWhole || message.sent > before;
    flow->stuck = sent == Sent::kNoRoom;
    was_full_ |= flow->stuck;
    if (flow->stuck) break;
    if (sent == Sent::kWhole && notes_.watched()) NoteArrival(name, *flow, message);
    const size_t gone = sent == Sent::kFailed ? flow->messages.size() : 1;
    for (size_t i = 0; i < gone; ++i) {
      flow->bytes -= flow->messages.front().bytes.size() + kOfEach;
      flow->messages.pop_front();
      ++flow->first;
    }
  }
  if (flow->bytes <= kWritable) SayThatThereIsRoom(flow);
  return any;
}

SocketLinks::Sent SocketLinks::SendOn(const Flow& flow, Message* message) {
  const int socket = flow.socket.get();
  if (message->lost && flow.way.is_tcp) {
    // After the last attempt; the peer hears of it as well, which TCP would not have it.
    const sockaddr none = {.sa_family = AF_UNSPEC, .sa_data = {}};
    static_cast<void>(connect(socket, &none, sizeof none));
    return Sent::kFailed;
  }
  if (message->what == Carry::kCloses) DoNotLinger(socket);
  if (message->lost || message->what == Carry::kCloses) return Sent::kWhole;
  if (message->what == Carry::kShuts) return shutdown(socket, SHUT_WR), Sent::kWhole;
  if (!flow.way.is_tcp) return SendDatagram(flow, *message);
  if (HasFailed(socket)) return Sent::kFailed;
  while (message->sent < message->bytes.size()) {
    const ssize_t size = send(socket, message->bytes.data() + message->sent,
                              message->bytes.size() - message->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size < 0) return errno == EAGAIN ? Sent::kNoRoom : Sent::kFailed;
    message->sent += static_cast<size_t>(size);
  }
  return Sent::kWhole;
}

// One for which the receiver has no room is lost.
SocketLinks::Sent SocketLinks::SendDatagram(const Flow& flow, const Message& message) const {
  iovec bytes = {.iov_base = const_cast<uint8_t*>(message.bytes.data()),
                 .iov_len = message.bytes.size()};
  msghdr header{};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  header.msg_name = message.peer.empty() ? nullptr : const_cast<uint8_t*>(message.peer.data());
  header.msg_namelen = static_cast<socklen_t>(message.peer.size());
  Control control;
  const sockaddr_storage local = LocalOf(flow.socket.get());
  sockaddr_storage peer{};
  std::memcpy(&peer, message.peer.data(), std::min(message.peer.size(), sizeof peer));
  const std::string& source = sources_[flow.way.from][IsOfV4(peer) ? 0 : 1];
  if (IsAnywhere(BytesOfHost(local)) && !source.empty())
    SetSource(&header, &control, local.ss_family, source);
  static_cast<void>(sendmsg(flow.socket.get(), &header, MSG_DONTWAIT | MSG_NOSIGNAL));
  return Sent::kWhole;
}

}  // namespace cm::app
