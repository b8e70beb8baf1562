// What programs' sockets of TCP and UDP send to other hosts, for captures: their ends, by the
// system's socket, with what the links make of it.
#ifndef TOOLS_APP_SOCKET_NOTES_H_
#define TOOLS_APP_SOCKET_NOTES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/base/duration.h"
#include "sim/codec/socket_note.h"
#include "sim/uapi/request.h"

namespace cm::app {

class SocketNotes {
 public:
  using Sink = std::function<void(sim::SocketNote note)>;
  // A socket, by the number of its file; the instant at which a message leaves it, and that of its
  // arrival, empty where it is lost.
  struct Sent {
    uint64_t name;
    int socket;
    Instant at;
    std::optional<Instant> arrives;
  };

  explicit SocketNotes(Sink sink) : sink_(std::move(sink)) {}

  bool watched() const { return sink_ != nullptr; }

  // A request for a connection. `own`: the bytes of the host's address, for a socket that is bound
  // to none.
  void Connects(const Sent& sent, uint32_t attempt, std::span<const uint8_t> peer,
                const std::string& own);
  // The answer to it, by what has become of the socket.
  void Replied(const Sent& sent, uint32_t attempt);
  // A message over TCP, or its end. `number`: the same when it is sent again.
  void Leaves(const Sent& sent, sim::uapi::Carry what, uint64_t number,
              std::span<const uint8_t> bytes);
  // Bytes over TCP, which the system has taken: they may have found no socket.
  void HasArrived(uint64_t name, int socket, Instant at);
  // `peer`: empty for a socket that is connected.
  void Datagram(const Sent& sent, std::span<const uint8_t> peer, const std::string& own,
                std::span<const uint8_t> bytes);

 private:
  using Ends = std::pair<sim::SocketEnd, sim::SocketEnd>;

  Sink sink_;
  std::map<uint64_t, Ends> requests_;  // for connections, by socket
  std::map<uint64_t, Ends> ends_;      // of what it sends: its own, and the peer's
};

}  // namespace cm::app

#endif  // TOOLS_APP_SOCKET_NOTES_H_
